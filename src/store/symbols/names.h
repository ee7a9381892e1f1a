/** Readable names of functions, from linker symbols. */
#ifndef DT_STORE_SYMBOLS_NAMES_H
#define DT_STORE_SYMBOLS_NAMES_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * The name to show for `symbol`: C++ demangled, MPI_Send for all bindings'
 * variants of it, "@plt" behind imports; spelled (dt_text_spell()). A C++ name
 * that would be larger than any compiler's stays as it is, and what is longer
 * than 1 kB and not demangled is cut, with a hash behind it. `flags` is enum
 * dt_function_flags. Free with g_free().
 */
char *dt_canonical_name(const char *symbol, guint flags);

G_END_DECLS

#endif
