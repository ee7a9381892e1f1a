/**
 * Similarity, clusters and the published ranking: Jaccard matrices over attribute
 * sets, hierarchical clustering, the B-score of Fowlkes & Mallows (1983).
 *
 * Linkages, tie order and flat clusters are those of SciPy's
 * scipy.cluster.hierarchy on the same condensed distances.
 */
#ifndef DIFFTRACE_CLUSTER_H
#define DIFFTRACE_CLUSTER_H

#include "fca.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_CLUSTER_ERROR (dt_cluster_error_quark())
typedef enum { DT_CLUSTER_ERROR_UNKNOWN_LINKAGE, DT_CLUSTER_ERROR_SIZE } DtClusterError;
GQuark dt_cluster_error_quark(void);

/* ---- matrices ----------------------------------------------------------------------- */

/**
 * Square and symmetric, over n objects. Objects whose rows are equal may be one class:
 * then only the values between classes are held, and two objects of a class are as far
 * apart as one is from itself.
 */
typedef struct {
    guint n;
    guint classes;
    guint *of;      /* class of each object, numbered by first member; NULL: object i is class i */
    double *values; /* classes x classes, row major */
} DtMatrix;
/** Of n classes of one object; zeros. n may be 0. */
DtMatrix *dt_matrix_new(guint n);
void dt_matrix_free(DtMatrix *matrix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtMatrix, dt_matrix_free)
/** With values and classes of its own. */
DtMatrix *dt_matrix_copy(const DtMatrix *matrix);
/** `object`, `row` and `column` are below n, which is not checked. */
static inline guint dt_matrix_class(const DtMatrix *matrix, guint object)
{
    return matrix->of ? matrix->of[object] : object;
}
static inline double dt_matrix_get(const DtMatrix *matrix, guint row, guint column)
{
    return matrix->values[(gsize)dt_matrix_class(matrix, row) * matrix->classes + dt_matrix_class(matrix, column)];
}
/** The first object of each class; g_free(). */
guint *dt_matrix_representatives(const DtMatrix *matrix);

/**
 * Jaccard similarity |A n B| / |A u B| of all pairs of objects, 1 if both are empty. Objects with equal attribute
 * sets are one class. `jobs` threads, 0: all cores; at most O(n m + c^2 m / 64) for c classes and m attributes, and
 * less for what few have.
 */
DtMatrix *dt_jaccard_matrix(const DtContext *context, guint jobs);
/**
 * The same over n objects, object i being as object_of[i] of `matrix`, which is taken. Objects of `matrix` appear first
 * in their order, each at least once: so classes keep their numbers.
 */
DtMatrix *dt_matrix_spread(DtMatrix *matrix, const guint *object_of, guint n);
/** |a - b|, element by element; equal n, else NULL and a critical message. Classes are those that are alike in both. */
DtMatrix *dt_matrix_difference(const DtMatrix *a, const DtMatrix *b);
/** Every value becomes 1 - it: similarity to distance. */
void dt_matrix_complement(DtMatrix *matrix);
/**
 * Means of the values between all members of one block of objects and all of another, blocks x blocks, row
 * major; g_free(). `block_of` has the block of each object, below `blocks`; none is empty. For p pairs of a block and a
 * class that has objects in it, p <= n, O(n + p (c + blocks)).
 */
double *dt_matrix_block_means(const DtMatrix *matrix, const guint *block_of, guint blocks);

/* ---- linkage ---------------------------------------------------------------------------- */

typedef enum {
    DT_LINKAGE_SINGLE,
    DT_LINKAGE_COMPLETE,
    DT_LINKAGE_AVERAGE,
    DT_LINKAGE_WEIGHTED,
    DT_LINKAGE_CENTROID,
    DT_LINKAGE_MEDIAN,
    DT_LINKAGE_WARD,
    DT_LINKAGES
} DtLinkage;
/** "ward"; static. NULL and a critical message if it is none. */
const char *dt_linkage_name(DtLinkage linkage);
/** By name; else DT_CLUSTER_ERROR_UNKNOWN_LINKAGE, and *linkage stays. */
gboolean dt_linkage_parse(const char *text, DtLinkage *linkage, GError **error);

/** A row of SciPy's Z: clusters a < b (0..n-1 leaves, n+i = merge i) at a distance. */
typedef struct {
    guint a, b;
    double distance;
    guint size;
} DtMerge;

