/** HTML as text. Internal to the page. */
#ifndef DT_REPORT_FRONT_MARKUP_H
#define DT_REPORT_FRONT_MARKUP_H

#include <glib.h>

G_BEGIN_DECLS

/** Appends `format`, in which %s is a text, made harmless; %n a name: brief, with the full one on demand; %h markup as
 * it is; %u a guint. */
void dt_markup_add(GString *out, const char *format, ...);

/** A name is shown in so many characters until all of it is asked for. */
enum { DT_MARKUP_NAME_SHOWN = 72 };

G_END_DECLS

#endif
