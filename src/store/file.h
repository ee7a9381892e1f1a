/**
 * Files of a run, read piece by piece. Not mapped: a file that becomes shorter meanwhile, or lies with a hole in a full
 * memory file system, would be the end of the process (SIGBUS).
 */
#ifndef DT_STORE_FILE_H
#define DT_STORE_FILE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    int descriptor;
    guint64 bytes; /* when it was opened */
} DtFile;

/** NULL with the system's reason alone. */
DtFile *dt_file_open(const char *path, GError **error);
void dt_file_close(DtFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFile, dt_file_close)

/** Reads from `offset` on; how many bytes were there. The others of `bytes` are set to 0. Many threads may read. */
gsize dt_file_read(const DtFile *file, guint64 offset, void *to, gsize bytes);

/** A piece of a file, and room for it that is used again. */
typedef struct {
    const DtFile *file;
    guint64 start;
    gsize bytes, capacity;
    guint8 *data;
} DtWindow;

/**
 * Where the bytes from `offset` on lie in memory, aligned as in the file; borrowed until the window is asked again.
 * What is not in the file is 0. Neighbours are read along with few bytes.
 */
const guint8 *dt_window_view(DtWindow *window, guint64 offset, gsize bytes);
void dt_window_clear(DtWindow *window);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtWindow, dt_window_clear)

G_END_DECLS

#endif
