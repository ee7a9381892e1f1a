/** The calls that an image has in its code: of a call that was not made nothing else tells where it stands. */
#ifndef DT_STORE_SYMBOLS_IMAGE_CALLS_H
#define DT_STORE_SYMBOLS_IMAGE_CALLS_H

#include <elfutils/libdwfl.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * Appends the return addresses (guint64, load bias not added) of the direct calls that `caller` makes of `callee`, both
 * linker names, in the order of their addresses; its parts that the compiler has put elsewhere (NAME.cold, NAME.part.0)
 * count, too. Calls through pointers are not found. x86_64 only. O(symbols + bytes of the caller).
 */
void dt_image_calls_find(Dwfl_Module *module, const char *caller, const char *callee, GArray *addresses);

G_END_DECLS

#endif
