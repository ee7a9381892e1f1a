/* kind: coll-order 5.13
 * set: open
 * ranks: 2
 * 0 none ends ends: barriers of the world and of its duplicate in one order
 * 1 error hangs hangs proves: rank 1 has them in the other order
 * 2 none ends ends: nonblocking barriers of the two in either order
 */
#include <mpi.h>
#include <stdio.h>

static void meet(MPI_Comm first, MPI_Comm second)
{
#if VARIANT == 2
    MPI_Request requests[2];
    MPI_Ibarrier(first, &requests[0]);
    MPI_Ibarrier(second, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#else
    MPI_Barrier(first); /* HERE */
    MPI_Barrier(second);
#endif
}

int main(int argc, char **argv)
{
    MPI_Comm twin;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    for (int i = 0; i < 3; i++) {
        if (VARIANT != 0 && rank == 1)
            meet(twin, MPI_COMM_WORLD);
        else
            meet(MPI_COMM_WORLD, twin);
    }
    MPI_Comm_free(&twin);
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
