/* Files of a run, read piece by piece. */
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_WINDOW = 1 << 14, ALIGNMENT = 4096 };

static DtFile *fail(int descriptor, int reason, GError **error)
{
    g_set_error_literal(error, G_FILE_ERROR, (gint)g_file_error_from_errno(reason), g_strerror(reason));
    if (descriptor >= 0)
        close(descriptor);
    return NULL;
}

DtFile *dt_file_open(const char *path, GError **error)
{
    /* To open a pipe would wait for somebody who writes. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        return fail(descriptor, errno, error);
    if (!S_ISREG(status.st_mode))
        return fail(descriptor, S_ISDIR(status.st_mode) ? EISDIR : EINVAL, error);
    DtFile *file = g_new(DtFile, 1);
    file->descriptor = descriptor;
    file->bytes = (guint64)status.st_size;
    return file;
}

void dt_file_close(DtFile *file)
{
    if (!file)
        return;
    close(file->descriptor);
    g_free(file);
}

gsize dt_file_read(const DtFile *file, guint64 offset, void *to, gsize bytes)
{
    guint8 *out = to;
    gsize done = 0;
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

const guint8 *dt_window_view(DtWindow *window, guint64 offset, gsize bytes)
{
    if (offset >= window->start && offset - window->start <= window->bytes &&
        window->bytes - (offset - window->start) >= bytes)
        return window->data + (offset - window->start);
    guint64 start = offset - offset % ALIGNMENT;
    gsize needed = (gsize)(offset - start) + bytes;
    if (needed > window->capacity || !window->data) {
        window->capacity = MAX(needed, LEAST_WINDOW);
        g_free(window->data);
        window->data = g_malloc(window->capacity);
    }
    /* The rest of a large window that was needed once is not read each time. */
    window->start = start;
    window->bytes = MIN(MAX(needed, LEAST_WINDOW), window->capacity);
    dt_file_read(window->file, start, window->data, window->bytes);
    return window->data + (offset - start);
}

void dt_window_clear(DtWindow *window)
{
    g_clear_pointer(&window->data, g_free);
    window->bytes = window->capacity = 0;
}
