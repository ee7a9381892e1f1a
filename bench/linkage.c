/* Processor time of a dendrogram of N points, none equal, and peak memory: linkage N METHOD */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cluster/cluster.h"
#include "measure.h"

int main(int argc, char **argv)
{
    DtLinkage linkage;
    if (argc != 3 || !dt_linkage_parse(argv[2], &linkage, NULL)) {
        fprintf(stderr, "usage: linkage N METHOD\n");
        return 2;
    }
    guint n = (guint)atoi(argv[1]);
    GRand *random = g_rand_new_with_seed(1);
    g_autoptr(DtMatrix) distances = dt_matrix_new(n);
    for (guint i = 0; i < n; i++) {
        for (guint j = i + 1; j < n; j++)
            distances->values[(gsize)i * n + j] = distances->values[(gsize)j * n + i] = g_rand_double(random);
    }
    g_rand_free(random);
    double start = dt_processor_seconds();
    g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_take(g_steal_pointer(&distances), linkage);
    printf("%.6f %ld\n", dt_processor_seconds() - start, dt_peak_kilobytes());
    return isfinite(dendrogram->merges[0].distance) ? 0 : 1;
}
