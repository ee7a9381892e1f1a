/* kind: p2p-deadlock 3.5
 * set: held-out
 * ranks: 3
 * 0 none ends ends: round the circle; rank 0 sends first, the others receive first
 * 1 error hangs hangs proves: everybody receives from the left first
 * 2 error hangs hangs proves: everybody probes for the left's message before sending
 */
#include <mpi.h>
#include <stdio.h>

static int from_left(int left)
{
    int token = 0;
    MPI_Status status;
#if VARIANT == 2
    MPI_Probe(left, 1, MPI_COMM_WORLD, &status); /* HERE 2 */
#endif
    MPI_Recv(&token, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status); /* HERE 1 */
    return token;
}

static int circle(int token, int rank, int size)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    if (rank == 0 && VARIANT == 0) {
        MPI_Ssend(&token, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
        return from_left(left);
    }
    token += from_left(left);
    MPI_Ssend(&token, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    return token;
}

int main(int argc, char **argv)
{
    int rank, size, token = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int turn = 0; turn < 3; turn++)
        token = circle(token, rank, size);
    printf("%d: %d\n", rank, token);
    MPI_Finalize();
    return 0;
}
