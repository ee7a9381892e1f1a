/* Matrices and dendrograms as the page shows them: by trace, or where those are too many, by cluster. */
#include "report/page_json.h"

/* Below this, traces are alike. */
static const double alike = 1e-12;

/* The clusters that are shown, from left to right. */
typedef struct {
    guint count;
    guint *of_leaf;   /* tile of each trace */
    GPtrArray *names; /* (element-type GPtrArray of labels) */
} Tiles;

static void clear_tiles(Tiles *tiles)
{
    g_free(tiles->of_leaf);
    g_clear_pointer(&tiles->names, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tiles, clear_tiles)

static guint tile_count(const DtDendrogram *tree)
{
    if (tree->leaves <= DT_PAGE_TRACES)
        return tree->leaves;
    guint alike_merges = 0;
    for (guint i = 0; i + 1 < tree->leaves; i++)
        alike_merges += tree->merges[i].distance <= alike;
    return MIN(tree->leaves - alike_merges, (guint)DT_PAGE_TILES);
}

/* Clusters are subtrees: their leaves stand side by side. */
static Tiles tiles_new(const DtDendrogram *tree, const char *const *labels)
{
    Tiles tiles = {tile_count(tree), g_new(guint, tree->leaves),
                   g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref)};
    g_autofree guint *clusters = dt_clusters_by_merges(tree, tiles.count);
    g_autofree guint *order = dt_dendrogram_order(tree);
    g_autofree guint *tile_of_cluster = g_new0(guint, (gsize)tiles.count + 1);
    for (guint i = 0; i < tree->leaves; i++) {
        guint cluster = clusters[order[i]];
        if (tile_of_cluster[cluster] == 0) {
            g_ptr_array_add(tiles.names, g_ptr_array_new());
            tile_of_cluster[cluster] = tiles.names->len;
        }
        tiles.of_leaf[order[i]] = tile_of_cluster[cluster] - 1;
    }
    for (guint i = 0; i < tree->leaves; i++)
        g_ptr_array_add(tiles.names->pdata[tiles.of_leaf[i]], (gpointer)labels[i]);
    return tiles;
}

static void add_tiles(JsonBuilder *builder, const Tiles *tiles, guint leaves, const gboolean *suspicious)
{
    g_autofree guint *marked = g_new0(guint, tiles->count);
    for (guint i = 0; i < leaves; i++)
        marked[tiles->of_leaf[i]] += suspicious[i] ? 1 : 0;
    dt_json_begin_array(builder, "tiles");
    for (guint i = 0; i < tiles->count; i++) {
        const GPtrArray *names = tiles->names->pdata[i];
        g_autofree char *list = dt_trace_list_text(names);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "traces", list);
        dt_json_integer(builder, "count", names->len);
        dt_json_integer(builder, "suspicious", marked[i]);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

/* Means of the pairs of two tiles, in thousandths, rows of the upper triangle, as base64 of 16 bits each. */
static void add_matrix(JsonBuilder *builder, const Tiles *tiles, const DtMatrix *matrix)
{
    gsize n = tiles->count, cells = n * (n + 1) / 2;
    g_autofree double *sums = g_new0(double, n *n);
    for (guint i = 0; i < matrix->n; i++) {
        double *row = sums + tiles->of_leaf[i] * n;
        for (guint j = 0; j < matrix->n; j++)
            row[tiles->of_leaf[j]] += dt_matrix_get(matrix, i, j);
    }
    g_autofree guchar *bytes = g_new(guchar, 2 * cells);
    guchar *next = bytes;
    for (gsize i = 0; i < n; i++) {
        for (gsize j = i; j < n; j++) {
            const GPtrArray *rows = tiles->names->pdata[i], *columns = tiles->names->pdata[j];
            double mean = sums[i * n + j] / ((double)rows->len * columns->len);
            guint value = (guint)(CLAMP(mean, 0.0, 1.0) * 1000 + 0.5);
            *next++ = (guchar)(value & 0xff);
            *next++ = (guchar)(value >> 8);
        }
    }
    g_autofree char *text = g_base64_encode(bytes, 2 * cells);
    dt_json_string(builder, "matrix", text);
}

/* The merges above the tiles, as [a, b, distance]: tiles first, then merges, by number. */
static void add_merges(JsonBuilder *builder, const Tiles *tiles, const DtDendrogram *tree)
{
    guint hidden = tree->leaves - tiles->count;
    g_autofree guint *number = g_new(guint, 2 * (gsize)tree->leaves);
    for (guint i = 0; i < tree->leaves; i++)
        number[i] = tiles->of_leaf[i];
    dt_json_begin_array(builder, "merges");
    for (guint i = 0; i + 1 < tree->leaves; i++) {
        const DtMerge *merge = &tree->merges[i];
        if (i < hidden) {
            number[tree->leaves + i] = number[merge->a];
            continue;
        }
        number[tree->leaves + i] = tiles->count + i - hidden;
        dt_json_begin_array(builder, NULL);
        dt_json_integer(builder, NULL, number[merge->a]);
        dt_json_integer(builder, NULL, number[merge->b]);
        dt_json_number(builder, NULL, merge->distance);
        json_builder_end_array(builder);
    }
    json_builder_end_array(builder);
}

static void add_view(JsonBuilder *builder, const DtPage *page, const DtPageView *view)
{
    g_auto(Tiles) tiles = tiles_new(view->dendrogram, page->labels);
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "of", dt_of_name(view->of));
    dt_json_integer(builder, "traces", view->matrix->n);
    add_tiles(builder, &tiles, view->matrix->n, page->suspicious);
    add_matrix(builder, &tiles, view->matrix);
    add_merges(builder, &tiles, view->dendrogram);
    json_builder_end_object(builder);
}

void dt_page_add_views(JsonBuilder *builder, const DtPage *page)
{
    dt_json_begin_array(builder, "views");
    for (guint i = 0; i < page->views->len; i++)
        add_view(builder, page, &g_array_index(page->views, DtPageView, i));
    json_builder_end_array(builder);
}
