/** Symbol files as packed runs hold them: column by column, addresses as differences. docs/trace-format.md, section 15.
 */
#ifndef DT_STORE_SYMBOL_COLUMNS_H
#define DT_STORE_SYMBOL_COLUMNS_H

#include <glib.h>

G_BEGIN_DECLS

/** NULL: it is no symbol file as the tracer writes them, and stays as it is. g_byte_array_unref() */
GByteArray *dt_symbol_columns_pack(const guint8 *file, gsize bytes);

/** NULL: it is damaged. At most eight times as long, and 32 bytes. */
GByteArray *dt_symbol_columns_unpack(const guint8 *columns, gsize bytes);

G_END_DECLS

#endif
