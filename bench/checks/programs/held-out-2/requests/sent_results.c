/* kind: request-not-completed 3.7.3
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: results are taken as they come, by MPI_Waitsome
 * 1 error ends|hangs|fails ends|hangs|fails proves: the last sends are never waited for
 * 2 none ends ends: MPI_Testall until all are there
 * 3 error ends ends proves: each send's request is overwritten by that of the next
 */
#include <mpi.h>
#include <stdio.h>

#define RESULTS 6

static void work(int rank)
{
    static double results[RESULTS];
    MPI_Request requests[RESULTS];
    for (int i = 0; i < RESULTS; i++) {
        results[i] = rank + i;
        MPI_Isend(&results[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &requests[VARIANT == 3 ? 0 : i]); /* HERE */
    }
    if (VARIANT == 1)
        MPI_Waitall(RESULTS - 2, requests, MPI_STATUSES_IGNORE);
    else
        MPI_Waitall(VARIANT == 3 ? 1 : RESULTS, requests, MPI_STATUSES_IGNORE);
}

static double gather(int workers)
{
    double results[2 * RESULTS], sum = 0;
    MPI_Request requests[2 * RESULTS];
    int left = workers * RESULTS, done, which[2 * RESULTS], all = 0;
    for (int worker = 0; worker < workers; worker++)
        for (int i = 0; i < RESULTS; i++)
            MPI_Irecv(&results[worker * RESULTS + i], 1, MPI_DOUBLE, worker + 1, i, MPI_COMM_WORLD,
                      &requests[worker * RESULTS + i]);
    while (VARIANT == 2 && !all)
        MPI_Testall(workers * RESULTS, requests, &all, MPI_STATUSES_IGNORE);
    while (VARIANT != 2 && left > 0) {
        MPI_Waitsome(workers * RESULTS, requests, &done, which, MPI_STATUSES_IGNORE);
        left -= done;
    }
    for (int i = 0; i < workers * RESULTS; i++)
        sum += results[i];
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("%g\n", gather(size - 1));
    else
        work(rank);
    MPI_Finalize();
    return 0;
}
