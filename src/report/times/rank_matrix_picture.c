/* A matrix of ranks in colours. */
#include "report/pictures/drawing.h"
#include "report/times/times_pictures.h"

static const double margin = 16, label_size = 10, title_size = 13, side = 480;
enum { BLOCKS = 120 };

typedef struct {
    const DtRankMatrix *matrix;
    guint n, each; /* blocks of so many ranks */
    gdouble *cells, most;
    double cell, left, top; /* in points */
} Picture;

static void sum_blocks(Picture *picture)
{
    const DtRankMatrix *matrix = picture->matrix;
    for (guint row = 0; row < matrix->ranks; row++)
        for (guint column = 0; column < matrix->ranks; column++) {
            gdouble *cell = &picture->cells[(gsize)(row / picture->each) * picture->n + column / picture->each];
            *cell += (gdouble)matrix->value(row, column, matrix->data);
            picture->most = MAX(picture->most, *cell);
        }
}

static char *block_label(const Picture *picture, guint block)
{
    const DtRankMatrix *matrix = picture->matrix;
    const guint last = MIN((block + 1) * picture->each, matrix->ranks) - 1;
    const char *first = matrix->label(block * picture->each, matrix->data);
    return picture->each == 1 ? g_strdup(first) : g_strdup_printf("%s-%s", first, matrix->label(last, matrix->data));
}

/* Cells of nothing are one area, without seams. */
static void draw_cells(const Picture *picture, cairo_t *cairo)
{
    double nothing[3];
    dt_scale_colour(0, nothing);
    cairo_set_source_rgb(cairo, nothing[0], nothing[1], nothing[2]);
    cairo_rectangle(cairo, picture->left, picture->top, picture->n * picture->cell, picture->n * picture->cell);
    cairo_fill(cairo);
    for (gsize i = 0; i < (gsize)picture->n * picture->n; i++) {
        double rgb[3];
        if (picture->cells[i] <= 0)
            continue;
        dt_scale_colour(picture->most > 0 ? picture->cells[i] / picture->most : 0, rgb);
        cairo_set_source_rgb(cairo, rgb[0], rgb[1], rgb[2]);
        const gsize row = i / picture->n, column = i % picture->n;
        cairo_rectangle(cairo, picture->left + (double)column * picture->cell,
                        picture->top + (double)row * picture->cell, picture->cell, picture->cell);
        cairo_fill(cairo);
    }
    cairo_set_source_rgb(cairo, 0, 0, 0);
}

/* As many as do not touch. */
static void draw_labels(const Picture *picture, cairo_t *cairo)
{
    const guint every = (guint)((label_size + 2) / picture->cell) + 1;
    for (guint i = 0; i < picture->n; i += every) {
        const double middle = (i + 0.5) * picture->cell;
        g_autofree char *label = block_label(picture, i);
        dt_draw_text(cairo, picture->left - 4, picture->top + middle, DT_ALIGN_RIGHT, label_size, label);
        dt_draw_text_upwards(cairo, picture->left + middle, picture->top - 4, label_size, label);
    }
}

static void draw_scale(const Picture *picture, cairo_t *cairo, double top)
{
    enum { STEPS = 50, STEP = 3 };
    for (int i = 0; i < STEPS; i++) {
        double rgb[3];
        dt_scale_colour(i / (double)(STEPS - 1), rgb);
        cairo_set_source_rgb(cairo, rgb[0], rgb[1], rgb[2]);
        cairo_rectangle(cairo, picture->left + i * STEP, top, STEP, 10);
        cairo_fill(cairo);
    }
    cairo_set_source_rgb(cairo, 0, 0, 0);
    g_autofree char *most = picture->matrix->text(picture->most);
    g_autofree char *text =
        g_strdup_printf("0 to %s; rows: %s, columns: %s", most, picture->matrix->rows, picture->matrix->columns);
    dt_draw_text(cairo, picture->left + STEPS * STEP + 8, top + 5, DT_ALIGN_LEFT, label_size, text);
}

char *dt_rank_matrix_picture(const DtRankMatrix *matrix, GError **error)
{
    Picture picture = {.matrix = matrix, .each = MAX((matrix->ranks + BLOCKS - 1) / BLOCKS, 1)};
    picture.n = (matrix->ranks + picture.each - 1) / picture.each;
    g_autofree gdouble *cells = g_new0(gdouble, (gsize)picture.n * picture.n + 1);
    picture.cells = cells;
    sum_blocks(&picture);
    double widest = 0;
    for (guint i = 0; i < picture.n; i++) {
        g_autofree char *label = block_label(&picture, i);
        widest = MAX(widest, dt_text_width(label, label_size));
    }
    picture.cell = MIN(side / MAX(picture.n, 1), 24);
    picture.left = margin + widest + 8;
    picture.top = margin + title_size + 12 + widest + 8;
    const double map = picture.cell * picture.n;
    DtDrawing *drawing = dt_drawing_new(MAX(picture.left + map, 480) + margin, picture.top + map + 40 + margin);
    dt_draw_text(drawing->cairo, margin, margin + title_size / 2, DT_ALIGN_LEFT, title_size, matrix->title);
    draw_cells(&picture, drawing->cairo);
    draw_labels(&picture, drawing->cairo);
    draw_scale(&picture, drawing->cairo, picture.top + map + 16);
    return dt_drawing_finish(drawing, error);
}
