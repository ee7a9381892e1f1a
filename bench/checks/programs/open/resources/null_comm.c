/* kind: comm-null 6.4.2
 * set: open
 * ranks: 3
 * 0 none ends ends: ranks that are in no part look at what they got
 * 1 error fails fails proves: ranks that are in no part use the null communicator
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Comm part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &part);
    if (part != MPI_COMM_NULL || VARIANT == 1) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part); /* HERE */
        MPI_Comm_free(&part);
    }
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
