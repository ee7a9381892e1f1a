/* kind: argument-topology 7.5.4
 * set: open
 * ranks: 3
 * 0 none ends ends: each rank names its neighbours, and the neighbours name it
 * 1 error hangs hangs proves: a rank names a source that does not name it as a
 * destination
 */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm make_graph(int rank, int size)
{
    MPI_Comm graph;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int sources[2] = {left, right}, count = VARIANT == 1 && rank == 2 ? 2 : 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, sources, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, /* HERE */
                                   MPI_INFO_NULL, 0, &graph);
    return graph;
}

int main(int argc, char **argv)
{
    int rank, size, got[2] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm graph = make_graph(rank, size);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph); /* HERE */
    MPI_Comm_free(&graph);
    printf("%d\n", got[0]);
    MPI_Finalize();
    return 0;
}
