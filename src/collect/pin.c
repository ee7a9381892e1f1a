/* Intel's Pin, which the user installs: found by PIN_ROOT or PATH. */
#include "collect/pin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own_files.h"
#include "collect/collect.h"
#include "text/text.h"

#define TOOL_NAME "libdifftrace_pin.so"

static gboolean is_runnable(const char *path)
{
    return g_file_test(path, G_FILE_TEST_IS_REGULAR) && access(path, X_OK) == 0;
}

static char *refuse(GError **error, const char *what, const char *where, const char *remedy)
{
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_RUNTIME, "--engine pin: %s%s; %s", what, where, remedy);
    return NULL;
}

/* The kit's folder: its `pin` may be linked to from a folder of PATH. */
static char *find_kit(GError **error)
{
    const char *root = g_getenv("PIN_ROOT");
    if (root && root[0] != '\0')
        return g_canonicalize_filename(root, NULL);
    g_autofree char *pin = g_find_program_in_path("pin");
    g_autofree char *real = pin ? realpath(pin, NULL) : NULL;
    if (!real)
        return refuse(error, "no Pin kit: PIN_ROOT is not set and no 'pin' is on PATH", "",
                      "install Intel's Pin 3 and set PIN_ROOT to its folder");
    return g_path_get_dirname(real);
}

static char *find_program(GError **error)
{
    g_autofree char *kit = find_kit(error);
    if (!kit)
        return NULL;
    g_autofree char *program = g_build_filename(kit, "pin", NULL);
    g_autofree char *engine = g_build_filename(kit, "intel64", "bin", "pinbin", NULL);
    if (!is_runnable(program))
        return refuse(error, "no Pin kit: there is no program ", program, "set PIN_ROOT to the folder of a Pin 3 kit");
    if (!is_runnable(engine))
        return refuse(error, "the Pin kit is not complete: there is no program ", engine,
                      "unpack the whole kit and set PIN_ROOT to its folder");
    return g_steal_pointer(&program);
}

static char *find_tool(GError **error)
{
    g_autofree char *folder = NULL;
    char *tool = dt_find_own_file(TOOL_NAME, &folder, error);
    if (!tool && folder)
        return refuse(error, "the tool is not built: no " TOOL_NAME " in ", folder,
                      "build difftrace with cmake -DPIN_ROOT=KIT, KIT the folder of the Pin 3 kit");
    return tool;
}

char **dt_collect_find_pin(GError **error)
{
    g_autofree char *program = find_program(error);
    g_autofree char *tool = program ? find_tool(error) : NULL;
    if (!tool)
        return NULL;
    const char *const wrapper[] = {program, "-follow_execv", "1", "-t", tool, "--", NULL};
    return g_strdupv((char **)wrapper);
}
