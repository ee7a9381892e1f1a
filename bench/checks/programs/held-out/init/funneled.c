/* kind: thread-level 12.4
 * set: held-out
 * ranks: 2
 * flags: -fopenmp
 * 0 none ends ends: MPI_THREAD_FUNNELED, and the main thread alone makes calls
 * 1 error ends ends proves: any thread makes them
 * 2 none ends ends: any thread makes them, one at a time, with MPI_THREAD_SERIALIZED
 * 3 error ends crashes suggests: more than one at a time with
 * MPI_THREAD_SERIALIZED
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static int exchange(int rank, int thread)
{
    int got = 0;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, thread, &got, 1, MPI_INT, 1 - rank, thread, world,
                 MPI_STATUS_IGNORE); /* HERE */
    return got;
}

int main(int argc, char **argv)
{
    int rank, provided, sum = 0, wanted = VARIANT >= 2 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 5; i++) {
#if VARIANT == 0
#pragma omp master
        sum += exchange(rank, 0);
#pragma omp barrier
#elif VARIANT == 1
        if (omp_get_thread_num() == i % 2)
            sum += exchange(rank, i);
#pragma omp barrier
#elif VARIANT == 2
        if (omp_get_thread_num() == i % 2)
            sum += exchange(rank, i);
#pragma omp barrier
#else
        int got = exchange(rank, omp_get_thread_num());
#pragma omp atomic
        sum += got;
#endif
    }
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
