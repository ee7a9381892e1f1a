/** Evidence in words. */
#ifndef DT_VERDICT_WHY_H
#define DT_VERDICT_WHY_H

#include "verdict/evidence.h"

G_BEGIN_DECLS

DtStatus dt_status_of(const DtCorpus *corpus, const DtEvidence *evidence, guint trace);

/** What is known in words of how a trace differs; each may be NULL. */
typedef struct {
    const char *departure;        /* dt_departure_text() */
    const char *first_difference; /* in terms of loops */
    const char *end_position;     /* likewise */
} DtDifferenceTexts;

/** One sentence on a trace: how it departs from normal and how it ends, then its largest terms of evidence; g_free().
 */
char *dt_why(const DtCorpus *corpus, const DtEvidence *evidence, guint trace, const DtDifferenceTexts *texts);

/** "MPI_Send then MPI_Recv", "MPI_Send in main": a gram; g_free(). */
char *dt_gram_text(const DtCorpus *corpus, guint64 key);

/** What the traces other than `suspect` (may be NULL) wait in: "; meanwhile 14 in MPI_Allreduce"; "" if none do. */
char *dt_meanwhile(const DtCorpus *corpus, const DtEvidence *evidence, const DtSuspect *suspect);

G_END_DECLS

#endif
