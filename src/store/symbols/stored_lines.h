/** Lines of an image as they are stored with a run: images/KEY.lines (docs/trace-format.md, section 9). */
#ifndef DT_STORE_SYMBOLS_STORED_LINES_H
#define DT_STORE_SYMBOLS_STORED_LINES_H

#include <glib.h>

G_BEGIN_DECLS

/** By address; each has (element-type DtSourceFrame), maybe none. */
typedef struct DtStoredLines DtStoredLines;
/** From a file's text; NULL: it is damaged. */
DtStoredLines *dt_stored_lines_parse(const char *text, gsize bytes);
void dt_stored_lines_free(DtStoredLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtStoredLines, dt_stored_lines_free)
/** NULL: the address was not asked for; borrowed. */
const GArray *dt_stored_lines_at(const DtStoredLines *lines, guint64 address);

/** The text of a file while it is made. */
GString *dt_stored_lines_begin(void);
/** Adds an address with its (element-type DtSourceFrame). */
void dt_stored_lines_add(GString *text, guint64 address, const GArray *frames);
void dt_stored_lines_end(GString *text);

G_END_DECLS

#endif
