/* Cutting a clustering into what fits into a picture. */
#include "report/pictures/tiles.h"

/* Below this, traces are alike. */
static const double alike = 1e-12;

static guint tile_count(const DtDendrogram *tree, guint most_leaves, guint most_tiles)
{
    if (tree->leaves <= most_leaves)
        return tree->leaves;
    guint alike_merges = 0;
    for (guint i = 0; i + 1 < tree->leaves; i++)
        alike_merges += tree->merges[i].distance <= alike;
    return MIN(tree->leaves - alike_merges, most_tiles);
}

/* Clusters are subtrees: their leaves stand side by side. */
DtTiles dt_tiles_new(const DtDendrogram *tree, const char *const *labels, guint most_leaves, guint most_tiles)
{
    DtTiles tiles = {tree->leaves, tile_count(tree, most_leaves, most_tiles), g_new(guint, tree->leaves),
                     g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref)};
    g_autofree guint *clusters = dt_clusters_by_merges(tree, tiles.count);
    g_autofree guint *order = dt_dendrogram_order(tree);
    g_autofree guint *tile_of_cluster = g_new0(guint, (gsize)tiles.count + 1);
    for (guint i = 0; i < tree->leaves; i++) {
        guint cluster = clusters[order[i]];
        if (tile_of_cluster[cluster] == 0) {
            g_ptr_array_add(tiles.labels, g_ptr_array_new());
            tile_of_cluster[cluster] = tiles.labels->len;
        }
        tiles.of_leaf[order[i]] = tile_of_cluster[cluster] - 1;
    }
    for (guint i = 0; i < tree->leaves; i++)
        g_ptr_array_add(tiles.labels->pdata[tiles.of_leaf[i]], (gpointer)labels[i]);
    return tiles;
}

void dt_tiles_clear(DtTiles *tiles)
{
    g_free(tiles->of_leaf);
    g_clear_pointer(&tiles->labels, g_ptr_array_unref);
}

DtMerge *dt_tiles_merges(const DtTiles *tiles, const DtDendrogram *tree)
{
    guint hidden = dt_tiles_hidden(tiles);
    g_autofree guint *number = g_new(guint, 2 * (gsize)tree->leaves);
    DtMerge *merges = g_new(DtMerge, tiles->count);
    for (guint i = 0; i < tree->leaves; i++)
        number[i] = tiles->of_leaf[i];
    for (guint i = 0; i + 1 < tree->leaves; i++) {
        const DtMerge *merge = &tree->merges[i];
        if (i < hidden) {
            number[tree->leaves + i] = number[merge->a];
            continue;
        }
        number[tree->leaves + i] = tiles->count + i - hidden;
        merges[i - hidden] = (DtMerge){number[merge->a], number[merge->b], merge->distance, merge->size};
    }
    return merges;
}
