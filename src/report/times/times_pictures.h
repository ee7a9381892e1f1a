/** Pictures of times, as SVG. Internal. */
#ifndef DT_REPORT_TIMES_PICTURES_H
#define DT_REPORT_TIMES_PICTURES_H

#include <glib.h>

G_BEGIN_DECLS

/** A matrix of ranks. */
typedef struct {
    const char *title, *rows, *columns; /* "who waited", "for whom" */
    guint ranks;
    const char *(*label)(guint rank, gconstpointer data);
    gint64 (*value)(guint row, guint column, gconstpointer data);
    char *(*text)(gdouble value); /* of the largest one; g_free() */
    gconstpointer data;
} DtRankMatrix;
/** Ranks that are many are drawn as blocks of neighbours. NULL on DT_REPORT_ERROR_PICTURE. O(ranks^2). */
char *dt_rank_matrix_picture(const DtRankMatrix *matrix, GError **error);

G_END_DECLS

#endif
