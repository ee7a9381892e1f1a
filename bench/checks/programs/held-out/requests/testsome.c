/* kind: request-not-completed 3.7.3
 * set: held-out
 * ranks: 3
 * 0 none ends ends: MPI_Testsome until MPI_UNDEFINED
 * 1 error ends ends proves: the loop ends as soon as the first few have completed
 * 2 none ends ends: MPI_Waitsome, then what is left by MPI_Waitall
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define EACH 3

static int drain(MPI_Request *requests, int count)
{
    int done = 0, which[16], total = 0;
#if VARIANT == 0
    do {
        MPI_Testsome(count, requests, &done, which, MPI_STATUSES_IGNORE);
        total += done > 0 ? done : 0;
    } while (done != MPI_UNDEFINED);
#else
    MPI_Waitsome(count, requests, &done, which, MPI_STATUSES_IGNORE);
    total = done;
    if (VARIANT == 2)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
#endif
    return total;
}

int main(int argc, char **argv)
{
    int rank, size, values[16], count = 0;
    MPI_Request requests[16];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < EACH * (size - 1); i++, count++)
            MPI_Irecv(&values[i], 1, MPI_INT, 1 + i / EACH, i % EACH, MPI_COMM_WORLD, &requests[i]); /* HERE */
        printf("%d\n", drain(requests, count));
    } else {
        for (int i = 0; i < EACH; i++) {
            usleep(rank == 2 ? 200000 : 0);
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
