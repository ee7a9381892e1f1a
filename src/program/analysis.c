/* Loads the commands that analyse. */
#include "program/analysis.h"

#include <dlfcn.h>

#include "base/own_files.h"
#include "cli/cli.h"
#include "text/text.h"

#define MODULE "difftrace-analysis.so"

static char *find_module(GError **error)
{
    g_autofree char *searched = NULL;
    char *path = dt_find_own_file(MODULE, &searched, error);
    if (path == NULL && searched != NULL)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_MODULE,
                     "cannot find the analysis: no " MODULE " in %s; build or install it", searched);
    return path;
}

/* It stays loaded to the end. */
static void *load_module(const char *path, GError **error)
{
    void *module = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (module == NULL)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_MODULE, "%s: cannot be loaded: %s; install what is missing",
                     path, dlerror());
    return module;
}

DtCommand dt_analysis_command(const char *name, GError **error)
{
    g_autofree char *path = find_module(error);
    void *module = path != NULL ? load_module(path, error) : NULL;
    if (module == NULL)
        return NULL;
    g_autofree char *symbol = g_strconcat("dt_cmd_", name, NULL);
    DtCommand command = NULL;
    *(void **)&command = dlsym(module, symbol);
    if (command == NULL)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_MODULE,
                     "%s: of another version of difftrace; install both again", path);
    return command;
}