/** n-1 merges over n leaves. */
typedef struct {
    guint leaves;
    DtMerge *merges;
} DtDendrogram;
/**
 * `distances` is symmetric, its values finite, not negative and below 1e100 (else
 * NULL and a critical message); its diagonal is not read, but objects of one class are at
 * distance 0. n >= 1. For c classes O(n c) time and O(c^2) space (centroid, median: O(c^3)
 * at worst). Nearest-neighbour chains, Prim's tree for single, Müllner's generic algorithm
 * for centroid and median. What comes out is the same, to the last bit, as if every object
 * were a class of its own; only with centroid and median, and beyond 2048 unions at a time, do
 * objects of a class come first where distances tie.
 */
DtDendrogram *dt_dendrogram_new(const DtMatrix *distances, DtLinkage linkage);
/** The same, and takes the matrix, in whatever case: in its memory. */
DtDendrogram *dt_dendrogram_take(DtMatrix *distances, DtLinkage linkage);
void dt_dendrogram_free(DtDendrogram *dendrogram);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtDendrogram, dt_dendrogram_free)
/** Leaves from left to right as drawn; n entries, g_free(). */
guint *dt_dendrogram_order(const DtDendrogram *dendrogram);

/** Flat clusters 1..k per leaf, 1 <= k <= n: exactly k, the last k-1 merges undone (n entries, g_free()). */
guint *dt_clusters_by_merges(const DtDendrogram *dendrogram, guint k);
/** As fcluster(Z, t, 'distance'); numbered as SciPy does. n entries, g_free(). */
guint *dt_clusters_by_distance(const DtDendrogram *dendrogram, double t);
/** As fcluster(Z, k, 'maxclust'), k >= 1: at most k, cut at a height; numbered as SciPy (1.15 on) does. n entries,
 * g_free(). */
guint *dt_clusters_by_count(const DtDendrogram *dendrogram, guint k);

/* ---- B-score -------------------------------------------------------------------------------- */

/**
 * Fowlkes-Mallows B = T / sqrt(P Q) of two flat clusterings of the same n leaves, 0..1.
 * Without a pair of leaves that share a cluster in one of them: 1 if the other has
 * none either, else 0. `a` and `b` have n numbers of clusters each, the lower the better. O(n + greatest number).
 */
double dt_fowlkes_mallows(const guint *a, const guint *b, guint n);
/**
 * Expectation of B under the null hypothesis of the paper (its section 2), that the
 * leaves of one clustering are shuffled: sqrt(P Q) / (n (n - 1)), or B where there are no pairs.
 */
double dt_fowlkes_mallows_expected(const guint *a, const guint *b, guint n);
/** B_k for k = 2..n-1 at index k; mean of them in *score. Of the same leaves. FALSE if n <= 2: no
 * score, which stays as it was. `curve`, `expected` may be NULL, else n entries, 0 below k = 2. O(n log n). */
gboolean dt_bscore(const DtDendrogram *a, const DtDendrogram *b, double *score, double *curve, double *expected);

/* ---- the published ranking ---------------------------------------------------------------------- */

/** One configuration's result over the traces that both runs have. */
typedef struct {
    gboolean has_bscore;
    double bscore;
    double *suspicion;    /* per common trace: mean of its row of JSM_D, or the alone-score */
    gboolean *suspicious; /* in a flat cluster of JSM_D that stands apart */
    guint *order;         /* common traces, most suspicious first; ties by index */
    guint n;
} DtPublishedRanking;
void dt_published_ranking_free(DtPublishedRanking *ranking);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPublishedRanking, dt_published_ranking_free)

/**
 * From the similarity matrices of the common traces; `normal` NULL: the faulty run alone,
 * whose suspicion is 1 - the mean similarity to the others. Suspicious are the flat clusters
 * below the widest gap of JSM_D's dendrogram, most changed first, while they are above the
 * average and together no majority (docs/algorithms/cluster.md). Of the same traces in the same order, else NULL and a
 * critical message; without any trace its arrays are NULL.
 */
DtPublishedRanking *dt_published_ranking_new(const DtMatrix *normal, const DtMatrix *faulty, DtLinkage linkage);
/** The same, and takes the matrices, in whatever case: there are never more than three. */
DtPublishedRanking *dt_published_ranking_take(DtMatrix *normal, DtMatrix *faulty, DtLinkage linkage);

#pragma GCC visibility pop
G_END_DECLS

#endif
