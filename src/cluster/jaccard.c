/* Jaccard similarity of all pairs of objects, over their attribute sets as bits. */
#include <omp.h>

#include "cluster/common_counts.h"
#include "cluster/matrix_classes.h"

static double jaccard(guint64 common, guint64 size_a, guint64 size_b)
{
    guint64 in_either = size_a + size_b - common;
    return in_either == 0 ? 1.0 : (double)common / (double)in_either;
}

/* Rows with equal bits are of one class, numbered by first member. Returns how many there are. */
static guint classes_of_rows(const DtContext *context, guint *of)
{
    gsize bytes = dt_context_row_words(context) * sizeof(guint64);
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    guint count = 0;
    for (guint i = 0; i < dt_context_objects(context); i++) {
        g_autoptr(GBytes) row = g_bytes_new_static(dt_context_row(context, i), bytes);
        gpointer number = g_hash_table_lookup(known, row);
        if (!number) {
            number = GUINT_TO_POINTER(++count);
            g_hash_table_insert(known, g_bytes_ref(row), number);
        }
        of[i] = GPOINTER_TO_UINT(number) - 1;
    }
    return count;
}

/* Similarities of a block of classes to themselves and the later ones. */
static void fill_block(DtMatrix *matrix, const DtCommonCounts *counts, guint first, guint *common)
{
    guint n = matrix->classes;
    dt_common_counts_block(counts, first, common);
    for (guint j = first; j < n; j++) {
        for (guint i = first; i < MIN(first + DT_COMMON_BLOCK, j + 1); i++) {
            guint both = common[(gsize)j * DT_COMMON_BLOCK + i - first];
            double similarity = jaccard(both, counts->sizes[i], counts->sizes[j]);
            matrix->values[(gsize)i * n + j] = similarity;
            matrix->values[(gsize)j * n + i] = similarity;
        }
    }
}

DtMatrix *dt_jaccard_matrix(const DtContext *context, guint jobs)
{
    guint n = dt_context_objects(context);
    int threads = jobs > 0 ? (int)MIN(jobs, G_MAXINT) : omp_get_max_threads();
    g_autofree guint *of = g_new(guint, n);
    DtMatrix *matrix = dt_matrix_new_classes(n, classes_of_rows(context, of), of);
    g_autofree guint *objects = dt_matrix_representatives(matrix);
    g_autoptr(DtCommonCounts) counts = dt_common_counts_new(context, objects, matrix->classes);
#pragma omp parallel num_threads(threads)
    {
        guint *common = g_new(guint, (gsize)matrix->classes * DT_COMMON_BLOCK);
#pragma omp for schedule(dynamic)
        for (guint first = 0; first < matrix->classes; first += DT_COMMON_BLOCK)
            fill_block(matrix, counts, first, common);
        g_free(common);
    }
    return matrix;
}
