/* Directories that we write: made new, never over something that is not ours. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/rights.h"
#include "store/file.h"
#include "store/store.h"
#include "store/writers.h"
#include "text/text.h"

static const char MARKER[] = ".difftrace";
enum { OPEN_DIRECTORIES = 16, MOST_MARKER_BYTES = 64 };

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

/* Does not follow symbolic links. */
static gboolean remove_tree(const char *path, GError **error)
{
    if (nftw(path, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
        return TRUE;
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: cannot be removed: %s", path, g_strerror(errno));
    return FALSE;
}

static char *read_marker(const char *path)
{
    g_autofree char *marker = g_build_filename(path, MARKER, NULL);
    char *text = dt_file_contents(marker, MOST_MARKER_BYTES, NULL, NULL);
    return text ? g_strstrip(text) : NULL;
}

gboolean dt_is_our_directory(const char *path, const char *kind)
{
    g_autofree char *found = read_marker(path);
    return g_strcmp0(found, kind) == 0;
}

static gboolean is_empty(const char *path)
{
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    return directory && !g_dir_read_name(directory);
}

static gboolean may_replace(const char *path, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EXISTS,
                     "%s: exists and is no directory: choose another name or remove it", path);
        return FALSE;
    }
    if (is_empty(path) || dt_is_our_directory(path, "run") || dt_is_our_directory(path, "result"))
        return TRUE;
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EXISTS,
                 "%s: not empty and no earlier output of difftrace: choose another name or empty it", path);
    return FALSE;
}

static gboolean move_to_old(const char *path, GError **error)
{
    g_autofree char *old = g_strconcat(path, ".old", NULL);
    if (g_file_test(old, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK) &&
        (!may_replace(old, error) || !remove_tree(old, error)))
        return FALSE;
    if (g_rename(path, old) == 0)
        return TRUE;
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: cannot be moved to %s: %s", path, old,
                 g_strerror(errno));
    return FALSE;
}

static char *without_trailing_slashes(const char *path)
{
    gsize length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return g_strndup(path, length);
}

gboolean dt_output_directory(const char *path, const char *kind, GError **error)
{
    g_autofree char *plain = without_trailing_slashes(path);
    gboolean exists = g_file_test(plain, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK);
    if (exists && !may_replace(plain, error))
        return FALSE;
    if (exists && dt_writers_are_there(plain)) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EXISTS,
                     "%s: another difftrace collect is still recording there: wait until it has ended, or choose "
                     "another name",
                     plain);
        return FALSE;
    }
    if (exists && !is_empty(plain) && !move_to_old(plain, error))
        return FALSE;
    const gint failure = dt_take_private_folder(plain);
    if (failure != 0) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: cannot be made: %s", plain, g_strerror(failure));
        return FALSE;
    }
    g_autofree char *marker = g_build_filename(plain, MARKER, NULL);
    g_autofree char *text = g_strconcat(kind, "\n", NULL);
    g_autoptr(GError) cause = NULL;
    if (!dt_set_contents(marker, text, &cause)) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s", plain, cause->message);
        return FALSE;
    }
    return TRUE;
}
