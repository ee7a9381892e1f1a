/* kind: init-order 8.7
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: what may be called before MPI_Init and behind MPI_Finalize is called there
 * 1 error fails|crashes fails|crashes proves: the rank is asked for before MPI_Init
 * 2 error fails|crashes fails|crashes proves: a barrier behind MPI_Finalize
 * 3 error fails|crashes|ends fails|crashes|ends proves: MPI_Init twice
 */
#include <mpi.h>
#include <stdio.h>

static void start(int *argc, char ***argv)
{
    int version, subversion, flag, rank = -1;
    MPI_Get_version(&version, &subversion);
    MPI_Initialized(&flag);
    if (VARIANT == 1)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* HERE 1 */
    MPI_Init(argc, argv);
    if (VARIANT == 3)
        MPI_Init(argc, argv); /* HERE 3 */
}

static void stop(void)
{
    int flag;
    MPI_Finalize();
    MPI_Finalized(&flag);
    if (VARIANT == 2)
        MPI_Barrier(MPI_COMM_WORLD); /* HERE 2 */
    printf("%d\n", flag);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    stop();
    return 0;
}
