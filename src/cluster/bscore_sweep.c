/*
 * B for all numbers of clusters in one sweep of both dendrograms, from single leaves
 * upwards: each merge changes the pairs by what its smaller part shares with its
 * larger one. A leaf changes to a cluster at least twice as large each time, at most
 * log2 n times.
 */
#include "cluster/shared_pairs.h"

/* ---- leaves that two clusters have in common ------------------------------------------- */

/* Counts by pair of labels, those above 0; open addressing, at most half full. */
typedef struct {
    guint64 *keys; /* pair + 1, 0 = free */
    guint *counts;
    gsize mask;
    guint shift;
} CommonLeaves;

static void common_leaves_init(CommonLeaves *common, guint leaves)
{
    guint bits = 4;
    while (((gsize)1 << bits) < (gsize)leaves * 2) {
        bits++;
    }
    *common = (CommonLeaves){g_new0(guint64, (gsize)1 << bits), g_new0(guint, (gsize)1 << bits), ((gsize)1 << bits) - 1,
                             64 - bits};
}

static gsize home_of(const CommonLeaves *common, guint64 key)
{
    return (gsize)((key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)) >> common->shift);
}

static gsize find_pair(const CommonLeaves *common, guint64 key)
{
    gsize slot = home_of(common, key);
    while (common->keys[slot] != 0 && common->keys[slot] != key) {
        slot = (slot + 1) & common->mask;
    }
    return slot;
}

static void add_leaf(CommonLeaves *common, guint64 key)
{
    gsize slot = find_pair(common, key);
    common->keys[slot] = key;
    common->counts[slot]++;
}

/* Entries after a hole that do not belong behind it move up. */
static void close_hole(CommonLeaves *common, gsize hole)
{
    for (gsize slot = (hole + 1) & common->mask; common->keys[slot] != 0; slot = (slot + 1) & common->mask) {
        gsize from_home = (slot - home_of(common, common->keys[slot])) & common->mask;
        if (from_home >= ((slot - hole) & common->mask)) {
            common->keys[hole] = common->keys[slot];
            common->counts[hole] = common->counts[slot];
            hole = slot;
        }
    }
    common->keys[hole] = 0;
    common->counts[hole] = 0;
}

static void remove_leaf(CommonLeaves *common, guint64 key)
{
    gsize slot = find_pair(common, key);
    if (--common->counts[slot] == 0) {
        close_hole(common, slot);
    }
}

/* ---- the clusters of one dendrogram -------------------------------------------------------- */

/* While its merges are made. A cluster's label is that of one of its leaves. */
typedef struct {
    const DtDendrogram *dendrogram;
    guint *label_of_leaf, *label_of_node; /* nodes as the dendrogram numbers them */
    guint *size, *last;                   /* by label */
    guint *next;                          /* by leaf: the next one in its cluster, if it is not the last */
    double pairs;
} Clustering;

static void clustering_init(Clustering *clustering, const DtDendrogram *dendrogram)
{
    guint n = dendrogram->leaves;
    *clustering = (Clustering){.dendrogram = dendrogram,
                               .label_of_leaf = g_new(guint, n),
                               .label_of_node = g_new(guint, 2 * (gsize)n),
                               .size = g_new(guint, n),
                               .last = g_new(guint, n),
                               .next = g_new(guint, n)};
    for (guint leaf = 0; leaf < n; leaf++) {
        clustering->label_of_leaf[leaf] = clustering->label_of_node[leaf] = clustering->last[leaf] = leaf;
        clustering->size[leaf] = 1;
    }
}

static void clustering_clear(Clustering *clustering)
{
    g_free(clustering->label_of_leaf);
    g_free(clustering->label_of_node);
    g_free(clustering->size);
    g_free(clustering->last);
    g_free(clustering->next);
}

static guint64 pair_key(guint own_label, guint other_label, gboolean is_first)
{
    guint64 first = is_first ? own_label : other_label;
    guint64 second = is_first ? other_label : own_label;
    return (first << 32 | second) + 1;
}

/* Makes merge number `merge`; returns by how much the pairs that share clusters in both grow. */
static double make_merge(Clustering *own, const Clustering *other, CommonLeaves *common, guint merge, gboolean is_first)
{
    const DtMerge *parts = &own->dendrogram->merges[merge];
    guint small = own->label_of_node[parts->a];
    guint large = own->label_of_node[parts->b];
    if (own->size[small] > own->size[large]) {
        guint swapped = small;
        small = large;
        large = swapped;
    }
    double grown = 0.0;
    guint leaf = small; /* the first of its cluster gave the label */
    for (guint i = 0; i < own->size[small]; i++, leaf = own->next[leaf]) {
        gsize slot = find_pair(common, pair_key(large, other->label_of_leaf[leaf], is_first));
        grown += 2.0 * common->counts[slot];
    }
    leaf = small;
    for (guint i = 0; i < own->size[small]; i++, leaf = own->next[leaf]) {
        remove_leaf(common, pair_key(small, other->label_of_leaf[leaf], is_first));
        add_leaf(common, pair_key(large, other->label_of_leaf[leaf], is_first));
        own->label_of_leaf[leaf] = large;
    }
    own->pairs += 2.0 * own->size[small] * own->size[large];
    own->next[own->last[large]] = small;
    own->last[large] = own->last[small];
    own->size[large] += own->size[small];
    own->label_of_node[own->dendrogram->leaves + merge] = large;
    return grown;
}

/* ---- all numbers of clusters ------------------------------------------------------------------ */

/* Calls for k = n-1 down to 2. */
static void sweep(const DtDendrogram *a, const DtDendrogram *b, double *curve, double *expected)
{
    guint n = a->leaves;
    Clustering first, second;
    CommonLeaves common;
    clustering_init(&first, a);
    clustering_init(&second, b);
    common_leaves_init(&common, n);
    for (guint leaf = 0; leaf < n; leaf++) {
        add_leaf(&common, pair_key(leaf, leaf, TRUE));
    }
    DtSharedPairs pairs = {0.0, 0.0, 0.0};
    for (guint k = n - 1; k >= 2; k--) {
        pairs.t += make_merge(&first, &second, &common, n - 1 - k, TRUE);
        pairs.t += make_merge(&second, &first, &common, n - 1 - k, FALSE);
        pairs.p = first.pairs;
        pairs.q = second.pairs;
        curve[k] = dt_agreement(pairs);
        if (expected) {
            expected[k] = dt_expected_agreement(pairs, n);
        }
    }
    g_free(common.keys);
    g_free(common.counts);
    clustering_clear(&first);
    clustering_clear(&second);
}

gboolean dt_bscore(const DtDendrogram *a, const DtDendrogram *b, double *score, double *curve, double *expected)
{
    g_return_val_if_fail(a->leaves == b->leaves, FALSE);
    guint n = a->leaves;
    g_autofree double *own_curve = !curve ? g_new(double, n) : NULL;
    double *agreed = curve ? curve : own_curve;
    double sum = 0.0;

    for (guint k = 0; k < MIN(n, 2); k++) {
        agreed[k] = 0.0;
        if (expected) {
            expected[k] = 0.0;
        }
    }
    if (n <= 2) {
        return FALSE;
    }
    sweep(a, b, agreed, expected);
    for (guint k = 2; k < n; k++) {
        sum += agreed[k];
    }
    *score = sum / (n - 2);
    return TRUE;
}
