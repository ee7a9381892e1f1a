/**
 * What difftrace asks of MPI, as the plugin of an MPI exports it. The program itself is linked with none: it loads the
 * plugin of the MPI that started it.
 */
#ifndef DT_PARALLEL_MPI_LINK_H
#define DT_PARALLEL_MPI_LINK_H

#include <stddef.h>

/** MPI_Init; the rank of this process and the number of ranks. 0, or MPI's error. */
int dt_mpi_join(int *rank, int *size);
/** MPI_Finalize. The process goes on alone. */
void dt_mpi_leave(void);
/** Bytes to another rank. Errors end the job, as MPI does it. */
void dt_mpi_send(int to, const void *data, size_t bytes);
/** The next bytes from a rank; free(). NULL: no memory. */
void *dt_mpi_receive(int from, size_t *bytes);

/** Their names and types, for dlsym(). */
#define DT_MPI_JOIN    "dt_mpi_join"
#define DT_MPI_LEAVE   "dt_mpi_leave"
#define DT_MPI_SEND    "dt_mpi_send"
#define DT_MPI_RECEIVE "dt_mpi_receive"
typedef int (*DtMpiJoin)(int *rank, int *size);
typedef void (*DtMpiLeave)(void);
typedef void (*DtMpiSend)(int to, const void *data, size_t bytes);
typedef void *(*DtMpiReceive)(int from, size_t *bytes);

#endif
