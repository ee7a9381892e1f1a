/* kind: p2p-envelope 3.2.4
 * set: held-out
 * ranks: 2
 * 0 none ends ends: messages received in another order than they were sent, by their tags
 * 1 error hangs hangs proves: the receiver expects a tag that nobody sends
 * 2 error hangs hangs proves: the step is part of the tag, and one side counts from 1
 */
#include <mpi.h>
#include <stdio.h>

#define STEPS 4

static void source(void)
{
    MPI_Request requests[2 * STEPS];
    static double fields[2][STEPS];
    for (int i = 0; i < STEPS; i++) {
        MPI_Isend(&fields[0][i], 1, MPI_DOUBLE, 1, 10 + i, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(&fields[1][i], 1, MPI_DOUBLE, 1, 20 + i, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * STEPS, requests, MPI_STATUSES_IGNORE);
}

static void sink(void)
{
    double value;
    for (int i = 0; i < STEPS; i++) {
        int step = VARIANT == 2 ? i + 1 : i;
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, 20 + step, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 2 */
    }
    for (int i = STEPS - 1; i >= 0; i--)
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, (VARIANT == 1 ? 30 : 10) + i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* HERE 1 */
    printf("%g\n", value);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        source();
    else
        sink();
    MPI_Finalize();
    return 0;
}
