/**
 * Files of runs, results and imports. All that is read is opened here: what lies in a directory may be a pipe, which
 * waits for ever, a device, or a file of a terabyte without contents.
 *
 * Large files are read piece by piece. Not mapped: a file that becomes shorter meanwhile, or lies with a hole in a full
 * memory file system, would be the end of the process (SIGBUS).
 */
#ifndef DT_STORE_FILE_H
#define DT_STORE_FILE_H

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct {
    int descriptor;
    guint64 bytes;           /* when it was opened */
    struct DtSealed *sealed; /* a trace file in its sealed form: bytes and offsets are of the file that it stands for */
} DtFile;

/**
 * A descriptor of the regular file at `path`, closed on exec; `flags` as O_RDONLY and O_NOFOLLOW. Never waits. -1 with
 * a reason alone that does not name the path: the system's (G_FILE_ERROR), or what is there instead.
 */
gint dt_file_descriptor(const char *path, gint flags, GError **error);

/**
 * Whether there is much more of nothing in an open file than what was written to it. Recordings have holes, where space
 * was promised and not used, but never such.
 */
gboolean dt_file_is_hollow(gint descriptor, guint64 bytes);

/** Whether an open file holds nothing but zeros from `from` on: room that was made ahead and never used. */
gboolean dt_file_is_blank(gint descriptor, guint64 from);

/** NULL with a reason alone: as of dt_file_descriptor(), or that the file is hollow. */
DtFile *dt_file_open(const char *path, GError **error);
/** The same of a process's trace file, which may be in its sealed form; that may be damaged, too. */
DtFile *dt_file_open_trace(const char *path, GError **error);
void dt_file_close(DtFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFile, dt_file_close)

gboolean dt_file_is_blank_from(const DtFile *file, guint64 from);

/** Reads from `offset` on; how many bytes were there. The others of `bytes` are set to 0. Many threads may read. */
gsize dt_file_read(const DtFile *file, guint64 offset, void *to, gsize bytes);

/**
 * All of the regular file at `path`, with a NUL behind it; g_free(). NULL with a reason alone, which may be that it has
 * more than `most` bytes. `bytes` may be NULL.
 */
char *dt_file_contents(const char *path, guint64 most, gsize *bytes, GError **error);

/** The regular file at `path` as a stream to read from. */
FILE *dt_file_stream(const char *path, GError **error);

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
