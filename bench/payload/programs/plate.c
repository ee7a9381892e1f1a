/* A plate in a grid of ranks: rows are sent as they lie, columns by a vector type. The time that it took varies. */
#include "values.h"

enum { SIDE = 12, WIDTH = SIDE + 2, STEPS = 10 };

static double plate[WIDTH][WIDTH], next[WIDTH][WIDTH];
static MPI_Datatype column;

static void exchange(MPI_Comm grid, int step)
{
    int up, down, left, right;
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    int last = fault_from("wrong_row", step) ? SIDE - 1 : SIDE;
    MPI_Sendrecv(&plate[last][1], SIDE, MPI_DOUBLE, down, 1, &plate[0][1], SIDE, MPI_DOUBLE, up, 1, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&plate[1][1], SIDE, MPI_DOUBLE, up, 2, &plate[SIDE + 1][1], SIDE, MPI_DOUBLE, down, 2, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&plate[1][SIDE], 1, column, right, 3, &plate[1][0], 1, column, left, 3, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&plate[1][1], 1, column, left, 4, &plate[1][SIDE + 1], 1, column, right, 4, grid, MPI_STATUS_IGNORE);
    if (fault_now("stale_column", step))
        for (int i = 1; i <= SIDE; i++)
            plate[i][0] = next[i][1];
}

static void update(int step)
{
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++) {
            double sum = plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1];
            next[i][j] = fault_from("wrong_sign", step) && i == 1 && j == 1 ? 0.2 * (plate[i][j] - sum)
                                                                            : 0.2 * (plate[i][j] + sum);
        }
    if (fault_now("unset_point", step))
        next[1][SIDE] = garbage;
    memcpy(plate, next, sizeof plate);
}

int main(int argc, char **argv)
{
    int dims[2] = {0, 0}, periods[2] = {1, 1};
    double sum = 0, longest = 0;
    MPI_Comm grid;
    begin(&argc, &argv);
    double start = MPI_Wtime();
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Type_vector(SIDE, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < WIDTH; i++)
        for (int j = 0; j < WIDTH; j++)
            plate[i][j] = own_rank + i * j % 5;
    for (int step = 0; step < STEPS; step++) {
        exchange(grid, step);
        update(step);
    }
    MPI_Reduce(&plate[SIDE / 2][SIDE / 2], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
    double took = MPI_Wtime() - start;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return longest < 0;
}
