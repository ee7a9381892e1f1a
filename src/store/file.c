/* Opening regular files, and reading them piece by piece. */
#define _GNU_SOURCE /* SEEK_DATA */
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sealed/sealed_reader.h"

enum {
    LEAST_WINDOW = 1 << 14,
    ALIGNMENT = 4096,
    MOST_PIECES = 1 << 16 /* of a file with holes; what has more is taken as written */
};

/* ---- opening ------------------------------------------------------------------------------- */

static void set_system_error(GError **error)
{
    gint reason = errno;
    g_set_error_literal(error, G_FILE_ERROR, (gint)g_file_error_from_errno(reason), g_strerror(reason));
}

static gboolean is_regular(const struct stat *status, GError **error)
{
    const char *kind = S_ISFIFO(status->st_mode)   ? "a pipe"
                       : S_ISSOCK(status->st_mode) ? "a socket"
                       : S_ISDIR(status->st_mode)  ? "a directory"
                                                   : "a device";
    if (S_ISREG(status->st_mode))
        return TRUE;
    g_set_error(error, G_FILE_ERROR, S_ISDIR(status->st_mode) ? G_FILE_ERROR_ISDIR : G_FILE_ERROR_INVAL,
                "it is %s, no regular file", kind);
    return FALSE;
}

/* Asked before it is opened, because to open a device may do something, and after, because it may have changed. */
static gint open_regular(const char *path, gint flags, guint64 *bytes, GError **error)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        set_system_error(error);
        return -1;
    }
    if (!is_regular(&status, error))
        return -1;
    gint descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    gboolean known = descriptor >= 0 && fstat(descriptor, &status) == 0;
    *bytes = (guint64)MAX(status.st_size, 0);
    if (!known)
        set_system_error(error);
    else if (is_regular(&status, error))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

gint dt_file_descriptor(const char *path, gint flags, GError **error)
{
    guint64 bytes;
    return open_regular(path, flags, &bytes, error);
}

/* Bytes that are not in holes, by the file system; all of them where it does not know. */
static guint64 count_written(gint descriptor, guint64 bytes)
{
    guint64 written = 0;
    off_t start = 0, end = 0;
    for (guint pieces = 0; pieces < MOST_PIECES; pieces++) {
        start = lseek(descriptor, end, SEEK_DATA);
        if (start < 0)
            return errno == ENXIO ? written : bytes;
        end = lseek(descriptor, start, SEEK_HOLE);
        if (end <= start)
            return bytes;
        written += (guint64)(end - start);
    }
    return bytes;
}

gboolean dt_file_is_hollow(gint descriptor, guint64 bytes)
{
    static const guint64 most_nothing = 1 << 28, share = 8;
    if (bytes <= most_nothing)
        return FALSE;
    guint64 written = MIN(count_written(descriptor, bytes), bytes), nothing = bytes - written;
    return nothing > most_nothing && nothing / share > written;
}

gboolean dt_file_is_blank(gint descriptor, guint64 from)
{
    guint8 block[1 << 14];
    for (off_t at = lseek(descriptor, (off_t)from, SEEK_DATA); at >= 0; at = lseek(descriptor, at, SEEK_DATA)) {
        gssize bytes = pread(descriptor, block, sizeof(block), at);
        if (bytes <= 0)
            return bytes == 0;
        if (block[0] != 0 || memcmp(block, block + 1, (gsize)bytes - 1) != 0)
            return FALSE;
        at += bytes;
    }
    return errno == ENXIO;
}

gboolean dt_file_is_blank_from(const DtFile *file, guint64 from)
{
    return file->sealed ? dt_sealed_is_blank_from(file->sealed, from) : dt_file_is_blank(file->descriptor, from);
}

/* Its size, and a descriptor that is not hollow. */
static gint open_filled(const char *path, guint64 *bytes, GError **error)
{
    gint descriptor = open_regular(path, O_RDONLY, bytes, error);
    if (descriptor < 0 || !dt_file_is_hollow(descriptor, *bytes))
        return descriptor;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                "nearly nothing of its %" G_GUINT64_FORMAT " bytes was ever written", *bytes);
    close(descriptor);
    return -1;
}

DtFile *dt_file_open(const char *path, GError **error)
{
    guint64 bytes = 0;
    gint descriptor = open_filled(path, &bytes, error);
    if (descriptor < 0)
        return NULL;
    DtFile *file = g_new0(DtFile, 1);
    file->descriptor = descriptor;
    file->bytes = bytes;
    return file;
}

DtFile *dt_file_open_trace(const char *path, GError **error)
{
    g_autoptr(DtFile) file = dt_file_open(path, error);
    if (!file || !dt_sealed_is(file->descriptor))
        return g_steal_pointer(&file);
    file->sealed = dt_sealed_open(file->descriptor, file->bytes, error);
    if (!file->sealed)
        return NULL;
    file->bytes = dt_sealed_image_bytes(file->sealed);
    return g_steal_pointer(&file);
}

void dt_file_close(DtFile *file)
{
    if (!file)
        return;
    dt_sealed_free(file->sealed);
    close(file->descriptor);
    g_free(file);
}

gsize dt_file_read(const DtFile *file, guint64 offset, void *to, gsize bytes)
{
    guint8 *out = to;
    gsize done = 0;
    if (file->sealed)
        return dt_sealed_read(file->sealed, offset, to, bytes);
    while (done < bytes && offset + done <= G_MAXINT64) {
        gssize part = pread(file->descriptor, out + done, bytes - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            break;
        done += (gsize)part;
    }
    memset(out + done, 0, bytes - done);
    return done;
}

/* ---- whole files ------------------------------------------------------------------------------ */

char *dt_file_contents(const char *path, guint64 most, gsize *bytes, GError **error)
{
    g_autoptr(DtFile) file = dt_file_open(path, error);
    if (!file)
        return NULL;
    char *text = file->bytes <= most ? g_try_malloc(file->bytes + 1) : NULL;
    if (!text) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "it has %" G_GUINT64_FORMAT " bytes, and no such file has more than %" G_GUINT64_FORMAT,
                    file->bytes, most);
        return NULL;
    }
    gsize there = dt_file_read(file, 0, text, file->bytes);
    text[there] = 0;
    if (bytes)
        *bytes = there;
    return text;
}

FILE *dt_file_stream(const char *path, GError **error)
{
    guint64 bytes = 0;
    gint descriptor = open_filled(path, &bytes, error);
    return descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
}

/* ---- pieces -------------------------------------------------------------------------------- */

const guint8 *dt_window_view(DtWindow *window, guint64 offset, gsize bytes)
{
    if (offset >= window->start && offset - window->start <= window->bytes &&
        window->bytes - (offset - window->start) >= bytes)
        return window->data + (offset - window->start);
    guint64 start = offset - offset % ALIGNMENT;
    gsize needed = (gsize)(offset - start) + bytes;
    const gsize least = window->file->sealed ? needed : LEAST_WINDOW; /* its neighbours may lie in another block */
    if (needed > window->capacity || !window->data) {
        window->capacity = MAX(needed, LEAST_WINDOW);
        g_free(window->data);
        window->data = g_malloc(window->capacity);
    }
    /* The rest of a large window that was needed once is not read each time. */
    window->start = start;
    window->bytes = MIN(MAX(needed, least), window->capacity);
    dt_file_read(window->file, start, window->data, window->bytes);
    return window->data + (offset - start);
}

void dt_window_clear(DtWindow *window)
{
    g_clear_pointer(&window->data, g_free);
    window->bytes = window->capacity = 0;
}
