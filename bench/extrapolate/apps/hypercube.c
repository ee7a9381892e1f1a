/* An allreduce by hand on a hypercube, by recursive doubling, and a scan of it: blocks that double at each stage. */
#include <mpi.h>
#include <stdlib.h>

enum { ROUNDS = 12, BLOCK = 16, MOST = 4096 };

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *own = calloc(MOST, sizeof *own), *other = calloc(MOST, sizeof *other);
    for (int round = 0; round < ROUNDS; round++) {
        for (int bit = 1; bit < ranks; bit *= 2)
            MPI_Sendrecv(own, BLOCK, MPI_DOUBLE, rank ^ bit, 7, other, BLOCK, MPI_DOUBLE, rank ^ bit, 7, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int bit = 1, count = 1; bit < ranks; bit *= 2, count *= 2) {
        if (rank & bit) {
            MPI_Recv(other, count, MPI_DOUBLE, rank ^ bit, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(own, count, MPI_DOUBLE, rank ^ bit, 9, MPI_COMM_WORLD);
        } else {
            MPI_Send(own, count, MPI_DOUBLE, rank ^ bit, 9, MPI_COMM_WORLD);
            MPI_Recv(other, count, MPI_DOUBLE, rank ^ bit, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    free(own);
    free(other);
    return 0;
}
