/* kind: init-order 8.7
 * set: held-out
 * ranks: 2
 * 0 none ends ends: MPI_Initialized and the version are asked before MPI_Init
 * 1 error fails|crashes fails|crashes proves: the rank is asked before MPI_Init
 * 2 error fails|crashes fails|crashes proves: MPI_Init is called twice
 */
#include <mpi.h>
#include <stdio.h>

static int begin(int *argc, char ***argv)
{
    int running = 0, version, sub, rank = 0;
    MPI_Get_version(&version, &sub);
#if VARIANT == 1
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* HERE 1 */
#endif
    MPI_Initialized(&running);
    if (!running)
        MPI_Init(argc, argv);
#if VARIANT == 2
    MPI_Init(argc, argv); /* HERE 2 */
#endif
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int main(int argc, char **argv)
{
    printf("%d\n", begin(&argc, &argv));
    MPI_Finalize();
    return 0;
}
