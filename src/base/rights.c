#include "base/rights.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

enum { OWNER = 0700, FILE_MODE = 0666, FOLDER_MODE = 0777, OPEN_TO_OTHERS = 0044 };

guint dt_mode_beside(const char *path, guint mode)
{
    g_autofree char *folder = g_path_get_dirname(path);
    struct stat status;
    return stat(folder, &status) == 0 && (status.st_mode & OPEN_TO_OTHERS) ? mode : mode & OWNER;
}

gboolean dt_set_contents(const char *path, const char *text, GError **error)
{
    return g_file_set_contents_full(path, text, (gssize)strlen(text),
                                    G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_ONLY_EXISTING,
                                    (int)dt_mode_beside(path, FILE_MODE), error);
}

gint dt_private_folder(const char *path)
{
    g_autofree char *plain = g_strdup(path);
    for (gsize length = strlen(plain); length > 1 && plain[length - 1] == '/'; length--)
        plain[length - 1] = '\0';
    g_autofree char *parent = g_path_get_dirname(plain);
    if (g_mkdir_with_parents(parent, FOLDER_MODE) != 0)
        return errno;
    if (g_mkdir(plain, OWNER) == 0)
        return 0;
    const gint failure = errno;
    return failure == EEXIST && g_file_test(plain, G_FILE_TEST_IS_DIR) ? 0 : failure;
}

gint dt_take_private_folder(const char *path)
{
    const gint failure = dt_private_folder(path);
    if (failure == 0)
        (void)g_chmod(path, OWNER); /* somebody else's cannot be closed: the files in it are */
    return failure;
}
