/* Matrices and dendrograms as the page shows them: by trace, or where those are too many, by cluster. */
#include "report/page_json.h"
#include "report/pictures/tiles.h"

static void add_tiles(JsonBuilder *builder, const DtTiles *tiles, const gboolean *suspicious)
{
    g_autofree guint *marked = g_new0(guint, tiles->count);
    for (guint i = 0; i < tiles->leaves; i++)
        marked[tiles->of_leaf[i]] += suspicious[i] ? 1 : 0;
    dt_json_begin_array(builder, "tiles");
    for (guint i = 0; i < tiles->count; i++) {
        const GPtrArray *names = tiles->labels->pdata[i];
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
static void add_matrix(JsonBuilder *builder, const DtTiles *tiles, const DtMatrix *matrix)
{
    gsize n = tiles->count, cells = n * (n + 1) / 2;
    g_autofree double *means = dt_matrix_block_means(matrix, tiles->of_leaf, tiles->count);
    g_autofree guchar *bytes = g_new(guchar, 2 * cells);
    guchar *next = bytes;
    for (gsize i = 0; i < n; i++) {
        for (gsize j = i; j < n; j++) {
            guint value = (guint)(CLAMP(means[i * n + j], 0.0, 1.0) * 1000 + 0.5);
            *next++ = (guchar)(value & 0xff);
            *next++ = (guchar)(value >> 8);
        }
    }
    g_autofree char *text = g_base64_encode(bytes, 2 * cells);
    dt_json_string(builder, "matrix", text);
}

/* The merges above the tiles, as [a, b, distance]. */
static void add_merges(JsonBuilder *builder, const DtTiles *tiles, const DtDendrogram *tree)
{
    g_autofree DtMerge *merges = dt_tiles_merges(tiles, tree);
    dt_json_begin_array(builder, "merges");
    for (guint i = 0; i + 1 < tiles->count; i++) {
        dt_json_begin_array(builder, NULL);
        dt_json_integer(builder, NULL, merges[i].a);
        dt_json_integer(builder, NULL, merges[i].b);
        dt_json_number(builder, NULL, merges[i].distance);
        json_builder_end_array(builder);
    }
    json_builder_end_array(builder);
}

static void add_view(JsonBuilder *builder, const DtPage *page, const DtPageView *view)
{
    g_auto(DtTiles) tiles = dt_tiles_new(view->dendrogram, page->labels, DT_PAGE_TRACES, DT_PAGE_TILES);
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "of", dt_side_name(view->side));
    dt_json_integer(builder, "traces", view->matrix->n);
    add_tiles(builder, &tiles, page->suspicious);
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
