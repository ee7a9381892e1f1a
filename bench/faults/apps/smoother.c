/* The smoother library of the multigrid, in two versions: see smoother.h. */
#include "smoother.h"
#include <math.h>

static void relax_cells(double *values, const double *right, int cells, int first, int stride)
{
    for (int i = first; i + 1 < cells; i += stride)
        values[i] = 0.5 * (values[i - 1] + values[i + 1] + right[i]);
}

#ifdef SMOOTHER_OLD
void smoother_relax(double *values, const double *right, int cells)
{
    relax_cells(values, right, cells, 1, 1);
}
#else
void smoother_relax(double *values, const double *right, int cells)
{
    relax_cells(values, right, cells, 1, 2);
    relax_cells(values, right, cells, 2, 2);
}
#endif

double smoother_norm(const double *values, int cells)
{
    double sum = 0;
    for (int i = 0; i < cells; i++)
        sum += values[i] * values[i];
    return sqrt(sum);
}
