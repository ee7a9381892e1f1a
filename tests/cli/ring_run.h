/** A run in which ranks pass messages round a ring. */
#ifndef DT_TESTS_RING_RUN_H
#define DT_TESTS_RING_RUN_H

#include <glib.h>

/** Four ranks, ten steps: MPI_Irecv from before, MPI_Isend behind, MPI_Waitall; MPI_Bcast in a communicator that was
 * made; at the end all send to rank 0, which receives from anybody. With `hangs` rank 2 stands still in its last
 * MPI_Recv. Without times rank r calls r functions more before the steps. */
void dt_write_ring_run(const char *path, gboolean hangs, gboolean timed);

#endif
