/* kind: thread-level 12.4
 * set: held-out-2
 * ranks: 2
 * flags: -pthread
 * 0 none ends ends: the helper works, the main thread sends
 * 1 error ends ends proves: the helper sends, though MPI_THREAD_FUNNELED was asked for
 * 2 none ends ends: the helper sends, with MPI_THREAD_MULTIPLE if that is given
 * 3 error ends ends proves: the helper sends, and MPI_Init was called
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, multiple;
static double value;

static void exchange(void)
{
    if (rank == 0)
        MPI_Send(&value, 1, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD); /* HERE */
    else
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
}

static void *help(void *unused)
{
    for (int i = 1; i < 1000; i++)
        value += 1.0 / i;
    if (VARIANT == 1 || VARIANT == 3 || (VARIANT == 2 && multiple))
        exchange();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t helper;
    int provided = MPI_THREAD_SINGLE;
    if (VARIANT == 3)
        MPI_Init(&argc, &argv);
    else
        MPI_Init_thread(&argc, &argv, VARIANT == 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
    multiple = provided == MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&helper, NULL, help, NULL);
    pthread_join(helper, NULL);
    if (VARIANT == 0 || (VARIANT == 2 && !multiple))
        exchange();
    printf("%g\n", value);
    MPI_Finalize();
    return 0;
}
