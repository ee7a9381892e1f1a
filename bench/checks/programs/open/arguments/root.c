/* kind: argument-rank 5.4
 * set: open
 * ranks: 4
 * 0 none ends ends: the root is the last of the communicator
 * 1 error fails fails proves: the root is counted from 1
 * 2 error fails fails proves: the root is a rank of the world, in a communicator of half of it
 */
#include <mpi.h>
#include <stdio.h>

static int announce(int value, MPI_Comm comm)
{
    int size, root;
    MPI_Comm_size(comm, &size);
    root = size - (VARIANT == 1 ? 0 : 1);
    if (VARIANT == 2)
        root = 3;
    MPI_Bcast(&value, 1, MPI_INT, root, comm); /* HERE */
    return value;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    printf("%d\n", announce(rank, half));
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
