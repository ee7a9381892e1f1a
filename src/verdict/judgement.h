/** All evidence of a comparison, by names and with arguments. */
#ifndef DT_VERDICT_JUDGEMENT_H
#define DT_VERDICT_JUDGEMENT_H

#include "verdict/departure.h"

G_BEGIN_DECLS

/** Evidence on all traces. The wait-for graph and what is observed are borrowed or its own, as it was made. */
typedef struct {
    DtCorpus *names, *arguments; /* arguments NULL: not recorded, or not asked for */
    DtEvidence *by_names, *by_arguments;
    const DtWaitFor *waits;  /* borrowed; NULL without arguments */
    double *scores;          /* per trace: S of names and arguments together */
    double *new_values;      /* per trace: dt_new_values() */
    DtDeparture *departures; /* per trace */
    guint jobs;
} DtJudgement;

/** Takes the corpora; `arguments` and `waits` may be NULL. */
DtJudgement *dt_judgement_new(DtCorpus *names, DtCorpus *arguments, const DtWaitFor *waits, guint jobs);
void dt_judgement_free(DtJudgement *judgement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtJudgement, dt_judgement_free)

G_END_DECLS

#endif
