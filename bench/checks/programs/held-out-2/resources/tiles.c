/* kind: use-after-free 4.1.9
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: the type of a row is freed once that of a tile is made of it
 * 1 error fails|crashes|ends fails|crashes|ends proves: a tile is sent with a copy of a handle that was freed
 * 2 error/bad-free fails|crashes|ends fails|crashes|ends proves: freed twice, by a copy of the handle
 * 3 none ends ends: freed while a send with it is under way
 * 4 error/datatype-not-committed fails|crashes|ends fails|crashes|ends proves: the tile is made and never committed
 */
#include <mpi.h>
#include <stdio.h>

#define WIDTH 8

static MPI_Datatype tile_type(void)
{
    MPI_Datatype row, tile;
    MPI_Type_contiguous(3, MPI_DOUBLE, &row);
    MPI_Type_create_hvector(3, 1, WIDTH * sizeof(double), row, &tile);
    MPI_Type_free(&row);
    if (VARIANT != 4)
        MPI_Type_commit(&tile);
    return tile;
}

int main(int argc, char **argv)
{
    double cells[WIDTH * WIDTH] = {0}, room[9];
    MPI_Datatype tile = MPI_DATATYPE_NULL, copy;
    MPI_Request request = MPI_REQUEST_NULL;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tile = tile_type();
    copy = tile;
    if (rank == 1)
        MPI_Irecv(room, 9, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    if (VARIANT == 1)
        MPI_Type_free(&tile);
    if (rank == 0)
        MPI_Isend(cells, 1, copy, 1, 0, MPI_COMM_WORLD, &request); /* HERE 1 4 */
    if (VARIANT != 1)
        MPI_Type_free(&tile);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (VARIANT == 2)
        MPI_Type_free(&copy); /* HERE 2 */
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
