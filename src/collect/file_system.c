#include "collect/file_system.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "collect/collect.h"
#include "text/text.h"

enum { PROBED_BYTES = 4096 };

/* The folder that is there already in which `path` is to be made. */
static char *existing_parent(const char *path)
{
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    char *folder = g_path_get_dirname(absolute);
    while (!g_file_test(folder, G_FILE_TEST_IS_DIR) && !g_str_equal(folder, "/")) {
        char *above = g_path_get_dirname(folder);
        g_free(folder);
        folder = above;
    }
    return folder;
}

/* 0, or the error. */
static gint map_shared(gint file)
{
    if (ftruncate(file, PROBED_BYTES) != 0)
        return 0;
    void *memory = mmap(NULL, PROBED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return errno;
    munmap(memory, PROBED_BYTES);
    return 0;
}

gboolean dt_file_system_check(const char *path, GError **error)
{
    g_autofree char *folder = existing_parent(path);
    g_autofree char *probe = g_build_filename(folder, ".difftrace-probe-XXXXXX", NULL);
    gint file = g_mkstemp(probe);
    if (file < 0)
        return TRUE;
    gint problem = map_shared(file);
    g_unlink(probe);
    close(file);
    if (problem != 0)
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION,
                     "cannot record into '%s': its file system has no shared writable mappings (%s), through which "
                     "traces are written; choose a place on another one with -o, such as the disks of the nodes",
                     path, g_strerror(problem));
    return problem == 0;
}
