/** A verdict in one sentence. */
#ifndef DT_VERDICT_SUMMARY_H
#define DT_VERDICT_SUMMARY_H

#include "verdict/evidence.h"

G_BEGIN_DECLS

/** What the sentence tells; borrowed. */
typedef struct {
    const DtCorpus *corpus;
    const DtEvidence *evidence;
    const GPtrArray *suspects; /* (element-type DtSuspect) */
    DtScope scope;
    const char *common;             /* the change that all have, in words; NULL: none */
    const char *cautions;           /* said first */
    gboolean equal, with_arguments; /* the runs are, by what was recorded of them */
    guint sharing;                  /* traces that have it */
} DtSummary;

/** g_free(). */
char *dt_sum_up(const DtSummary *summary);

G_END_DECLS

#endif
