/* kind: argument-tag 3.2.3
 * set: open
 * ranks: 2
 * 0 none ends ends: the tag counts steps, modulo a number that every MPI has
 * 1 error fails fails proves: the tag is a hash that may be negative
 */
#include <mpi.h>
#include <stdio.h>

static int tag_of(int step)
{
    int hash = (int)((unsigned)step * 2654435761u);
    return VARIANT == 1 ? hash : step % 32768;
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 4; step++) {
        if (rank == step % 2)
            MPI_Send(&step, 1, MPI_INT, 1 - rank, tag_of(step), MPI_COMM_WORLD); /* HERE */
        else
            MPI_Recv(&value, 1, MPI_INT, 1 - rank, tag_of(step), MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    }
    printf("%d\n", value);
    MPI_Finalize();
    return 0;
}
