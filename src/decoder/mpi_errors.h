/** Error classes of MPI by their numbers, which each MPI has its own. */
#ifndef DT_DECODER_MPI_ERRORS_H
#define DT_DECODER_MPI_ERRORS_H

#include "calls/calls.h"
#include "store/store.h"

G_BEGIN_DECLS

/** "MPI_ERR_RANK"; static; NULL: no class of the MPI that the process uses, or that is not known. */
const char *dt_mpi_error_name(const DtRun *run, const DtProcess *process, gint error_class);
/** TRUE unless an error of the class, by its name, is about an argument that calls of the row do not have. */
gboolean dt_mpi_may_fail_with(const struct dt_call *row, const char *name);

G_END_DECLS

#endif
