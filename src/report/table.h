/** Tables of text with aligned columns. Internal to the reports. */
#ifndef DT_REPORT_TABLE_H
#define DT_REPORT_TABLE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct DtTable DtTable;

/** Columns by their headings, '|' between them; ">calls" is aligned right, "~function" has names. */
DtTable *dt_table_new(const char *headings);
void dt_table_free(DtTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTable, dt_table_free)

/** Adds cells, row by row. The string is copied (NULL = empty). */
void dt_table_add(DtTable *table, const char *cell);
void dt_table_add_format(DtTable *table, const char *format, ...) G_GNUC_PRINTF(2, 3);

/**
 * Columns two blanks apart, headings first, no blanks at the ends of lines. Where the table is wider
 * than `width` characters (0: no limit), the widest columns are narrowed and their cells go on below; without
 * a limit long names do not count for the width of their column. Names that are very long are cut.
 */
void dt_table_append_text(const DtTable *table, GString *out, guint width);
/** Tab separated (dt_text_tsv()). */
void dt_table_append_tsv(const DtTable *table, GString *out);

/** A text made one line (dt_text_line()) and written on lines of at most `width` characters, whole words; 0: on one. */
void dt_append_wrapped(GString *out, const char *text, guint width);

G_END_DECLS

#endif
