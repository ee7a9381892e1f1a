/* kind: coll-signature 5.5
 * set: open
 * ranks: 4
 * 0 none ends ends: lines of one length gathered; the receive count is that of one rank
 * 1 error ends ends proves: the root gives the total as the receive count
 * 2 error fails|ends fails|ends proves: lines of different lengths, the root has room for short ones
 * 3 none ends ends: receive arguments that are significant at the root only are nonsense elsewhere
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE 16

static void collect(const char *line, int rank, int size)
{
    int count = LINE, mine = VARIANT == 2 ? LINE + 4 * rank : LINE;
    char *all = rank == 0 ? malloc((size_t)(size * size * LINE)) : NULL;
    if (VARIANT == 1)
        count = LINE * size;
    if (VARIANT == 3 && rank != 0)
        MPI_Gather(line, mine, MPI_CHAR, NULL, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(line, mine, MPI_CHAR, all, count, MPI_CHAR, 0, MPI_COMM_WORLD); /* HERE */
    if (rank == 0)
        printf("%.16s\n", all + LINE);
    free(all);
}

int main(int argc, char **argv)
{
    char line[2 * LINE];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(line, sizeof line, "line of rank %d", rank);
    collect(line, rank, size);
    MPI_Finalize();
    return 0;
}
