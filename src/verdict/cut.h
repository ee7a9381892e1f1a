/**
 * Calls that are taken off before traces are compared: auxiliary ones, those whose order or number is luck, and
 * those that are others in all traces (docs/algorithms/verdict.md).
 */
#ifndef DT_VERDICT_CUT_H
#define DT_VERDICT_CUT_H

#include "verdict/judgement.h"

G_BEGIN_DECLS

/** What becomes of the symbols of both corpora of a judgement. */
typedef struct {
    const DtJudgement *judgement; /* borrowed, like the normal runs */
    const GPtrArray *normals;
    guint32 *names, *arguments; /* by symbol: see dt_observations_reduce(); arguments NULL: not recorded */
    gboolean any;               /* something is taken off */
} DtCut;

DtCut *dt_cut_new(const DtJudgement *judgement, const GPtrArray *normals);
void dt_cut_free(DtCut *cut);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCut, dt_cut_free)

/** Takes off the calls of `callee` by `caller`, with whatever arguments; or, if `arguments_only`, what tells them
 * apart. TRUE if that is new. O(symbols). */
gboolean dt_cut_call(DtCut *cut, guint32 caller, guint32 callee, gboolean arguments_only);

/** The calls that are made below `function` only: by it, and by functions that nobody else calls. O(symbols * depth).
 */
void dt_cut_below(DtCut *cut, guint32 function);

/** Auxiliary calls, and those of and by functions that make no other ones, some of them for text. */
void dt_cut_auxiliary(DtCut *cut);

/** What pthread_once calls, and what is called below that only: who comes first is luck. */
void dt_cut_once(DtCut *cut);

/**
 * Calls that the normal runs do not make alike: where two of them part, the call whose number differs, or both; then
 * again, until they part no more. And the calls by whose nature it is luck how many there are, such as MPI_Waitsome
 * and pthread_cond_wait. O(rounds * what reducing costs).
 */
void dt_cut_noise(DtCut *cut);

/** The evidence on what is left. */
DtJudgement *dt_cut_judge(const DtCut *cut);

G_END_DECLS

#endif
