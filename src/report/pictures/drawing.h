/** SVG pictures drawn by cairo. Internal to the reports. */
#ifndef DT_REPORT_PICTURES_DRAWING_H
#define DT_REPORT_PICTURES_DRAWING_H

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

/** A picture being drawn; white, black sans-serif text of 11 points. */
typedef struct {
    cairo_t *cairo;
    cairo_surface_t *surface;
    GString *svg;
} DtDrawing;

DtDrawing *dt_drawing_new(double width, double height);
/** Ends the drawing and gives its SVG; frees the drawing. NULL on DT_REPORT_ERROR_PICTURE. */
char *dt_drawing_finish(DtDrawing *drawing, GError **error);

/** Width of a text in the drawings' font at a size, without a drawing at hand. */
double dt_text_width(const char *text, double size);
/** The widest of `count` labels. */
double dt_text_widest(const char *const *labels, guint count, double size);

typedef enum { DT_ALIGN_LEFT, DT_ALIGN_MIDDLE, DT_ALIGN_RIGHT } DtAlign;
/** Text whose vertical middle is at `y`. */
void dt_draw_text(cairo_t *cairo, double x, double y, DtAlign align, double size, const char *text);
/** The same, read upwards: starts at the bottom. */
void dt_draw_text_upwards(cairo_t *cairo, double x, double y, double size, const char *text);
void dt_draw_line(cairo_t *cairo, double x1, double y1, double x2, double y2);

/** Cividis (Nunez, Anderton & Renslow 2018), a scale that reads alike with and without colour blindness. 0..1. */
void dt_scale_colour(double value, double rgb[3]);

G_END_DECLS

#endif
