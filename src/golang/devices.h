/** Device files that a compiler must not take for a place where it can write. */
#ifndef DT_GOLANG_DEVICES_H
#define DT_GOLANG_DEVICES_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * For g_spawn_sync(), in the child: until it and its children end, nobody of them can remove or replace /dev/null. Go
 * asks a C compiler what it knows by `-o /dev/null`, and a compiler, assembler or linker that makes its output anew
 * would put a file there if it may, as root's may. Others cannot, nor can root where namespaces of mounts are
 * forbidden: then nothing is done. Makes system calls only. `unused` as g_spawn_sync() wants it.
 */
void dt_go_keep_devices(gpointer unused);

G_END_DECLS

#endif
