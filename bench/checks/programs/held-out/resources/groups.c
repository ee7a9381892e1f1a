/* kind: object-leak 6.3.2
 * set: held-out
 * ranks: 3
 * 0 none ends ends: groups freed after the communicator is made
 * 1 warning ends ends proves: the group of the communicator is not freed
 * 2 warning ends ends proves: none of the groups made in a loop is freed
 */
#include <mpi.h>
#include <stdio.h>

static int others_of(int rank)
{
    MPI_Group all, others;
    int count;
    MPI_Comm_group(MPI_COMM_WORLD, &all);   /* HERE 1 2 */
    MPI_Group_excl(all, 1, &rank, &others); /* HERE 2 */
    MPI_Group_size(others, &count);
    if (VARIANT != 2)
        MPI_Group_free(&others);
    if (VARIANT == 0)
        MPI_Group_free(&all);
    return count;
}

int main(int argc, char **argv)
{
    int size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int rank = 0; rank < size; rank++)
        sum += others_of(rank);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
