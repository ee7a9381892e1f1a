/* kind: request-not-completed 3.7.3
 * set: held-out
 * ranks: 3
 * 0 none ends ends: a nonblocking sum is waited for after other work
 * 1 error ends ends proves: the nonblocking sum of the last step is not waited for
 */
#include <mpi.h>
#include <stdio.h>

static double residual(int step, int rank)
{
    return 1.0 / (step + rank + 1);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request = MPI_REQUEST_NULL;
    double mine, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 5; step++) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        mine = residual(step, rank);
        MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request); /* HERE */
    }
#if VARIANT == 0
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
