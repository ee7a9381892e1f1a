/*
 * Prints dendrograms and flat clusters of distance matrices read from stdin, for
 * compare_with_scipy.py. A case is
 *
 *     LINKAGE N  n(n-1)/2 condensed distances  T t...  K k...
 *
 * and its answer n-1 lines of merges, a line with the order of the leaves, a line
 * of flat clusters per t, and two per k: by count, by merges.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cluster/cluster.h"

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "print-clusters: %s\n", what);
    exit(2);
}

static guint read_count(void)
{
    guint count = 0;
    if (scanf("%u", &count) != 1) {
        fail("a number is missing");
    }
    return count;
}

static double read_number(void)
{
    double number = 0.0;
    if (scanf("%lf", &number) != 1) {
        fail("a number is missing");
    }
    return number;
}

static DtMatrix *read_condensed(guint n)
{
    DtMatrix *matrix = dt_matrix_new(n);
    for (guint i = 0; i < n; i++) {
        for (guint j = i + 1; j < n; j++) {
            double distance = read_number();
            matrix->values[i * n + j] = distance;
            matrix->values[j * n + i] = distance;
        }
    }
    return matrix;
}

static void print_row(guint *numbers, guint n)
{
    for (guint i = 0; i < n; i++) {
        printf("%s%u", i > 0 ? " " : "", numbers[i]);
    }
    putchar('\n');
    g_free(numbers);
}

static void answer(DtLinkage linkage)
{
    guint n = read_count();
    g_autoptr(DtMatrix) matrix = read_condensed(n);
    g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_new(matrix, linkage);
    for (guint i = 0; i + 1 < n; i++) {
        const DtMerge *merge = &dendrogram->merges[i];
        printf("%u %u %.17g %u\n", merge->a, merge->b, merge->distance, merge->size);
    }
    print_row(dt_dendrogram_order(dendrogram), n);
    for (guint thresholds = read_count(); thresholds > 0; thresholds--) {
        print_row(dt_clusters_by_distance(dendrogram, read_number()), n);
    }
    for (guint counts = read_count(); counts > 0; counts--) {
        guint k = read_count();
        print_row(dt_clusters_by_count(dendrogram, k), n);
        print_row(dt_clusters_by_merges(dendrogram, k), n);
    }
}

int main(void)
{
    char name[32];
    while (scanf("%31s", name) == 1) {
        DtLinkage linkage = DT_LINKAGE_SINGLE;
        if (!dt_linkage_parse(name, &linkage, NULL)) {
            fail("unknown linkage");
        }
        answer(linkage);
    }
    return 0;
}
