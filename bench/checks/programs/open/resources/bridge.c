/* kind: comm-create 6.6.2
 * set: open
 * ranks: 4
 * 0 none ends ends: an intercommunicator of two halves, whose leaders name each other
 * 1 error hangs hangs proves: the leaders of the halves use different tags
 * 2 error hangs|fails hangs|fails proves: one half names a rank that is not the other's leader
 */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm connect(MPI_Comm half, int upper)
{
    MPI_Comm bridge;
    int tag = VARIANT == 1 ? 10 + upper : 10;
    int leader = upper ? 0 : (VARIANT == 2 ? 3 : 2);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, leader, tag, &bridge); /* HERE */
    return bridge;
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank >= 2, rank, &half);
    MPI_Comm bridge = connect(half, rank >= 2);
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, bridge);
    printf("%d: %d\n", rank, value);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
