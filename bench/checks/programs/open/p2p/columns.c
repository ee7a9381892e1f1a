/* kind: p2p-datatype 3.3.1
 * set: open
 * ranks: 2
 * 0 none ends ends: a column of a matrix sent as a vector type, received as contiguous doubles
 * 1 error ends ends proves: received as ints with room enough
 * 2 none ends ends: sent as doubles, received through an indexed type, in two calls of other counts
 * 3 error ends ends proves: the struct sent begins with a double, that received with two ints
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#define N 6

struct cell {
    double mass;
    int kind, level;
};

static MPI_Datatype column_type(void)
{
    MPI_Datatype type;
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype cell_type(int mass_first)
{
    int lengths[2] = {1, 2};
    MPI_Aint places[2] = {offsetof(struct cell, mass), offsetof(struct cell, kind)};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT}, type;
    if (!mass_first) {
        lengths[0] = 2, lengths[1] = 1;
        places[0] = places[1], places[1] = 0;
        parts[0] = MPI_INT, parts[1] = MPI_DOUBLE;
    }
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

static void exchange_column(double (*a)[N], int rank)
{
    MPI_Datatype column = column_type(), rows = MPI_DATATYPE_NULL;
    int lengths[2] = {2, 4}, places[2] = {0, 8}, whole[2 * N] = {0};
    MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &rows);
    MPI_Type_commit(&rows);
    if (rank == 0)
        MPI_Send(&a[0][1], 1, column, 1, 0, MPI_COMM_WORLD); /* HERE 1 */
    else if (VARIANT == 1)
        MPI_Recv(whole, 2 * N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 1 */
    else if (VARIANT == 2)
        MPI_Recv(a, 1, rows, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Recv(a[0], N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Type_free(&rows);
}

static void exchange_cells(int rank)
{
    struct cell cells[4] = {{1, 2, 3}};
    MPI_Datatype type = cell_type(VARIANT != 3 || rank == 0);
    if (rank == 0)
        MPI_Ssend(cells, 4, type, 1, 1, MPI_COMM_WORLD); /* HERE 3 */
    else
        MPI_Recv(cells, 4, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 3 */
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    double a[N][N] = {{0}};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange_column(a, rank);
    exchange_cells(rank);
    MPI_Finalize();
    return 0;
}
