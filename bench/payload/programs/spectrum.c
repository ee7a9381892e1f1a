/* A transform of a matrix by rows, then, turned by everybody with everybody, by columns. */
#include "values.h"

enum { ROWS = 6, MOST_RANKS = 16, STEPS = 6 };

static double data[ROWS][ROWS * MOST_RANKS], out[ROWS * MOST_RANKS * ROWS], in[ROWS * MOST_RANKS * ROWS];

static void transform(int step)
{
    int n = ROWS * ranks;
    for (int i = 0; i < ROWS; i++)
        for (int span = 1; span < n; span *= 2)
            for (int j = 0; j + span < n; j += 2 * span) {
                double a = data[i][j],
                       b = data[i][j + span] * (fault_from("wrong_factor", step) && i == 2 ? 0.51 : 0.5);
                data[i][j] = a + b;
                data[i][j + span] = a - b;
            }
}

static void turn(int step)
{
    int block = ROWS * ROWS;
    for (int to = 0; to < ranks; to++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ROWS; j++) {
                int column = to * ROWS + (fault_now("wrong_index", step) && to == ranks - 1 ? i : j);
                out[to * block + j * ROWS + i] = data[i][column];
            }
    if (fault_now("unset_block", step))
        out[block + 1] = garbage;
    MPI_Alltoall(out, block, MPI_DOUBLE, in, block, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int from = 0; from < ranks; from++)
        for (int i = 0; i < ROWS; i++)
            memcpy(&data[i][from * ROWS],
                   &(fault_now("stale_block", step) && from == 1 ? out : in)[from * block + i * ROWS],
                   ROWS * sizeof(double));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS * ranks; j++)
            data[i][j] = (own_rank * ROWS + i) * 3 % 11 + j % 5;
    for (int step = 0; step < STEPS; step++) {
        transform(step);
        turn(step);
    }
    MPI_Finalize();
    return 0;
}
