/* kind: p2p-datatype 3.3.1
 * set: open
 * ranks: 3
 * 0 none ends ends: ghost cells of doubles from both neighbours, null processes at the ends
 * 1 error ends ends proves: the left ghost cell is received as a pair of floats
 */
#include <mpi.h>
#include <stdio.h>

#define CELLS 16

static void exchange(double *u, int left, int right)
{
    MPI_Comm world = MPI_COMM_WORLD;
#if VARIANT == 1
    MPI_Sendrecv(&u[CELLS], 1, MPI_DOUBLE, right, 1, &u[0], 2, MPI_FLOAT, left, 1, world, MPI_STATUS_IGNORE); /* HERE */
#else
    MPI_Sendrecv(&u[CELLS], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, world, MPI_STATUS_IGNORE);
#endif
    MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 2, &u[CELLS + 1], 1, MPI_DOUBLE, right, 2, world, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    double u[CELLS + 2] = {0}, next[CELLS + 2] = {0};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    u[1] = rank == 0;
    for (int step = 0; step < 10; step++) {
        exchange(u, rank > 0 ? rank - 1 : MPI_PROC_NULL, rank < size - 1 ? rank + 1 : MPI_PROC_NULL);
        for (int i = 1; i <= CELLS; i++)
            next[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        for (int i = 1; i <= CELLS; i++)
            u[i] = next[i];
    }
    if (rank == 0)
        printf("%g\n", u[1]);
    MPI_Finalize();
    return 0;
}
