/* Runs that were recorded on the disks of several nodes and gathered in one directory, a part for each node. */
#include <string.h>

#include "store/problems.h"
#include "store/run_private.h"

static gint compare_names(gconstpointer first, gconstpointer second)
{
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

GPtrArray *dt_find_parts(const char *path)
{
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    while (directory && (name = g_dir_read_name(directory))) {
        g_autofree char *processes = g_build_filename(path, name, "processes", NULL);
        if (g_file_test(processes, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(parts, g_strdup(name));
    }
    g_ptr_array_sort(parts, compare_names);
    return parts->len > 0 ? g_steal_pointer(&parts) : NULL;
}

GPtrArray *dt_list_gathered_files(const char *path, const GPtrArray *parts)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < parts->len; i++) {
        g_autofree char *part = g_build_filename(path, parts->pdata[i], NULL);
        g_autoptr(GPtrArray) own = dt_list_process_files(part);
        for (guint k = 0; own && k < own->len; k++)
            g_ptr_array_add(files, g_build_filename(parts->pdata[i], own->pdata[k], NULL));
    }
    return files;
}
