/** A clustering of more traces than can be shown, cut into clusters that stand side by side. Internal to the reports.
 */
#ifndef DT_REPORT_PICTURES_TILES_H
#define DT_REPORT_PICTURES_TILES_H

#include "report/report.h"

G_BEGIN_DECLS

/** Tiles from left to right: single leaves, or clusters of them. */
typedef struct {
    guint leaves, count;
    guint *of_leaf;    /* tile of each leaf */
    GPtrArray *labels; /* by tile its leaves' labels, borrowed, in the order of the leaves (element-type GPtrArray) */
} DtTiles;

/**
 * Every leaf its own tile if there are at most `most_leaves`; else the topmost clusters, at most
 * `most_tiles`, and none apart from one at distance 0.
 */
DtTiles dt_tiles_new(const DtDendrogram *tree, const char *const *labels, guint most_leaves, guint most_tiles);
void dt_tiles_clear(DtTiles *tiles);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtTiles, dt_tiles_clear)

/** The first merges, inside of tiles, are not seen: so many. */
static inline guint dt_tiles_hidden(const DtTiles *tiles)
{
    return tiles->leaves - tiles->count;
}
/**
 * The merges above the tiles, of clusters numbered anew: tiles first, then merges.
 * tiles->count - 1 of them, g_free().
 */
DtMerge *dt_tiles_merges(const DtTiles *tiles, const DtDendrogram *tree);

G_END_DECLS

#endif
