/* kind: openmp-critical OpenMP
 * set: held-out
 * ranks: 2
 * flags: -fopenmp
 * 0 none ends ends: the receive is in a critical region that no other thread needs meanwhile
 * 1 error hangs hangs proves: the receive is in the critical region that the thread that sends needs
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static int talk(int thread, int rank)
{
    int value = 0;
    if (thread == 0) {
#pragma omp critical(receive)
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    } else {
        usleep(200000);
#if VARIANT == 1
#pragma omp critical(receive) /* HERE */
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
#else
#pragma omp critical(send)
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
#endif
    }
    return value;
}

int main(int argc, char **argv)
{
    int rank, provided, sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += talk(omp_get_thread_num(), rank);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
