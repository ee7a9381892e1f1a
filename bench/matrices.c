/*
 * Processor time of a similarity matrix of N objects, and peak memory: matrices SHAPE N MODE. Shape `spmd`: a dozen
 * attributes in common and some of its own each; `dense`: each of 512 attributes with probability 0.3. Mode `own`: one
 * thread; `pairs`: the definition, pair by pair, on sorted lists of attributes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "measure.h"

static void add(DtContext *context, guint object, const char *kind, guint number)
{
    g_autofree char *name = g_strdup_printf("%s%u", kind, number);
    dt_context_add_attribute(context, object, name);
}

static DtContext *make_context(gboolean spmd, guint n)
{
    GRand *random = g_rand_new_with_seed(1);
    DtContext *context = dt_context_new();
    for (guint i = 0; i < n; i++) {
        dt_context_add_object(context, "");
        for (guint a = 0; a < (spmd ? 12 : 512); a++) {
            if (spmd || g_rand_double(random) < 0.3)
                add(context, i, "common", a);
        }
        for (guint a = 0; a < (spmd ? 6 : 0); a++)
            add(context, i, "own", (guint)g_rand_int_range(random, 0, (gint32)n));
    }
    g_rand_free(random);
    return context;
}

/* ---- the definition ------------------------------------------------------------------- */

static GArray *list_of(const DtContext *context, guint object)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint a = 0; a < dt_context_attributes(context); a++) {
        if (dt_context_has(context, object, a))
            g_array_append_val(list, a);
    }
    return list;
}

static double similarity(const GArray *a, const GArray *b)
{
    guint common = 0;
    for (guint i = 0, j = 0; i < a->len && j < b->len;) {
        guint left = g_array_index(a, guint, i), right = g_array_index(b, guint, j);
        common += left == right;
        i += left <= right;
        j += right <= left;
    }
    return a->len + b->len > 0 ? (double)common / (a->len + b->len - common) : 1;
}

static double *pair_by_pair(GArray *const *lists, guint n)
{
    double *values = g_new(double, (gsize)n *n);
    for (guint i = 0; i < n; i++) {
        for (guint j = i; j < n; j++)
            values[(gsize)i * n + j] = values[(gsize)j * n + i] = similarity(lists[i], lists[j]);
    }
    return values;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: matrices spmd|dense N own|pairs\n");
        return 2;
    }
    guint n = (guint)atoi(argv[2]);
    DtContext *context = make_context(strcmp(argv[1], "spmd") == 0, n);
    double check = 0, start = dt_processor_seconds();
    if (strcmp(argv[3], "own") == 0) {
        g_autoptr(DtMatrix) matrix = dt_jaccard_matrix(context, 1);
        for (guint i = 0; i < n; i++)
            check += dt_matrix_get(matrix, i, n - 1);
    } else {
        GArray **lists = g_new(GArray *, n);
        for (guint i = 0; i < n; i++)
            lists[i] = list_of(context, i);
        start = dt_processor_seconds();
        g_autofree double *values = pair_by_pair(lists, n);
        for (guint i = 0; i < n; i++)
            check += values[(gsize)i * n + n - 1];
    }
    printf("%.6f %ld %.17g\n", dt_processor_seconds() - start, dt_peak_kilobytes(), check);
    return 0;
}
