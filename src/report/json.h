/** JSON documents, thin over json-glib. Internal to the reports. */
#ifndef DT_REPORT_JSON_H
#define DT_REPORT_JSON_H

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/** Begins a document: an object with "version": 1. */
JsonBuilder *dt_json_document(void);
/** Ends the document and gives its text; frees the builder. */
char *dt_json_finish(JsonBuilder *builder);
/** The same on one line. */
char *dt_json_finish_compact(JsonBuilder *builder);

/* Members of the current object; with name NULL, elements of the current array. */
void dt_json_string(JsonBuilder *builder, const char *name, const char *value); /* NULL: null */
void dt_json_integer(JsonBuilder *builder, const char *name, gint64 value);
void dt_json_number(JsonBuilder *builder, const char *name, double value); /* not finite: null */
void dt_json_boolean(JsonBuilder *builder, const char *name, gboolean value);
void dt_json_null(JsonBuilder *builder, const char *name);
/** A number where the text is one, else a string: "5" is 5, "5+1" is "5+1". */
void dt_json_label(JsonBuilder *builder, const char *name, const char *label);
void dt_json_strings(JsonBuilder *builder, const char *name, const char *const *values); /* NULL: [] */
void dt_json_begin_array(JsonBuilder *builder, const char *name);
void dt_json_begin_object(JsonBuilder *builder, const char *name);

G_END_DECLS

#endif
