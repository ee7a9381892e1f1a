/** Who may be the culprit: traces by their evidence. */
#ifndef DT_VERDICT_CANDIDATES_H
#define DT_VERDICT_CANDIDATES_H

#include "verdict/judgement.h"

G_BEGIN_DECLS

typedef struct {
    guint trace;
    double score;      /* S, or infinite for a trace in one run only */
    double confidence; /* 0..1: docs/method.md */
    DtLevel level;
} DtCandidate;

/**
 * Traces with evidence, by descending score; ties by onset, then label (element-type DtCandidate). `consequent`: per
 * trace, those that are no suspects since what they have follows from a change that all have; NULL: none.
 */
GArray *dt_candidates_new(const DtJudgement *judgement, const gboolean *consequent);

/** At most this confidence, and none is a suspect. Those in one run only stay. */
void dt_candidates_weaken(GArray *candidates, double most);

/** Confidence times `weight`, 0..1; below one half none is a suspect. Those in one run only stay. */
void dt_candidates_temper(GArray *candidates, double weight);

/** Makes suspects of those that a proof names, before all others: dt_proofs_new(). For a verdict that accuses nobody.
 */
void dt_candidates_prove(const DtJudgement *judgement, GArray *candidates);

/**
 * If the first suspect only told of an error, those who did before what nobody does normally come before it: who finds
 * a message wrong did not send it. `whole`: of all calls; `parts`: what tells how traces depart; NULLs are passed over.
 */
void dt_candidates_put_causes_first(const DtJudgement *judgement, GArray *candidates, const DtJudgement *whole,
                                    const DtJudgement *const *parts, guint count);

/** Who took other counts from the others in a collective call is less suspect if somebody did something else not later:
 * how much one takes is told by who sends. */
void dt_candidates_put_senders_first(const DtJudgement *judgement, GArray *candidates);

/** Those of a run that ended that depart as the first suspect does are as suspect as it. */
void dt_candidates_level(const DtJudgement *judgement, GArray *candidates);

/**
 * How many processes (in one process: threads) are suspects like the first one: they depart in the same way, or have
 * its score; those that are missing in one of the runs count, too. 0: there is no suspect.
 */
guint dt_candidates_like_first(const DtJudgement *judgement, const GArray *candidates);

/** The first suspect did what nobody does normally, in functions that luck has no part in. */
gboolean dt_candidates_are_sure(const DtJudgement *judgement, const GArray *candidates);

/** How many are suspects, but for those in one run only. */
guint dt_candidates_accused(const GArray *candidates);

G_END_DECLS

#endif
