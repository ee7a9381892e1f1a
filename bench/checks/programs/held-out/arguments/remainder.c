/* kind: argument-count 3.2.2
 * set: held-out
 * ranks: 3
 * 0 none ends ends: what is left over for the last rank may be nothing: count 0 and a null buffer
 * 1 error fails fails proves: what is left over is negative
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 8

static int part_of(int rank, int size)
{
    int each = CELLS / size + (VARIANT == 1 ? 3 : 2);
    int left = CELLS - rank * each;
    if (VARIANT == 0 && left < 0)
        left = 0;
    return left < each ? left : each;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int mine = part_of(rank, size);
    double *part = mine > 0 ? calloc((size_t)mine, sizeof *part) : NULL;
    double all[CELLS];
    if (rank != 0)
        MPI_Send(part, mine, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); /* HERE */
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Recv(all, part_of(i, size) < 0 ? 0 : part_of(i, size), MPI_DOUBLE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(part);
    printf("%d\n", mine);
    MPI_Finalize();
    return 0;
}
