/* Writing a result beside its place, and moving it there. */
#include "result/result_directory.h"

#include "result/result.h"

#include "store/store.h"
#include "text/text.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

static char *without_slashes(const char *path)
{
    char *plain = g_strdup(path);
    for (gsize length = strlen(plain); length > 1 && plain[length - 1] == '/'; length--)
        plain[length - 1] = '\0';
    return plain;
}

/* Files of ours only: results hold no directories. */
static void remove_files(const char *directory)
{
    g_autoptr(GDir) entries = g_dir_open(directory, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *file = g_build_filename(directory, name, NULL);
        g_unlink(file);
    }
}

static gboolean is_in_the_way(const char *path)
{
    g_autoptr(GDir) entries = g_dir_open(path, 0, NULL);
    if (!entries)
        return g_file_test(path, G_FILE_TEST_EXISTS);
    return g_dir_read_name(entries) && !dt_is_our_directory(path, "result") && !dt_is_our_directory(path, "run");
}

char *dt_result_begin(const char *directory, GError **error)
{
    g_autofree char *plain = without_slashes(directory);
    g_autofree char *partial = g_strconcat(plain, ".partial", NULL);
    /* What is in the way is told before anything is written, in the words of the store. */
    if (is_in_the_way(plain) && !dt_output_directory(plain, "result", error))
        return NULL;
    if (dt_is_our_directory(partial, "result"))
        remove_files(partial);
    return dt_output_directory(partial, "result", error) ? g_steal_pointer(&partial) : NULL;
}

void dt_result_discard(const char *partial)
{
    remove_files(partial);
    g_rmdir(partial);
}

gboolean dt_result_commit(const char *partial, const char *directory, GError **error)
{
    g_autofree char *plain = without_slashes(directory);
    if (!dt_output_directory(plain, "result", error))
        return FALSE;
    /* Nothing is there but the mark: the written directory takes its place at once. */
    remove_files(plain);
    if (g_rename(partial, plain) == 0)
        return TRUE;
    dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_OUTPUT, "%s: %s", plain, g_strerror(errno));
    return FALSE;
}
