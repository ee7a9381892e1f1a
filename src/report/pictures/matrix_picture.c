/* A similarity matrix as a heat map with labels and a colour bar. */
#include "report/matrix_report.h"

#include "report/pictures/drawing.h"

#include <math.h>

enum { NUMBERS_UP_TO = 20, RECTANGLES_UP_TO = 100 };

static const double margin = 16, title_size = 13, settings_size = 10, gap = 8, bar_width = 16;

/* What is drawn: all traces, or as few rows as a picture holds. */
typedef struct {
    guint n;
    double *values; /* n x n */
    GStrv labels;
    char *settings;
} Rows;

static void clear_rows(Rows *rows)
{
    g_free(rows->values);
    g_strfreev(rows->labels);
    g_free(rows->settings);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rows, clear_rows)

typedef struct {
    const Rows *rows;
    cairo_t *cairo;
    double left, top, cell, side; /* of the map */
    double label_size;
    guint step; /* every so many rows have a label */
} Map;

/* ---- rows -------------------------------------------------------------------------- */

/* The place of each class, by its first trace in the picture. */
static guint *class_places(const DtMatrix *matrix, const guint *order)
{
    guint *places = g_new(guint, matrix->classes);
    for (guint i = 0; i < matrix->classes; i++)
        places[i] = G_MAXUINT;
    for (guint i = 0, next = 0; i < matrix->n; i++) {
        guint *place = &places[dt_matrix_class(matrix, order ? order[i] : i)];
        if (*place == G_MAXUINT)
            *place = next++;
    }
    return places;
}

/* The row of each trace: `group` classes each are one; 0: each trace is. */
static guint *find_rows(const DtMatrixReport *what, guint group)
{
    const DtMatrix *matrix = what->matrix;
    g_autofree guint *order = what->clustering ? dt_dendrogram_order(what->clustering) : NULL;
    g_autofree guint *places = group > 0 ? class_places(matrix, order) : NULL;
    guint *row_of = g_new(guint, matrix->n);
    for (guint i = 0; i < matrix->n; i++) {
        guint trace = order ? order[i] : i;
        row_of[trace] = places ? places[dt_matrix_class(matrix, trace)] / group : i;
    }
    return row_of;
}

static Rows rows_new(const DtMatrixReport *what, guint group)
{
    const DtMatrix *matrix = what->matrix;
    Rows rows = {.n = group > 0 ? (matrix->classes + group - 1) / group : matrix->n};
    g_autofree guint *row_of = find_rows(what, group), *counts = g_new0(guint, rows.n);
    rows.labels = g_new0(char *, (gsize)rows.n + 1);
    for (guint i = 0; i < matrix->n; i++)
        counts[row_of[i]]++;
    for (guint i = 0; i < matrix->n; i++) {
        char **label = &rows.labels[row_of[i]];
        *label = *label ? *label : dt_label_and_more(what->labels[i], counts[row_of[i]]);
    }
    rows.values = dt_matrix_block_means(matrix, row_of, rows.n);
    return rows;
}

static void tell_settings(Rows *rows, const DtMatrixReport *what, guint group)
{
    const DtMatrix *matrix = what->matrix;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "filter %s, attributes %s; %s", what->filter, what->attributes,
                           what->side == DT_SIDE_DIFFERENCE ? "0 = unchanged" : "1 = alike, 0 = nothing in common");
    if (what->clustering)
        g_string_append(text, "; in the order of their clustering");
    if (group == 1)
        g_string_append_printf(text, "; %u traces in %u classes of equal rows", matrix->n, matrix->classes);
    else if (group > 1)
        g_string_append_printf(text, "; %u traces in %u classes: means over %u classes each", matrix->n,
                               matrix->classes, group);
    rows->settings = g_string_free(g_steal_pointer(&text), FALSE);
}

static Rows rows_of(const DtMatrixReport *what)
{
    const DtMatrix *matrix = what->matrix;
    guint group = matrix->n <= DT_MATRIX_PICTURE_ROWS
                      ? 0
                      : (matrix->classes + DT_MATRIX_PICTURE_ROWS - 1) / DT_MATRIX_PICTURE_ROWS;
    Rows rows = rows_new(what, group);
    tell_settings(&rows, what, group);
    return rows;
}

/* ---- drawing ------------------------------------------------------------------------- */

/* Large matrices get small cells. */
static double cell_size(guint n)
{
    if (n <= NUMBERS_UP_TO)
        return 34;
    return MIN(20.0, 900.0 / n);
}

static double value_at(const Rows *rows, guint row, guint column)
{
    return rows->values[(gsize)row * rows->n + column];
}

static void draw_cell(const Map *map, guint row, guint column)
{
    double value = value_at(map->rows, row, column), rgb[3];
    double x = map->left + column * map->cell, y = map->top + row * map->cell;
    dt_scale_colour(value, rgb);
    cairo_set_source_rgb(map->cairo, rgb[0], rgb[1], rgb[2]);
    cairo_rectangle(map->cairo, x, y, map->cell, map->cell);
    cairo_fill(map->cairo);
    if (map->rows->n > NUMBERS_UP_TO)
        return;
    double ink = value < 0.6 ? 1 : 0;
    g_autofree char *text = g_strdup_printf(value == 0 || value == 1 ? "%.0f" : "%.2f", value);
    cairo_set_source_rgb(map->cairo, ink, ink, ink);
    dt_draw_text(map->cairo, x + map->cell / 2, y + map->cell / 2, DT_ALIGN_MIDDLE, 11, text);
}

