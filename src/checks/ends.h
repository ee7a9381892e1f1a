/** How processes died outside of MPI, and ranks that never came. */
#ifndef DT_CHECKS_ENDS_H
#define DT_CHECKS_ENDS_H

#include "checks/findings.h"
#include "decoder/status.h"

G_BEGIN_DECLS

/** Reports crashes, aborts, uncaught exceptions and kills of processes by their `statuses` (by index in the run), but
 * not of those in `in_mpi`: a set of processes (DtProcess) that died in a call of MPI. Then ranks of which nothing is
 * there. */
void dt_check_report_deaths(DtChecking *checking, const DtProcessStatus *statuses, GHashTable *in_mpi);

G_END_DECLS

#endif
