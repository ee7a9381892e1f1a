/* The link between the ranks of an MPI job: a plugin, compiled by that MPI's own compiler wrapper. */
#include "link.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

/* MPI counts in int. */
static const size_t most = (size_t)1 << 30;

int dt_mpi_join(int *rank, int *size)
{
    int error = MPI_Init(NULL, NULL);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return error == MPI_SUCCESS ? MPI_Comm_size(MPI_COMM_WORLD, size) : error;
}

void dt_mpi_leave(void)
{
    MPI_Finalize();
}

void dt_mpi_send(int to, const void *data, size_t bytes)
{
    uint64_t length = bytes;
    MPI_Send(&length, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
    for (size_t sent = 0; sent < bytes; sent += most)
        MPI_Send((const char *)data + sent, (int)(bytes - sent < most ? bytes - sent : most), MPI_BYTE, to, 0,
                 MPI_COMM_WORLD);
}

void *dt_mpi_receive(int from, size_t *bytes)
{
    uint64_t length = 0;
    MPI_Recv(&length, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char *data = malloc(length + 1);
    for (size_t got = 0; data && got < length; got += most)
        MPI_Recv(data + got, (int)(length - got < most ? length - got : most), MPI_BYTE, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    *bytes = length;
    return data;
}
