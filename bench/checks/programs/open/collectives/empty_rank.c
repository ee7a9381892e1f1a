/* kind: coll-missing-member 5.13
 * set: open
 * ranks: 4
 * 0 none ends ends: ranks without work take part in the sum with a zero
 * 1 error hangs hangs proves: ranks without work skip the sum
 * 2 none ends ends: ranks without work are in no communicator of those that sum
 */
#include <mpi.h>
#include <stdio.h>

static int share(int rank, int tasks)
{
    return rank < tasks ? 10 * rank : 0;
}

int main(int argc, char **argv)
{
    int rank, sum = 0, tasks = 3;
    MPI_Comm workers;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = share(rank, tasks);
#if VARIANT == 2
    MPI_Comm_split(MPI_COMM_WORLD, rank < tasks ? 1 : MPI_UNDEFINED, 0, &workers);
    if (workers != MPI_COMM_NULL) {
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, workers);
        MPI_Comm_free(&workers);
    }
#else
    workers = MPI_COMM_WORLD;
    if (VARIANT == 0 || rank < tasks)
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, workers); /* HERE */
#endif
    printf("%d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
