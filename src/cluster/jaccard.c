/* Jaccard similarity of all pairs of objects, over their attribute sets as bits. */
#include <omp.h>

#include "cluster/cluster.h"

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

DtMatrix *dt_jaccard_matrix(const DtContext *context, guint jobs)
{
    guint n = dt_context_objects(context);
    gsize words = dt_context_row_words(context);
    CountCommon count = best_count_common();
    int threads = jobs > 0 ? (int)MIN(jobs, G_MAXINT) : omp_get_max_threads();
    DtMatrix *matrix = dt_matrix_new(n);
    g_autofree guint64 *sizes = g_new(guint64, n);

    for (guint i = 0; i < n; i++) {
        const guint64 *row = dt_context_row(context, i);
        sizes[i] = count(row, row, words);
    }
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (guint i = 0; i < n; i++) {
        const guint64 *row = dt_context_row(context, i);
        matrix->values[(gsize)i * n + i] = 1.0;
        for (guint j = i + 1; j < n; j++) {
            guint64 common = count(row, dt_context_row(context, j), words);
            double similarity = jaccard(common, sizes[i], sizes[j]);
            matrix->values[(gsize)i * n + j] = similarity;
            matrix->values[(gsize)j * n + i] = similarity;
        }
    }
    return matrix;
}
