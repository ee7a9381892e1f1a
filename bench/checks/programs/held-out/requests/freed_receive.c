/* kind: request-freed 3.7.3
 * set: held-out
 * ranks: 2
 * 0 none ends ends: a send's request freed while active; that it has completed is known from the answer
 * 1 warning ends ends proves: a receive's request freed while active; nobody can know when its data are there
 * 2 none ends ends: a receive cancelled, and waited for
 * 3 error ends ends proves: a receive that matches nothing, its request freed and not cancelled
 */
#include <mpi.h>
#include <stdio.h>

static int ask(int question)
{
    int answer = 0;
    MPI_Request request;
#if VARIANT == 1
    MPI_Irecv(&answer, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request); /* HERE 1 */
    MPI_Send(&question, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
#else
    MPI_Isend(&question, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&answer, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
#endif
#if VARIANT == 2
    MPI_Irecv(&question, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#elif VARIANT == 3
    static int late;
    MPI_Irecv(&late, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* HERE 3 */
    MPI_Request_free(&request);                                   /* HERE 3 */
#endif
    return answer;
}

static void reply(void)
{
    int question;
    MPI_Recv(&question, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    question *= 2;
    MPI_Send(&question, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%d\n", ask(21));
    else
        reply();
    MPI_Finalize();
    return 0;
}
