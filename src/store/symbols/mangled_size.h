/**
 * How large a mangled C++ name becomes when it is demangled.
 *
 * A substitution names what came before, so each may double what is printed: 355 bytes can stand for gigabytes. The C++
 * runtime's demangler has no bound but memory, and cannot be stopped. So the work is measured before, from the mangled
 * name alone: it is read once by the same grammar, with a size for each substitution instead of its text. What is
 * measured are steps, not only characters: searching a pattern for packs takes steps that print nothing, and so does
 * trying a conversion's type in two ways, which takes twice the time for each that is inside another.
 */
#ifndef DT_STORE_SYMBOLS_MANGLED_SIZE_H
#define DT_STORE_SYMBOLS_MANGLED_SIZE_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * An upper bound for the characters that demangling `name`, which begins with "_Z", prints, and for the steps it takes;
 * many times too large for most names. G_MAXUINT64: no mangled name by the grammar, or without a useful bound. Takes
 * time in proportion to the name's length.
 */
guint64 dt_mangled_size(const char *name);

G_END_DECLS

#endif
