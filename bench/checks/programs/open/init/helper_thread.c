/* kind: thread-level 12.4
 * set: open
 * ranks: 2
 * flags: -pthread
 * 0 none ends ends: MPI_THREAD_MULTIPLE is given, and a helper thread receives
 * 1 error ends ends proves: a helper thread receives after a plain MPI_Init
 * 2 none ends ends: plain MPI_Init, and a helper thread that makes no call of MPI
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static void *listen(void *sum)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        if (VARIANT != 2)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
        *(int *)sum += value;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided = MPI_THREAD_SINGLE, sum = 0;
    pthread_t thread;
    if (VARIANT == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, listen, &sum);
    for (int i = 0; i < 4 && VARIANT != 2; i++)
        MPI_Send(&i, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
