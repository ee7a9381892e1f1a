/* Square matrices. */
#include "cluster/matrix_classes.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

G_DEFINE_QUARK(dt_cluster_error, dt_cluster_error)

double *dt_values_new(gsize count)
{
    const gsize large = (gsize)64 << 20; /* the C library maps them one by one */
    double *values = g_new0(double, count);
    gsize bytes = count * sizeof *values;
    if (bytes >= large) {
        gsize page = (gsize)sysconf(_SC_PAGESIZE), before = (page - (gsize)values % page) % page;
        madvise((char *)values + before, bytes - page, MADV_HUGEPAGE);
    }
    return values;
}

static gsize matrix_cells(const DtMatrix *matrix)
{
    return (gsize)matrix->classes * matrix->classes;
}

/* Takes `of`. */
static DtMatrix *matrix_of_classes(guint n, guint classes, guint *of)
{
    DtMatrix *matrix = g_new(DtMatrix, 1);
    *matrix = (DtMatrix){n, classes, of, NULL};
    matrix->values = dt_values_new(matrix_cells(matrix));
    return matrix;
}

static guint *copy_classes(const DtMatrix *matrix)
{
    return g_memdup2(matrix->of, (gsize)matrix->n * sizeof *matrix->of);
}

DtMatrix *dt_matrix_new(guint n)
{
    return matrix_of_classes(n, n, NULL);
}

DtMatrix *dt_matrix_new_classes(guint n, guint classes, const guint *of)
{
    gsize bytes = (gsize)n * sizeof *of;
    return matrix_of_classes(n, classes, classes == n ? NULL : g_memdup2(of, bytes));
}

void dt_matrix_free(DtMatrix *matrix)
{
    if (matrix) {
        g_free(matrix->of);
        g_free(matrix->values);
        g_free(matrix);
    }
}

DtMatrix *dt_matrix_copy(const DtMatrix *matrix)
{
    DtMatrix *copy = matrix_of_classes(matrix->n, matrix->classes, copy_classes(matrix));
    if (matrix->classes > 0) {
        memcpy(copy->values, matrix->values, matrix_cells(matrix) * sizeof *copy->values);
    }
    return copy;
}

DtMatrix *dt_matrix_spread(DtMatrix *matrix, const guint *object_of, guint n)
{
    if (n == matrix->n)
        return matrix;
    guint *of = g_new(guint, n);
    for (guint i = 0; i < n; i++) {
        of[i] = dt_matrix_class(matrix, object_of[i]);
    }
    g_free(matrix->of);
    matrix->of = of;
    matrix->n = n;
    return matrix;
}

guint *dt_matrix_representatives(const DtMatrix *matrix)
{
    guint *first = g_new(guint, matrix->classes);
    for (guint i = matrix->n; i-- > 0;) {
        first[dt_matrix_class(matrix, i)] = i;
    }
    return first;
}

/* Objects of the same class in both are of one class, numbered by first member. Returns how many there are. */
static guint common_classes(const DtMatrix *a, const DtMatrix *b, guint *of)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    guint count = 0;
    for (guint i = 0; i < a->n; i++) {
        guint64 both = (guint64)dt_matrix_class(a, i) << 32 | dt_matrix_class(b, i);
        gpointer number = g_hash_table_lookup(known, &both);
        if (!number) {
            number = GUINT_TO_POINTER(++count);
            g_hash_table_insert(known, g_memdup2(&both, sizeof both), number);
        }
        of[i] = GPOINTER_TO_UINT(number) - 1;
    }
    return count;
}

DtMatrix *dt_matrix_difference(const DtMatrix *a, const DtMatrix *b)
{
    g_return_val_if_fail(a->n == b->n, NULL);
    g_autofree guint *of = g_new(guint, a->n);
    guint classes = !a->of || !b->of ? a->n : common_classes(a, b, of);
    DtMatrix *difference = dt_matrix_new_classes(a->n, classes, of);
    g_autofree guint *objects = dt_matrix_representatives(difference);
    for (guint i = 0; i < classes; i++) {
        const double *row_a = a->values + (gsize)dt_matrix_class(a, objects[i]) * a->classes;
        const double *row_b = b->values + (gsize)dt_matrix_class(b, objects[i]) * b->classes;
        double *row = difference->values + (gsize)i * classes;
        for (guint j = 0; j < classes; j++) {
            row[j] = fabs(row_a[dt_matrix_class(a, objects[j])] - row_b[dt_matrix_class(b, objects[j])]);
        }
    }
    return difference;
}

void dt_matrix_complement(DtMatrix *matrix)
{
    for (gsize i = 0; i < matrix_cells(matrix); i++) {
        matrix->values[i] = 1.0 - matrix->values[i];
    }
}
