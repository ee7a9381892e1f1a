/* kind: coll-mixed 5.12
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: all start a barrier, work, and wait for it
 * 1 error ends|hangs|fails ends|hangs|fails proves: one calls the blocking barrier meanwhile
 * 2 none ends ends: two broadcasts are under way, and waited for in another order than they were started
 * 3 error ends|hangs|fails|crashes ends|hangs|fails|crashes proves: one starts the two broadcasts in another order
 */
#include <mpi.h>
#include <stdio.h>

static void meet(int rank)
{
    MPI_Request request;
    if (VARIANT == 1 && rank == 1) {
        MPI_Barrier(MPI_COMM_WORLD); /* HERE 1 */
        return;
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* HERE 1 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void tell(int rank)
{
    double small[4] = {rank}, large[400] = {rank};
    MPI_Request requests[2];
    int swapped = VARIANT == 3 && rank == 2;
    for (int i = 0; i < 2; i++) {
        if (i == swapped)
            MPI_Ibcast(small, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD, &requests[0]); /* HERE 3 */
        else
            MPI_Ibcast(large, 400, MPI_DOUBLE, 0, MPI_COMM_WORLD, &requests[1]); /* HERE 3 */
    }
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    printf("%g\n", small[0] + large[399]);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 3; step++)
        meet(rank);
    if (VARIANT >= 2)
        tell(rank);
    MPI_Finalize();
    return 0;
}
