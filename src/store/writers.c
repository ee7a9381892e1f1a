#define _GNU_SOURCE
#include "store/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/rights.h"

static const char LOCKED[] = ".writers";
/* A lock that somebody else holds for longer is not one of ours: better to go on without. */
enum { LOCK_WAIT_US = 10 * G_USEC_PER_SEC, LOCK_POLL_US = 2000 };

static gint open_locked(const char *directory, gint flags)
{
    g_autofree char *path = g_build_filename(directory, LOCKED, NULL);
    return open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, dt_mode_beside(path, 0666));
}

static gboolean is_locked_by_others(gint descriptor)
{
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
}

gint dt_writers_join(const char *directory)
{
    gint descriptor = open_locked(directory, O_RDWR | O_CREAT);
    struct flock shared = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    if (descriptor >= 0 && fcntl(descriptor, F_OFD_SETLK, &shared) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

gboolean dt_writers_are_there(const char *directory)
{
    gint descriptor = open_locked(directory, O_RDONLY);
    if (descriptor < 0)
        return FALSE;
    gboolean locked = is_locked_by_others(descriptor);
    close(descriptor);
    return locked;
}

gboolean dt_writers_leave(gint descriptor)
{
    if (descriptor < 0)
        return TRUE;
    gboolean last = !is_locked_by_others(descriptor);
    close(descriptor);
    return last;
}

gint dt_directory_lock(const char *directory)
{
    gint descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    gint64 deadline = g_get_monotonic_time() + LOCK_WAIT_US;
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || g_get_monotonic_time() > deadline) {
            close(descriptor);
            return -1;
        }
        g_usleep(LOCK_POLL_US);
    }
    return descriptor;
}
