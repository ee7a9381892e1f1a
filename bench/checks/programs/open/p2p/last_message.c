/* kind: p2p-lost 3.5
 * set: open
 * ranks: 2
 * 0 none ends ends: as many messages received as sent
 * 1 error ends ends proves: the loop of the sender makes one step more than that of the receiver
 * 2 error ends ends proves: a buffered send that nobody receives
 */
#include <mpi.h>
#include <stdio.h>

#define STEPS 5

static void producer(void)
{
    for (int i = 0; i < STEPS + (VARIANT == 1); i++) {
        double value = i * 0.5;
        MPI_Send(&value, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD); /* HERE 1 */
    }
#if VARIANT == 2
    static char room[MPI_BSEND_OVERHEAD + 64];
    int farewell = -1, size = sizeof room;
    void *old;
    MPI_Buffer_attach(room, size);
    MPI_Bsend(&farewell, 1, MPI_INT, 1, 8, MPI_COMM_WORLD); /* HERE 2 */
    MPI_Buffer_detach(&old, &size);
#endif
}

static void consumer(void)
{
    double value, sum = 0;
    for (int i = 0; i < STEPS; i++) {
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    printf("%g\n", sum);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        producer();
    else
        consumer();
    MPI_Finalize();
    return 0;
}