/* One pixel a cell, scaled up without smoothing: the size of the picture stays in bounds. */
static void draw_pixels(const Map *map)
{
    guint n = map->rows->n;
    cairo_surface_t *pixels = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)n, (int)n);
    unsigned char *data = cairo_image_surface_get_data(pixels);
    gsize stride = (gsize)cairo_image_surface_get_stride(pixels);
    for (guint i = 0; data && i < n; i++) {
        guint32 *row = (guint32 *)(void *)(data + i * stride);
        for (guint j = 0; j < n; j++) {
            double rgb[3];
            dt_scale_colour(value_at(map->rows, i, j), rgb);
            row[j] = (guint32)lround(rgb[0] * 255) << 16 | (guint32)lround(rgb[1] * 255) << 8 |
                     (guint32)lround(rgb[2] * 255);
        }
    }
    cairo_surface_mark_dirty(pixels);
    cairo_save(map->cairo);
    cairo_translate(map->cairo, map->left, map->top);
    cairo_scale(map->cairo, map->cell, map->cell);
    cairo_set_source_surface(map->cairo, pixels, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(map->cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(map->cairo);
    cairo_restore(map->cairo);
    cairo_surface_destroy(pixels);
}

static void draw_map(const Map *map)
{
    guint n = map->rows->n;
    if (n > RECTANGLES_UP_TO) {
        draw_pixels(map);
        return;
    }
    cairo_set_antialias(map->cairo, CAIRO_ANTIALIAS_NONE);
    for (guint i = 0; i < n; i++) {
        for (guint j = 0; j < n; j++)
            draw_cell(map, i, j);
    }
    cairo_set_antialias(map->cairo, CAIRO_ANTIALIAS_DEFAULT);
}

static void draw_labels(const Map *map)
{
    cairo_set_source_rgb(map->cairo, 0, 0, 0);
    for (guint i = 0; i < map->rows->n; i += map->step) {
        double middle = (i + 0.5) * map->cell;
        dt_draw_text(map->cairo, map->left - gap, map->top + middle, DT_ALIGN_RIGHT, map->label_size,
                     map->rows->labels[i]);
        dt_draw_text_upwards(map->cairo, map->left + middle, map->top - gap, map->label_size, map->rows->labels[i]);
    }
}

static void draw_bar(const Map *map, double x, double height)
{
    enum { STEPS = 64, TICKS = 5 };
    cairo_set_antialias(map->cairo, CAIRO_ANTIALIAS_NONE);
    for (guint i = 0; i < STEPS; i++) {
        double rgb[3];
        dt_scale_colour((i + 0.5) / STEPS, rgb);
        cairo_set_source_rgb(map->cairo, rgb[0], rgb[1], rgb[2]);
        cairo_rectangle(map->cairo, x, map->top + height * (STEPS - 1 - i) / STEPS, bar_width, height / STEPS + 1);
        cairo_fill(map->cairo);
    }
    cairo_set_antialias(map->cairo, CAIRO_ANTIALIAS_DEFAULT);
    cairo_set_source_rgb(map->cairo, 0, 0, 0);
    for (guint i = 0; i < TICKS; i++) {
        double value = (double)i / (TICKS - 1);
        g_autofree char *text = g_strdup_printf("%.2f", value);
        dt_draw_text(map->cairo, x + bar_width + gap, map->top + height * (1 - value), DT_ALIGN_LEFT, 10, text);
    }
}

static void draw_titles(const Map *map, const char *heading)
{
    cairo_set_source_rgb(map->cairo, 0, 0, 0);
    dt_draw_text(map->cairo, margin, margin + title_size / 2, DT_ALIGN_LEFT, title_size, heading);
    dt_draw_text(map->cairo, margin, margin + 2 * title_size, DT_ALIGN_LEFT, settings_size, map->rows->settings);
}

char *dt_matrix_svg(const DtMatrixReport *what, GError **error)
{
    g_auto(Rows) rows = rows_of(what);
    double cell = cell_size(rows.n);
    double label_size = CLAMP(cell * 0.8, 8.0, 11.0);
    double labels = dt_text_widest((const char *const *)rows.labels, rows.n, label_size);
    double side = cell * rows.n, bar = MAX(side, 120);
    Map map = {.rows = &rows, .cell = cell, .side = side, .label_size = label_size};
    map.left = margin + labels + gap;
    map.top = margin + 3 * title_size + labels + gap;
    map.step = MAX(1, (guint)ceil(1.2 * label_size / cell));
    double right = map.left + side + 2 * gap + bar_width + gap + 30 + margin;
    const char *heading = dt_matrix_heading(what->side);
    double titles = MAX(dt_text_width(heading, title_size), dt_text_width(rows.settings, settings_size));
    DtDrawing *drawing = dt_drawing_new(MAX(right, 2 * margin + titles), map.top + bar + margin);
    map.cairo = drawing->cairo;
    draw_titles(&map, heading);
    draw_map(&map);
    draw_labels(&map);
    draw_bar(&map, map.left + side + 2 * gap, bar);
    return dt_drawing_finish(drawing, error);
}
