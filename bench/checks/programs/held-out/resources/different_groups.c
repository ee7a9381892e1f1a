/* kind: comm-create 6.4.2
 * set: held-out
 * ranks: 4
 * 0 none ends ends: MPI_Comm_create with disjoint groups
 * 1 error hangs|fails|ends|crashes hangs proves: the groups overlap and are not equal
 */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm neighbours(int rank, int size)
{
    MPI_Group all, few;
    MPI_Comm comm;
    int first = VARIANT == 1 ? rank : rank / 2 * 2;
    int members[2] = {first % size, (first + 1) % size};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, members, &few);
    MPI_Comm_create(MPI_COMM_WORLD, few, &comm); /* HERE */
    MPI_Group_free(&few);
    MPI_Group_free(&all);
    return comm;
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm = neighbours(rank, size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
