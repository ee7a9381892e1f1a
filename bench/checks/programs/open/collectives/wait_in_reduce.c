/* kind: coll-and-p2p 5.13
 * set: open
 * ranks: 3
 * 0 none ends ends: everybody ends its messages, then takes part in the sum
 * 1 error hangs hangs proves: rank 0 takes part in the sum before it serves the last request
 */
#include <mpi.h>
#include <stdio.h>

static void serve(int size)
{
    int question;
    for (int i = 1; i < size; i++) {
        MPI_Recv(&question, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        question++;
        MPI_Ssend(&question, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
    }
}

static int ask(int rank)
{
    int answer = 0;
    MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* HERE */
    MPI_Recv(&answer, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return answer;
}

int main(int argc, char **argv)
{
    int rank, size, mine = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0 && VARIANT == 0)
        serve(size);
    else if (rank != 0)
        mine = ask(rank);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* HERE */
    if (rank == 0 && VARIANT == 1)
        serve(size);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
