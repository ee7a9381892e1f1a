/* The published ranking: which traces changed most in similarity to the others (docs/algorithms/cluster.md). */
#include "cluster/cluster.h"

/* Sums of the same numbers in another order differ by less. */
static const double tolerance = 1e-12;

void dt_published_ranking_free(DtPublishedRanking *ranking)
{
    if (ranking) {
        g_free(ranking->suspicion);
        g_free(ranking->suspicious);
        g_free(ranking->order);
        g_free(ranking);
    }
}

/* ---- order -------------------------------------------------------------------------- */

static int compare_suspicion(gconstpointer a, gconstpointer b, gpointer data)
{
    const double *suspicion = data;
    guint left = *(const guint *)a;
    guint right = *(const guint *)b;
    if (suspicion[left] != suspicion[right]) {
        return suspicion[left] > suspicion[right] ? -1 : 1;
    }
    return (left > right) - (left < right);
}

static int compare_indices(gconstpointer a, gconstpointer b)
{
    guint left = *(const guint *)a;
    guint right = *(const guint *)b;
    return (left > right) - (left < right);
}

/* Sorts first by exact values, then each stretch within the tolerance of its first by index. */
static guint *order_by_suspicion(double *suspicion, guint n)
{
    g_autoptr(GArray) order = g_array_sized_new(FALSE, FALSE, sizeof(guint), n);
    for (guint i = 0; i < n; i++) {
        g_array_append_val(order, i);
    }
    g_array_sort_with_data(order, compare_suspicion, suspicion);
    guint *indices = (guint *)(void *)order->data;
    for (guint start = 0; start < n;) {
        guint end = start + 1;
        while (end < n && suspicion[indices[start]] - suspicion[indices[end]] <= tolerance) {
            end++;
        }
        qsort(indices + start, end - start, sizeof *indices, compare_indices);
        start = end;
    }
    return g_memdup2(indices, (gsize)n * sizeof *indices);
}

/* ---- clusters that stand apart ------------------------------------------------------- */

typedef struct {
    guint number, size;
    double mean; /* suspicion */
} Cluster;

/*
 * How many clusters are left where the dendrogram is cut in its widest gap between
 * two successive merges (the higher of equals); 1 if no gap is wider than nothing.
 */
static guint clusters_at_widest_gap(const DtDendrogram *dendrogram)
{
    guint n = dendrogram->leaves;
    guint clusters = 1;
    double widest = 0.0;
    double height = n > 1 ? dendrogram->merges[0].distance : 0.0;
    for (guint i = 1; i + 1 < n; i++) {
        double next = MAX(height, dendrogram->merges[i].distance);
        double gap = next - height;
        if (gap > tolerance && gap >= widest - tolerance) {
            widest = MAX(widest, gap);
            clusters = n - i;
        }
        height = next;
    }
    return clusters;
}

static int compare_clusters(gconstpointer a, gconstpointer b)
{
    const Cluster *left = a;
    const Cluster *right = b;
    if (left->mean != right->mean) {
        return left->mean > right->mean ? -1 : 1;
    }
    return (left->number > right->number) - (left->number < right->number);
}

/* The flat clusters by descending mean suspicion. */
static Cluster *summarize_clusters(const guint *numbers, guint count, const double *suspicion, guint n)
{
    Cluster *clusters = g_new0(Cluster, count);
    for (guint c = 0; c < count; c++) {
        clusters[c].number = c + 1;
    }
    for (guint i = 0; i < n; i++) {
        clusters[numbers[i] - 1].size++;
        clusters[numbers[i] - 1].mean += suspicion[i];
    }
    for (guint c = 0; c < count; c++) {
        clusters[c].mean /= clusters[c].size;
    }
    qsort(clusters, count, sizeof *clusters, compare_clusters);
    return clusters;
}

