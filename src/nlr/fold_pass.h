/** Folding the traces of a pass. */
#ifndef DT_NLR_FOLD_PASS_H
#define DT_NLR_FOLD_PASS_H

#include "decoder/pass.h"
#include "nlr/nlr.h"

G_BEGIN_DECLS

/** Whether a trace is to be folded. */
typedef gboolean (*DtFoldWants)(const DtTrace *trace, gpointer user_data);

typedef struct DtFold DtFold;
/**
 * Adds to a pass that traces of some of its runs are folded in all these ways. By several processes, each reads and
 * folds its share of them, and the root gets all; what it gets is the same as one process gets. `wants` may be NULL:
 * all.
 */
DtFold *dt_fold_new(const DtParallel *parallel, DtPass *pass, const guint *runs, guint run_count,
                    const DtFoldPlan *plans, guint plan_count, DtFoldWants wants, gpointer user_data);
/** Before the pass is freed. */
void dt_fold_free(DtFold *fold);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFold, dt_fold_free)

/** What dt_nlr_fold_runs() returns, after the pass, if all traces were wanted; once. Collective: the others than the
 * root get an empty array. */
GPtrArray *dt_fold_take(DtFold *fold, GError **error);
/** Those who fold a trace with arguments are those who fold it by names in `other`. */
void dt_fold_share_as(DtFold *fold, const DtFold *other);
/** After the pass, before dt_fold_take_one(); once, in place of dt_fold_take(). Collective. */
void dt_fold_gather_all(DtFold *fold);
/** One trace, in one way, of the form DT_NLR_PLAIN, over a table of its own; NULL if it was not wanted or not readable.
 */
DtFoldedTrace *dt_fold_take_one(const DtFold *fold, guint plan, guint run, const DtTrace *trace, DtLoopTable *table);

/** FALSE: nodes of call trees do not go from one process to another; they are the root's work alone. */
gboolean dt_fold_plans_travel(const DtFoldPlan *plans, guint plan_count);

/**
 * As dt_nlr_fold_runs(), by several processes: every member has the same runs open and the same plans. Collective.
 * `parallel` NULL: alone.
 */
GPtrArray *dt_nlr_fold_runs_parallel(const DtParallel *parallel, const DtRun *const *runs, guint run_count,
                                     const DtFoldPlan *plans, guint plan_count, guint jobs, DtFoldProgress progress,
                                     gpointer user_data, GError **error);

G_END_DECLS

#endif
