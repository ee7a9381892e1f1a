/* Jaccard similarity of all pairs of objects, over their attribute sets as bits. */
#include <omp.h>

#include "cluster/matrix_classes.h"

typedef guint64 (*CountCommon)(const guint64 *a, const guint64 *b, gsize words);

static guint64 count_common(const guint64 *a, const guint64 *b, gsize words)
{
    guint64 count = 0;
    for (gsize i = 0; i < words; i++) {
        count += (guint64)__builtin_popcountll(a[i] & b[i]);
    }
    return count;
}

#ifdef __x86_64__
/* The same with the processor's own instruction, which baseline x86-64 lacks. */
__attribute__((target("popcnt"))) static guint64 count_common_popcnt(const guint64 *a, const guint64 *b, gsize words)
{
    guint64 count = 0;
    for (gsize i = 0; i < words; i++) {
        count += (guint64)__builtin_popcountll(a[i] & b[i]);
    }
    return count;
}
#endif

static CountCommon best_count_common(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("popcnt")) {
        return count_common_popcnt;
    }
#endif
    return count_common;
}

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
        if (number == NULL) {
            number = GUINT_TO_POINTER(++count);
            g_hash_table_insert(known, g_bytes_ref(row), number);
        }
        of[i] = GPOINTER_TO_UINT(number) - 1;
    }
    return count;
}

/* Similarities of class `first` to itself and the later ones. A block of rows stays in the cache for all of them. */
enum { BLOCK = 64 };

static void fill_block(DtMatrix *matrix, const guint64 *const *rows, const guint64 *sizes, gsize words, guint first,
                       CountCommon count)
{
    guint n = matrix->classes;
    guint end = MIN(first + BLOCK, n);
    for (guint j = first; j < n; j++) {
        for (guint i = first; i < MIN(end, j + 1); i++) {
            double similarity = jaccard(i == j ? sizes[i] : count(rows[i], rows[j], words), sizes[i], sizes[j]);
            matrix->values[(gsize)i * n + j] = similarity;
            matrix->values[(gsize)j * n + i] = similarity;
        }
    }
}

DtMatrix *dt_jaccard_matrix(const DtContext *context, guint jobs)
{
    guint n = dt_context_objects(context);
    gsize words = dt_context_row_words(context);
    CountCommon count = best_count_common();
    int threads = jobs > 0 ? (int)MIN(jobs, G_MAXINT) : omp_get_max_threads();
    g_autofree guint *of = g_new(guint, n);
    DtMatrix *matrix = dt_matrix_new_classes(n, classes_of_rows(context, of), of);
    g_autofree guint *objects = dt_matrix_representatives(matrix);
    g_autofree const guint64 **rows = g_new(const guint64 *, matrix->classes);
    g_autofree guint64 *sizes = g_new(guint64, matrix->classes);

    for (guint i = 0; i < matrix->classes; i++) {
        rows[i] = dt_context_row(context, objects[i]);
        sizes[i] = count(rows[i], rows[i], words);
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (guint first = 0; first < matrix->classes; first += BLOCK) {
        fill_block(matrix, rows, sizes, words, first, count);
    }
    return matrix;
}
