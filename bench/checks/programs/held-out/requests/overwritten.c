/* kind: request-not-completed 3.7.3
 * set: held-out
 * ranks: 4
 * 0 none ends ends: an array of requests, one a neighbour
 * 1 error ends ends proves: one variable for the requests of all neighbours, and the wait behind the loop
 * 2 error ends ends proves: MPI_Waitall counts one request too few
 * 3 none ends ends: MPI_Waitany in a loop until all have completed, null requests among them
 */
#include <mpi.h>
#include <stdio.h>

static int receive_all(int rank, int size)
{
    int sum = 0;
    for (int i = 0; i < size; i++) {
        int got = 0;
        if (i != rank)
            MPI_Recv(&got, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += got;
    }
    return sum;
}

static int exchange(int *value, int rank, int size)
{
    MPI_Request requests[8];
    int posted = 0, sum;
    for (int i = 0; i < size; i++) {
        requests[posted] = MPI_REQUEST_NULL;
        if (i != rank)
            MPI_Isend(value, 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[posted]); /* HERE */
#if VARIANT != 1
        posted++;
#endif
    }
    sum = receive_all(rank, size);
#if VARIANT == 1
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#elif VARIANT == 2
    MPI_Waitall(posted - 1, requests, MPI_STATUSES_IGNORE);
#elif VARIANT == 3
    int which;
    do
        MPI_Waitany(posted, requests, &which, MPI_STATUS_IGNORE);
    while (which != MPI_UNDEFINED);
#else
    MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
#endif
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank;
    printf("%d\n", exchange(&value, rank, size));
    MPI_Finalize();
    return 0;
}
