/* A persistent receive from anybody that gets something again and again: each rank but 0 sends and is answered ROUNDS
 * times. More outcomes than a call could have of its own; who is next is luck. */
#include <mpi.h>

enum { ROUNDS = 20, QUESTION = 3, ANSWER = 7 };

static void answer(int ranks)
{
    int number;
    MPI_Request request;
    MPI_Status status;
    MPI_Recv_init(&number, 1, MPI_INT, MPI_ANY_SOURCE, QUESTION, MPI_COMM_WORLD, &request);
    for (int i = 0; i < ROUNDS * (ranks - 1); i++) {
        MPI_Start(&request);
        MPI_Wait(&request, &status);
        MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
    }
    MPI_Request_free(&request);
}

static void ask(void)
{
    int number;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Send(&i, 1, MPI_INT, 0, QUESTION, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        answer(ranks);
    else
        ask();
    MPI_Finalize();
    return 0;
}
