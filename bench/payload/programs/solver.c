/* Conjugate gradients: a matrix by rows, vectors by blocks, each gathered whole; scalars are sums over all. */
#include "values.h"

enum { ROWS = 16, MOST_RANKS = 16, STEPS = 8 };

static double x[ROWS], r[ROWS], p[ROWS], q[ROWS], whole[ROWS * MOST_RANKS];

static double entry(int i, int j)
{
    return i == j ? 8 : i - j == 1 || j - i == 1 ? -2 : i - j == 4 || j - i == 4 ? -1 : 0;
}

static double dot(const double *a, const double *b)
{
    double own = 0, all = 0;
    for (int i = 0; i < ROWS; i++)
        own += a[i] * b[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void multiply(int step)
{
    MPI_Allgather(p, ROWS, MPI_DOUBLE, whole, ROWS, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < ROWS; i++) {
        int row = own_rank * ROWS + i, columns = fault_now("short_row", step) && i == 3 ? row : ROWS * ranks;
        q[i] = 0;
        for (int j = 0; j < columns; j++)
            q[i] += entry(row, j) * whole[j];
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int i = 0; i < ROWS; i++)
        p[i] = r[i] = 1 + (own_rank * ROWS + i) % 3;
    double rr = dot(r, r);
    for (int step = 0; step < STEPS; step++) {
        multiply(step);
        double alpha = rr / dot(p, fault_now("wrong_operand", step) ? r : q);
        for (int i = 0; i < ROWS; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * (fault_now("stale_vector", step) && i == 5 ? p[i] : q[i]);
        }
        double next = dot(r, r);
        for (int i = 0; i < ROWS; i++)
            p[i] = r[i] + next / rr * p[i];
        if (fault_now("unset_direction", step))
            p[ROWS - 1] = garbage;
        rr = next;
    }
    MPI_Finalize();
    return rr < 0;
}
