/* Drawing with cairo into an SVG string: text, lines, the colour scale. */
#include "report/pictures/drawing.h"

#include "report/report.h"
#include "text/text.h"

#include <cairo-svg.h>

static cairo_status_t append_bytes(void *closure, const unsigned char *data, unsigned int length)
{
    g_string_append_len(closure, (const char *)data, (gssize)length);
    return CAIRO_STATUS_SUCCESS;
}

DtDrawing *dt_drawing_new(double width, double height)
{
    DtDrawing *drawing = g_new0(DtDrawing, 1);
    drawing->svg = g_string_new(NULL);
    drawing->surface = cairo_svg_surface_create_for_stream(append_bytes, drawing->svg, width, height);
    drawing->cairo = cairo_create(drawing->surface);
    cairo_set_source_rgb(drawing->cairo, 1, 1, 1);
    cairo_paint(drawing->cairo);
    cairo_set_source_rgb(drawing->cairo, 0, 0, 0);
    cairo_set_line_width(drawing->cairo, 1);
    return drawing;
}

char *dt_drawing_finish(DtDrawing *drawing, GError **error)
{
    cairo_status_t status = cairo_status(drawing->cairo);
    cairo_destroy(drawing->cairo);
    cairo_surface_finish(drawing->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(drawing->surface);
    cairo_surface_destroy(drawing->surface);
    char *svg = g_string_free(drawing->svg, FALSE);
    g_free(drawing);
    if (status == CAIRO_STATUS_SUCCESS)
        return svg;
    g_free(svg);
    dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_PICTURE, "picture: cairo fails: %s",
                 cairo_status_to_string(status));
    return NULL;
}

static void select_font(cairo_t *cairo, double size)
{
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

double dt_text_widest(const char *const *labels, guint count, double size)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    select_font(cairo, size);
    double widest = 0;
    for (guint i = 0; i < count; i++) {
        cairo_text_extents_t extents = {0};
        cairo_text_extents(cairo, labels[i], &extents);
        widest = MAX(widest, extents.x_advance);
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return widest;
}

double dt_text_width(const char *text, double size)
{
    return dt_text_widest(&text, 1, size);
}

/* Letters reach about .36 of the size above and below their middle. */
static const double half_height = 0.36;

void dt_draw_text(cairo_t *cairo, double x, double y, DtAlign align, double size, const char *text)
{
    g_autofree char *valid = dt_text_line(text);
    select_font(cairo, size);
    cairo_text_extents_t extents = {0};
    cairo_text_extents(cairo, valid, &extents);
    double shift = align == DT_ALIGN_LEFT ? 0 : align == DT_ALIGN_RIGHT ? extents.x_advance : extents.x_advance / 2;
    cairo_move_to(cairo, x - shift, y + half_height * size);
    cairo_show_text(cairo, valid);
    cairo_new_path(cairo);
}

void dt_draw_text_upwards(cairo_t *cairo, double x, double y, double size, const char *text)
{
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_rotate(cairo, -G_PI / 2);
    dt_draw_text(cairo, 0, 0, DT_ALIGN_LEFT, size, text);
    cairo_restore(cairo);
}

void dt_draw_line(cairo_t *cairo, double x1, double y1, double x2, double y2)
{
    cairo_move_to(cairo, x1, y1);
    cairo_line_to(cairo, x2, y2);
    cairo_stroke(cairo);
}

/* Every ninth of the published table; linear in between differs by less than an eye can see. */
static const guint32 cividis[] = {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173,
                                  0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838};

void dt_scale_colour(double value, double rgb[3])
{
    guint steps = G_N_ELEMENTS(cividis) - 1;
    double place = CLAMP(value, 0.0, 1.0) * steps;
    guint step = MIN((guint)place, steps - 1);
    for (guint i = 0; i < 3; i++) {
        guint shift = 8 * (2 - i);
        double below = (cividis[step] >> shift) & 0xff, above = (cividis[step + 1] >> shift) & 0xff;
        rgb[i] = (below + (place - step) * (above - below)) / 255;
    }
}
