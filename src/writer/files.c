/* Writing a file, and saying why not. */
#include "writer/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/rights.h"
#include "text/text.h"
#include "writer/writer.h"

G_DEFINE_QUARK(dt_writer_error, dt_writer_error)

static gboolean write_all(gint file, guint64 offset, const guint8 *data, gsize bytes)
{
    while (bytes > 0) {
        gssize written = pwrite(file, data, bytes, (off_t)offset);
        if (written < 0 && errno != EINTR)
            return FALSE;
        gsize done = (gsize)MAX(written, 0);
        data += done;
        offset += done;
        bytes -= done;
    }
    return TRUE;
}

gint dt_write_at(const char *path, guint64 offset, const void *data, gsize bytes)
{
    gint file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, dt_mode_beside(path, 0666));
    gint failure = file < 0 || !write_all(file, offset, data, bytes) ? errno : 0;
    if (file >= 0 && close(file) != 0 && failure == 0)
        failure = errno;
    return failure;
}

static const char *remedy(gint error_number)
{
    switch (error_number) {
    case ENOSPC:
    case EDQUOT:
        return "make room there, or choose a directory on another disk";
    case EFBIG:
        return "raise the limit of a file's size (ulimit -f)";
    case EMFILE:
        return "raise the limit of open files (ulimit -n)";
    case ENFILE:
        return "close some files: the system has no more of them";
    case EEXIST:
        return "remove it, or choose another directory";
    default:
        return "choose a directory that you may write to";
    }
}

void dt_set_write_error(GError **error, const char *path, gint error_number)
{
    dt_set_error(error, DT_WRITER_ERROR, DT_WRITER_ERROR_IO, "%s: cannot be written: %s: %s", path,
                 g_strerror(error_number), remedy(error_number));
}
