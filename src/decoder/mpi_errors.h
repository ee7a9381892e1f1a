/** Error classes of MPI by their numbers, which each MPI has its own. */
#ifndef DT_DECODER_MPI_ERRORS_H
#define DT_DECODER_MPI_ERRORS_H

#include "store/store.h"

G_BEGIN_DECLS

/** "MPI_ERR_RANK"; static; NULL: no class of the MPI that the process uses, or that is not known. */
const char *dt_mpi_error_name(const DtRun *run, const DtProcess *process, gint error_class);

G_END_DECLS

#endif