static double mean_of(const double *values, guint n)
{
    double sum = 0.0;
    for (guint i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum / n;
}

static void mark_cluster(DtPublishedRanking *ranking, const guint *numbers, guint number)
{
    for (guint i = 0; i < ranking->n; i++) {
        if (numbers[i] == number) {
            ranking->suspicious[i] = TRUE;
        }
    }
}

/*
 * Marks clusters, most changed first and equally changed ones together, as long as
 * they are more suspicious than the traces are on average and all marked ones
 * together are no majority.
 */
static void mark_suspicious(DtPublishedRanking *ranking, const DtDendrogram *dendrogram)
{
    guint n = ranking->n;
    guint count = clusters_at_widest_gap(dendrogram);
    g_autofree guint *numbers = dt_clusters_by_merges(dendrogram, count);
    g_autofree Cluster *clusters = summarize_clusters(numbers, count, ranking->suspicion, n);
    double average = mean_of(ranking->suspicion, n);
    guint marked = 0;

    for (guint start = 0; start < count && clusters[start].mean > average + tolerance;) {
        guint end = start;
        while (end < count && clusters[start].mean - clusters[end].mean <= tolerance) {
            marked += clusters[end++].size;
        }
        if (marked > n / 2) {
            break;
        }
        while (start < end) {
            mark_cluster(ranking, numbers, clusters[start++].number);
        }
    }
}

/* ---- the ranking ---------------------------------------------------------------------- */

/* Sum of a row, in the order of the objects. Objects of a class have the same one. */
static double row_sum(const DtMatrix *distances, guint class_number)
{
    const double *row = distances->values + (gsize)class_number * distances->classes;
    double sum = 0.0;
    for (guint j = 0; j < distances->n; j++) {
        guint other = dt_matrix_class(distances, j);
        sum += other != class_number ? row[other] : 0.0;
    }
    return sum;
}

/* Mean of row i, over all n entries (those of its class are 0) or over the others only. */
static void fill_suspicion(DtPublishedRanking *ranking, const DtMatrix *distances, gboolean others_only)
{
    guint n = ranking->n;
    g_autofree double *sums = g_new0(double, distances->classes);
    for (guint c = 0; c < distances->classes; c++) {
        sums[c] = row_sum(distances, c);
    }
    for (guint i = 0; i < n; i++) {
        double sum = sums[dt_matrix_class(distances, i)];
        ranking->suspicion[i] = others_only ? sum / MAX(1, n - 1) : sum / n;
    }
}

static DtDendrogram *dendrogram_of_similarities(DtMatrix *similarities, DtLinkage linkage)
{
    dt_matrix_complement(similarities);
    return dt_dendrogram_take(similarities, linkage);
}

/* Takes the matrices. */
static void compare_dendrograms(DtPublishedRanking *ranking, DtMatrix *normal, DtMatrix *faulty, DtLinkage linkage)
{
    g_autoptr(DtDendrogram) normal_dendrogram = dendrogram_of_similarities(normal, linkage);
    g_autoptr(DtDendrogram) faulty_dendrogram = dendrogram_of_similarities(faulty, linkage);
    ranking->has_bscore = dt_bscore(normal_dendrogram, faulty_dendrogram, &ranking->bscore, NULL, NULL);
}

/* From JSM_D, or the faulty run's distances, which are taken. */
static void rank_by_change(DtPublishedRanking *ranking, DtMatrix *distances, gboolean alone, DtLinkage linkage)
{
    fill_suspicion(ranking, distances, alone);
    g_autoptr(DtDendrogram) dendrogram = dt_dendrogram_take(distances, linkage);
    mark_suspicious(ranking, dendrogram);
    ranking->order = order_by_suspicion(ranking->suspicion, ranking->n);
}

DtPublishedRanking *dt_published_ranking_take(DtMatrix *normal, DtMatrix *faulty, DtLinkage linkage)
{
    g_autoptr(DtMatrix) own_normal = normal, own_faulty = faulty;
    g_return_val_if_fail(!normal || normal->n == faulty->n, NULL);
    DtPublishedRanking *ranking = g_new0(DtPublishedRanking, 1);
    ranking->n = faulty->n;
    if (ranking->n == 0) {
        return ranking;
    }
    ranking->suspicion = g_new0(double, ranking->n);
    ranking->suspicious = g_new0(gboolean, ranking->n);
    if (!normal) {
        dt_matrix_complement(faulty);
        rank_by_change(ranking, g_steal_pointer(&own_faulty), TRUE, linkage);
        return ranking;
    }
    rank_by_change(ranking, dt_matrix_difference(faulty, normal), FALSE, linkage);
    compare_dendrograms(ranking, g_steal_pointer(&own_normal), g_steal_pointer(&own_faulty), linkage);
    return ranking;
}

DtPublishedRanking *dt_published_ranking_new(const DtMatrix *normal, const DtMatrix *faulty, DtLinkage linkage)
{
    return dt_published_ranking_take(normal ? dt_matrix_copy(normal) : NULL, dt_matrix_copy(faulty), linkage);
}
