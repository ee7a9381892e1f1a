/* kind: init-order 8.7
 * set: open
 * ranks: 2
 * 0 none ends ends: MPI_Finalized is asked at exit
 * 1 error fails|crashes fails|crashes proves: a communicator is freed after MPI_Finalize
 * 2 error fails|crashes fails|crashes proves: MPI_Finalize is called twice
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm own = MPI_COMM_NULL;

static void close_library(void)
{
    int over = 0;
    MPI_Finalized(&over);
    if (own != MPI_COMM_NULL && (!over || VARIANT == 1))
        MPI_Comm_free(&own); /* HERE 1 */
    if (VARIANT == 2)
        MPI_Finalize(); /* HERE 2 */
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_rank(own, &rank);
    printf("%d\n", rank);
    if (VARIANT != 1)
        MPI_Comm_free(&own);
    MPI_Finalize();
    close_library();
    return 0;
}
