/* kind: datatype-not-committed 4.1.9
 * set: open
 * ranks: 2
 * 0 none ends ends: parts of a committed type need not be committed; nor need a type that only its extent is asked of
 * 1 error fails fails proves: the type of a send is not committed
 * 2 error fails fails proves: the type of a broadcast is not committed on one rank
 */
#include <mpi.h>
#include <stdio.h>

static MPI_Datatype block_type(int commit)
{
    MPI_Datatype line, block;
    MPI_Aint lower, extent;
    MPI_Type_vector(2, 1, 2, MPI_INT, &line);
    MPI_Type_contiguous(3, line, &block);
    MPI_Type_get_extent(line, &lower, &extent);
    MPI_Type_free(&line);
    if (commit)
        MPI_Type_commit(&block);
    return block;
}

int main(int argc, char **argv)
{
    int rank, data[32] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype block = block_type(VARIANT == 0 || (VARIANT == 2 && rank == 0));
    if (VARIANT == 2)
        MPI_Bcast(data, 1, block, 0, MPI_COMM_WORLD); /* HERE 2 */
    else if (rank == 0)
        MPI_Send(data, 1, block, 1, 0, MPI_COMM_WORLD); /* HERE 1 */
    else
        MPI_Recv(data, 6, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&block);
    printf("%d\n", data[0]);
    MPI_Finalize();
    return 0;
}
