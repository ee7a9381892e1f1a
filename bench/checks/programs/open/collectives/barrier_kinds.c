/* kind: coll-mixed 5.12
 * set: open
 * ranks: 2
 * 0 none ends ends: MPI_Ibarrier as a sign that all have sent, tested between probes
 * 1 error hangs hangs proves: one rank calls MPI_Barrier instead
 * 2 error ends ends proves: nonblocking collectives are started in another
 * order
 */
#include <mpi.h>
#include <stdio.h>

static int wait_for_all(int rank)
{
    int done = 0, flag, seen = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (VARIANT == 1 && rank == 1)
        MPI_Barrier(MPI_COMM_WORLD); /* HERE 1 */
    else
        MPI_Ibarrier(MPI_COMM_WORLD, &request); /* HERE 1 */
    while (!done) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        seen += flag;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    return seen;
}

static void two(int rank)
{
    int value = rank, sum = 0, table[2] = {0};
    MPI_Request requests[2];
    if (VARIANT == 2 && rank == 1) {
        MPI_Iallgather(&value, 1, MPI_INT, table, 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]); /* HERE 2 */
    } else {
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]); /* HERE 2 */
        MPI_Iallgather(&value, 1, MPI_INT, table, 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    two(rank);
    printf("%d\n", wait_for_all(rank));
    MPI_Finalize();
    return 0;
}
