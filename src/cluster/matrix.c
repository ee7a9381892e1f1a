/* Square matrices. */
#include "cluster/cluster.h"

#include <math.h>

G_DEFINE_QUARK(dt - cluster - error - quark, dt_cluster_error)

static gsize matrix_cells(const DtMatrix *matrix)
{
    return (gsize)matrix->n * matrix->n;
}

DtMatrix *dt_matrix_new(guint n)
{
    DtMatrix *matrix = g_new(DtMatrix, 1);
    matrix->n = n;
    matrix->values = g_new0(double, matrix_cells(matrix));
    return matrix;
}

void dt_matrix_free(DtMatrix *matrix)
{
    if (matrix != NULL) {
        g_free(matrix->values);
        g_free(matrix);
    }
}

DtMatrix *dt_matrix_difference(const DtMatrix *a, const DtMatrix *b)
{
    g_return_val_if_fail(a->n == b->n, NULL);
    DtMatrix *difference = dt_matrix_new(a->n);
    for (gsize i = 0; i < matrix_cells(a); i++) {
        difference->values[i] = fabs(a->values[i] - b->values[i]);
    }
    return difference;
}

DtMatrix *dt_matrix_complement(const DtMatrix *matrix)
{
    DtMatrix *complement = dt_matrix_new(matrix->n);
    for (gsize i = 0; i < matrix_cells(matrix); i++) {
        complement->values[i] = 1.0 - matrix->values[i];
    }
    return complement;
}
