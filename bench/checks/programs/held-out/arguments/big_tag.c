/* kind: argument-tag 3.2.3
 * set: held-out
 * ranks: 2
 * 0 none ends ends: tags up to the value of MPI_TAG_UB
 * 1 error fails fails proves: a tag below zero
 * 2 error fails fails proves: MPI_ANY_TAG in a send
 */
#include <mpi.h>
#include <stdio.h>

static int largest_tag(void)
{
    int found, *value;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
    return found ? *value : 32767;
}

int main(int argc, char **argv)
{
    int rank, got = 0, tag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tag = VARIANT == 1 ? -5 : VARIANT == 2 ? MPI_ANY_TAG : largest_tag();
    for (int i = 0; i < 2; i++) {
        if (rank == i)
            MPI_Send(&rank, 1, MPI_INT, 1 - i, tag, MPI_COMM_WORLD); /* HERE */
        else
            MPI_Recv(&got, 1, MPI_INT, i, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 1 */
    }
    printf("%d\n", got);
    MPI_Finalize();
    return 0;
}
