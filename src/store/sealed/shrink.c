/* Which trace files of a run are brought into their sealed form. */
#define _GNU_SOURCE /* O_DIRECTORY, fdopendir */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sealed/seal.h"
#include "store/sealed/sealed_writer.h"

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Of other hosts nobody can be asked whether a process is there: those are sealed that did not change for a while. */
static gboolean has_ended(const struct dt_file_header *header, gboolean is_sealed, gpointer data)
{
    gboolean here = strncmp(header->host, g_get_host_name(), sizeof(header->host)) == 0;
    (void)data;
    return dt_header_has_ended(header) && (here || (is_sealed && header->end_state != DT_PROCESS_RUNNING));
}

/* Calls `each` for the names in a folder, which stays the caller's. */
typedef void EachName(gint folder, const char *name, gpointer data);

static void for_each_name(gint folder, EachName *each, gpointer data)
{
    gint copy = openat(folder, ".", DIRECTORY);
    DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        g_ptr_array_add(names, g_strdup(entry->d_name));
    if (directory)
        closedir(directory);
    else if (copy >= 0)
        close(copy);
    for (guint i = 0; i < names->len; i++)
        each(folder, names->pdata[i], data);
}

static void shrink_file(gint folder, const char *name, gpointer data)
{
    const gboolean *own = data;
    const DtSealing sealing = {.folder = folder, .name = name, .wants = has_ended, .own = *own};
    if (g_str_has_suffix(name, ".trace"))
        (void)dt_sealing_run(&sealing);
}

static void shrink_folder(gint above, gboolean own)
{
    gint folder = openat(above, "processes", DIRECTORY);
    if (folder < 0)
        return;
    for_each_name(folder, shrink_file, &own);
    (void)fsync(folder);
    close(folder);
}

static void shrink_user(gint users, const char *name, gpointer data)
{
    (void)data;
    if (!g_ascii_string_to_unsigned(name, 10, 0, G_MAXUINT32, NULL, NULL))
        return;
    gint folder = openat(users, name, DIRECTORY);
    if (folder < 0)
        return;
    shrink_folder(folder, TRUE);
    close(folder);
}

void dt_run_shrink(const char *path)
{
    gint run = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (run < 0)
        return;
    shrink_folder(run, FALSE);
    gint users = openat(run, "users", DIRECTORY);
    if (users >= 0) {
        for_each_name(users, shrink_user, NULL);
        close(users);
    }
    close(run);
}
