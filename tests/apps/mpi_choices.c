/* What may go one way or another, made to go a certain way: the message of rank FIRST, 1 or 2, comes first, and with
 * "held" a thread of rank 0 asks for a lock that another one has. Three ranks. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CHOSEN = 1, COMPLETED = 2, GO_ON = 9 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    if (pthread_mutex_trylock(&lock) == 0) /* worker */
        pthread_mutex_unlock(&lock);
    return unused;
}

static void use_lock(int held)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    if (!held)
        pthread_mutex_unlock(&lock);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    if (held)
        pthread_mutex_unlock(&lock);
}

static void receive(int other)
{
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, CHOSEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* anybody */
    MPI_Send(&value, 1, MPI_INT, other, GO_ON, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, other, CHOSEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void choose(int other)
{
    int values[2] = {0}, which = 0;
    MPI_Request requests[2];
    MPI_Irecv(&values[0], 1, MPI_INT, 1, COMPLETED, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, 2, COMPLETED, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE); /* first */
    MPI_Send(&which, 1, MPI_INT, other, GO_ON, MPI_COMM_WORLD);
    MPI_Wait(&requests[1 - which], MPI_STATUS_IGNORE);
}

static void send(int rank, int first, int tag)
{
    int value = 0;
    if (rank != first)
        MPI_Recv(&value, 1, MPI_INT, 0, GO_ON, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const int first = argc > 1 ? atoi(argv[1]) : 1;
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        use_lock(argc > 2 && strcmp(argv[2], "held") == 0);
        receive(3 - first);
        choose(3 - first);
    } else {
        send(rank, first, CHOSEN);
        send(rank, first, COMPLETED);
    }
    MPI_Finalize();
    return 0;
}
