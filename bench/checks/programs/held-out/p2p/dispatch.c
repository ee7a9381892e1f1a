/* kind: p2p-datatype 3.3.1
 * set: held-out
 * ranks: 3
 * 0 none ends ends: tags tell the type of what comes, and the receiver heeds them
 * 1 error ends ends proves: names are received as ints
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 10, NAME = 11, DONE = 12 };

static void worker(int rank)
{
    int numbers[3] = {rank, rank * rank, 7};
    char name[12] = "worker";
    for (int round = 0; round < 4; round++) {
        if (round % 2 == 0)
            MPI_Send(numbers, 3, MPI_INT, 0, NUMBERS, MPI_COMM_WORLD);
        else
            MPI_Send(name, (int)strlen(name) + 1, MPI_CHAR, 0, NAME, MPI_COMM_WORLD); /* HERE */
    }
    MPI_Send(NULL, 0, MPI_INT, 0, DONE, MPI_COMM_WORLD);
}

static void master(int size)
{
    int numbers[8], working = size - 1;
    char name[12];
    while (working > 0) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == NAME && VARIANT == 0)
            MPI_Recv(name, 12, MPI_CHAR, status.MPI_SOURCE, NAME, MPI_COMM_WORLD, &status);
        else
            MPI_Recv(numbers, 8, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status); /* HERE */
        working -= status.MPI_TAG == DONE;
    }
    printf("%d %s\n", numbers[0], VARIANT == 0 ? name : "");
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master(size);
    else
        worker(rank);
    MPI_Finalize();
    return 0;
}
