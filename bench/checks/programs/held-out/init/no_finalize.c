/* kind: finalize-missing 8.7
 * set: held-out
 * ranks: 2
 * 0 none ends ends: MPI_Finalize on every way out
 * 1 error fails|ends fails|ends proves: the way out for bad input forgets it, on all ranks
 * 2 error fails ends proves: one rank leaves without it
 * 3 none fails fails: the way out for bad input is MPI_Abort
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int check_input(int cells, int rank)
{
    if (cells > 0)
        return 0;
    if (rank == 0)
        fprintf(stderr, "no cells\n");
    return 1;
}

int main(int argc, char **argv)
{
    int rank, cells = VARIANT == 0 ? 4 : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&cells, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (check_input(cells, rank)) {
        if (VARIANT == 3)
            MPI_Abort(MPI_COMM_WORLD, 2);
        if (VARIANT != 2 || rank == 1)
            return 0; /* HERE */
    }
    printf("%d\n", cells);
    MPI_Finalize();
    return 0;
}
