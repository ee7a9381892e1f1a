#include "base/own_files.h"

char *dt_find_own_file(const char *name, char **searched, GError **error)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", error);
    if (!self)
        return NULL;
    g_autofree char *folder = g_path_get_dirname(self);
    g_autofree char *beside = g_build_filename(folder, name, NULL);
    g_autofree char *installed = g_build_filename(folder, "..", "lib", "difftrace", name, NULL);
    const char *found = g_file_test(beside, G_FILE_TEST_IS_REGULAR)      ? beside
                        : g_file_test(installed, G_FILE_TEST_IS_REGULAR) ? installed
                                                                         : NULL;
    *searched = g_strdup_printf("%s or %s/../lib/difftrace", folder, folder);
    return found ? g_canonicalize_filename(found, NULL) : NULL;
}
