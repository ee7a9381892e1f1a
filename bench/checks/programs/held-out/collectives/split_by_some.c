/* kind: coll-missing-member 6.4.2
 * set: held-out
 * ranks: 4
 * 0 none ends ends: all split the world, those left out with MPI_UNDEFINED
 * 1 error hangs hangs proves: those left out do not call MPI_Comm_split
 * 2 none ends ends: MPI_Comm_create_group is called by the members alone
 * 3 error hangs hangs proves: MPI_Comm_create is called by the members alone
 */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm front_half(int rank, int size)
{
    MPI_Comm half = MPI_COMM_NULL;
    int member = rank < size / 2;
#if VARIANT >= 2
    MPI_Group all, front;
    int range[1][3] = {{0, size / 2 - 1, 1}};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, range, &front);
    if (member && VARIANT == 2)
        MPI_Comm_create_group(MPI_COMM_WORLD, front, 0, &half);
    else if (member)
        MPI_Comm_create(MPI_COMM_WORLD, front, &half); /* HERE 3 */
    MPI_Group_free(&front);
    MPI_Group_free(&all);
#else
    if (VARIANT == 0 || member)
        MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, rank, &half); /* HERE 1 */
#endif
    return half;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half = front_half(rank, size);
    if (half != MPI_COMM_NULL) {
        MPI_Barrier(half);
        MPI_Comm_free(&half);
    }
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
