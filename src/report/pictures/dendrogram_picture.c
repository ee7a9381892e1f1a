/* A clustering drawn: leaves in rows, merges as brackets, distance to the right. */
#include "report/dendrogram_report.h"

#include "report/pictures/drawing.h"
#include "report/pictures/tiles.h"

#include <math.h>

static const double margin = 16, title_size = 13, settings_size = 10, gap = 8, width = 480;

typedef struct {
    const DtTiles *tiles;
    const DtMerge *merges; /* of tiles */
    cairo_t *cairo;
    double left, top, row; /* of the tree; height of a leaf's row */
    double longest;        /* distance at the right end */
} Tree;

static double place(const Tree *tree, double distance)
{
    return tree->left + width * distance / tree->longest;
}

static double longest_distance(const DtMerge *merges, guint count)
{
    double longest = 0;
    for (guint i = 0; i < count; i++)
        longest = MAX(longest, merges[i].distance);
    return longest > 0 ? longest : 1;
}

/* A round step that gives about five ticks. */
static double tick_step(double longest)
{
    double step = pow(10, floor(log10(longest / 4)));
    double wanted = longest / 4 / step;
    return step * (wanted < 1.5 ? 1 : wanted < 3.5 ? 2 : wanted < 7.5 ? 5 : 10);
}

static void draw_axis(const Tree *tree, double bottom)
{
    double step = tick_step(tree->longest);
    cairo_set_source_rgb(tree->cairo, 0.35, 0.35, 0.35);
    dt_draw_line(tree->cairo, tree->left, bottom, tree->left + width, bottom);
    for (guint i = 0; i * step <= tree->longest * 1.0001; i++) {
        double x = place(tree, i * step);
        g_autofree char *text = g_strdup_printf("%.3g", i * step);
        dt_draw_line(tree->cairo, x, bottom, x, bottom + 4);
        dt_draw_text(tree->cairo, x, bottom + 4 + gap, DT_ALIGN_MIDDLE, 10, text);
    }
    dt_draw_text(tree->cairo, tree->left + width / 2, bottom + 4 + 3 * gap, DT_ALIGN_MIDDLE, 10, "distance");
}

/* Where each cluster sits; in merge order, so that children are placed before parents. */
static void draw_merges(const Tree *tree)
{
    guint n = tree->tiles->count;
    g_autofree double *x = g_new0(double, 2 * (gsize)n), *y = g_new0(double, 2 * (gsize)n);
    for (guint i = 0; i < n; i++) {
        x[i] = tree->left;
        y[i] = tree->top + (i + 0.5) * tree->row;
    }
    cairo_set_source_rgb(tree->cairo, 0, 0.447, 0.698);
    cairo_set_line_width(tree->cairo, 1.5);
    for (guint i = 0; i + 1 < n; i++) {
        const DtMerge *merge = &tree->merges[i];
        double joint = place(tree, merge->distance);
        dt_draw_line(tree->cairo, x[merge->a], y[merge->a], joint, y[merge->a]);
        dt_draw_line(tree->cairo, x[merge->b], y[merge->b], joint, y[merge->b]);
        dt_draw_line(tree->cairo, joint, y[merge->a], joint, y[merge->b]);
        x[n + i] = joint;
        y[n + i] = (y[merge->a] + y[merge->b]) / 2;
    }
    cairo_set_line_width(tree->cairo, 1);
}

static GStrv tile_names(const DtTiles *tiles)
{
    char **names = g_new0(char *, (gsize)tiles->count + 1);
    for (guint i = 0; i < tiles->count; i++) {
        const GPtrArray *labels = tiles->labels->pdata[i];
        names[i] = dt_label_and_more(labels->pdata[0], labels->len);
    }
    return names;
}

static void draw_tiles(const Tree *tree, char **names, double size)
{
    cairo_set_source_rgb(tree->cairo, 0, 0, 0);
    for (guint i = 0; i < tree->tiles->count; i++)
        dt_draw_text(tree->cairo, tree->left - gap, tree->top + (i + 0.5) * tree->row, DT_ALIGN_RIGHT, size, names[i]);
}

static char *settings_text(const DtDendrogramReport *what, const DtTiles *tiles)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "filter %s, attributes %s, linkage %s", what->filter, what->attributes, what->linkage);
    guint hidden = dt_tiles_hidden(tiles);
    if (hidden > 0)
        g_string_append_printf(text, "; %u traces in %u clusters: what joins up to %.3g is left out", tiles->leaves,
                               tiles->count, what->dendrogram->merges[hidden - 1].distance);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char *dt_dendrogram_svg(const DtDendrogramReport *what, GError **error)
{
    g_auto(DtTiles) tiles =
        dt_tiles_new(what->dendrogram, what->labels, DT_DENDROGRAM_PICTURE_ROWS, DT_DENDROGRAM_PICTURE_ROWS);
    g_autofree DtMerge *merges = dt_tiles_merges(&tiles, what->dendrogram);
    g_auto(GStrv) names = tile_names(&tiles);
    g_autofree char *settings = settings_text(what, &tiles);
    Tree tree = {.tiles = &tiles,
                 .merges = merges,
                 .row = CLAMP(1600.0 / tiles.count, 9.0, 18.0),
                 .longest = longest_distance(merges, tiles.count - 1)};
    double size = CLAMP(tree.row * 0.8, 7.5, 11.0);
    tree.left = margin + dt_text_widest((const char *const *)names, tiles.count, size) + gap;
    tree.top = margin + 3 * title_size;
    double bottom = tree.top + tiles.count * tree.row + gap;
    double titles =
        MAX(dt_text_width(dt_dendrogram_heading(what->side), title_size), dt_text_width(settings, settings_size));
    DtDrawing *drawing =
        dt_drawing_new(MAX(tree.left + width, margin + titles) + 2 * margin, bottom + 4 * gap + margin);
    tree.cairo = drawing->cairo;
    dt_draw_text(tree.cairo, margin, margin + title_size / 2, DT_ALIGN_LEFT, title_size,
                 dt_dendrogram_heading(what->side));
    dt_draw_text(tree.cairo, margin, margin + 2 * title_size, DT_ALIGN_LEFT, settings_size, settings);
    draw_merges(&tree);
    draw_tiles(&tree, names, size);
    draw_axis(&tree, bottom);
    return dt_drawing_finish(drawing, error);
}
