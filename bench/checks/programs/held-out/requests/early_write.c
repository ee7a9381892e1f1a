/* kind: request-data 3.7.2
 * set: held-out
 * ranks: 2
 * 0 none ends ends: the buffer of a nonblocking send changes after the wait
 * 1 error ends ends nothing: the program writes into it before (no call tells so)
 * 2 error ends ends nothing: the program reads what a receive brings before the wait (no call tells so)
 */
#include <mpi.h>
#include <stdio.h>

#define N 20000

static double line[N], other[N];

static double sweep(int step, int rank)
{
    MPI_Request requests[2];
    MPI_Irecv(other, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(line, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    double first = 0;
#if VARIANT == 1
    for (int i = 0; i < N; i++)
        line[i] = step + i; /* HERE 1 */
#elif VARIANT == 2
    first = other[N - 1]; /* HERE 2 */
#endif
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++)
        line[i] = step + i;
    return first + other[0];
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += sweep(i, rank);
    printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
