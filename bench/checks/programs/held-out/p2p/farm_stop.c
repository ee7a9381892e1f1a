/* kind: p2p-lost 3.5
 * set: held-out
 * ranks: 4
 * 0 none ends ends: a farm that stops every worker once, by an empty message with a tag of its own
 * 1 error ends ends proves: the stop is sent twice to the workers that come last
 * 2 error ends ends proves: workers report that they end, and nobody listens
 */
#include <mpi.h>
#include <stdio.h>

enum { WORK = 1, STOP = 2, RESULT = 3, GOODBYE = 4 };

static void master(int size, int tasks)
{
    int sent = 0, result, sum = 0;
    MPI_Status status;
    for (int rank = 1; rank < size; rank++, sent++)
        MPI_Send(&sent, 1, MPI_INT, rank, WORK, MPI_COMM_WORLD);
    for (int done = 0; done < tasks; done++) {
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        sum += result;
        if (sent < tasks)
            MPI_Send(&sent, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
        else if (VARIANT == 1)
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
        sent++;
    }
    for (int rank = 1; rank < size; rank++)
        MPI_Send(NULL, 0, MPI_INT, rank, STOP, MPI_COMM_WORLD); /* HERE 1 */
    printf("%d\n", sum);
}

static void worker(void)
{
    MPI_Status status;
    int task = 0;
    for (;;) {
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            break;
        task *= task;
        MPI_Send(&task, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
    if (VARIANT == 2)
        MPI_Send(&task, 1, MPI_INT, 0, GOODBYE, MPI_COMM_WORLD); /* HERE 2 */
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master(size, 10);
    else
        worker();
    MPI_Finalize();
    return 0;
}
