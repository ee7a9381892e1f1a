/** Writes JSON as indented text. */
#ifndef DT_COLLECT_JSON_TEXT_H
#define DT_COLLECT_JSON_TEXT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    GString *text;
    guint depth;       /* of the objects and arrays that are open */
    gboolean has_some; /* the innermost of them is not empty */
} DtJsonText;

/** Opens an object or an array: `bracket` is { or [. Here and below `name` is that of the member, NULL in an array. */
void dt_json_open(DtJsonText *json, const char *name, char bracket);
/** Closes it: } or ]. */
void dt_json_close(DtJsonText *json, char bracket);
/** `text` is UTF-8; NULL gives null. */
void dt_json_add_string(DtJsonText *json, const char *name, const char *text);
void dt_json_add_integer(DtJsonText *json, const char *name, gint64 value);
/** With a point or an exponent, so that it reads as no integer. `value` is finite. */
void dt_json_add_double(DtJsonText *json, const char *name, gdouble value);
void dt_json_add_boolean(DtJsonText *json, const char *name, gboolean value);

G_END_DECLS

#endif
