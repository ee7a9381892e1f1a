#define _GNU_SOURCE /* nftw, close_range */
#include "store/packed/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/rights.h"
#include "store/packed/unpack.h"
#include "text/text.h"

enum { OPEN_DIRECTORIES = 16 };

static gboolean is_empty(const char *path)
{
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    return directory && !g_dir_read_name(directory);
}

gboolean dt_tree_make(const char *path, GError **error)
{
    gboolean exists = g_file_test(path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK);
    if (exists && !is_empty(path)) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EXISTS,
                     "%s: exists and is no empty directory: choose another name or remove it", path);
        return FALSE;
    }
    const gint failure = dt_take_private_folder(path);
    if (failure == 0)
        return TRUE;
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: cannot be made: %s", path, g_strerror(failure));
    return FALSE;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    (void)remove(path);
    return 0;
}

void dt_tree_remove(const char *path)
{
    (void)nftw(path, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
}

/* ---- for as long as this process lives ------------------------------------------------------------- */

/* The other end of the pipe is closed when the process has gone, and all that it executes. */
static void wait_and_remove(gint end, const char *path)
{
    char nothing;
    (void)setsid(); /* signals to the terminal's group are not for us */
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)dup2(end, 0);
    (void)close_range(1, ~0U, 0); /* who reads our output is not to wait for us */
    while (read(0, &nothing, 1) < 0 && errno == EINTR)
        ;
    dt_tree_remove(path);
    _exit(0);
}

/* A process that waits for our end; FALSE if there can be none. */
static gboolean keep(const char *path)
{
    gint ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return FALSE;
    pid_t child = fork();
    if (child == 0)
        wait_and_remove(ends[0], path);
    close(ends[0]);
    if (child < 0)
        close(ends[1]);
    return child > 0; /* the other end stays open to our end */
}

char *dt_pack_open(const char *file, GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autofree char *folder = g_dir_make_tmp("difftrace-XXXXXX", &cause);
    if (!folder || !keep(folder)) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: cannot be unpacked in %s: %s", file,
                     g_get_tmp_dir(), cause ? cause->message : g_strerror(errno));
        return NULL;
    }
    g_autofree char *base = g_path_get_basename(file), *run = g_build_filename(folder, base, NULL);
    return dt_unpack(file, run, DT_PACK_MOST_OPENED, FALSE, error) ? g_steal_pointer(&run) : NULL;
}
