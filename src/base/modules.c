#include "base/modules.h"

#include <dlfcn.h>

#include "base/own_files.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_module_error, dt_module_error)

typedef struct {
    const char *file;
    const char *source;   /* what brings it */
    const char *packages; /* what it needs */
    int flags;            /* of dlopen() */
} Module;

static const Module modules[DT_MODULES] = {
    [DT_MODULE_ANALYSIS] = {"difftrace-analysis.so", "the package difftrace",
                            "libcairo2, libdw1, libgomp1, libgvc6, libjson-glib-1.0-0, libpcre2-8-0",
                            RTLD_LAZY | RTLD_LOCAL},
    /* Open MPI's own plugins need its symbols. */
    [DT_MODULE_OPENMPI] = {"difftrace-mpi.so", "the package difftrace-openmpi, or a build where libopenmpi-dev is,",
                           "libopenmpi3", RTLD_NOW | RTLD_GLOBAL},
    [DT_MODULE_MPICH] = {"difftrace-mpi-mpich.so", "the package difftrace-mpich, or a build where libmpich-dev is,",
                         "libmpich12", RTLD_NOW | RTLD_GLOBAL},
    [DT_MODULE_SCREEN] = {"difftrace-screen.so", "a build where libncurses-dev is", "libncursesw6",
                          RTLD_NOW | RTLD_LOCAL},
    [DT_MODULE_NETWORK] = {"difftrace-network.so", "the package difftrace", "libnng1", RTLD_NOW | RTLD_LOCAL},
    [DT_MODULE_DECODE] = {"difftrace-decode.so", "the package difftrace", "libglib2.0-0", RTLD_LAZY | RTLD_LOCAL},
    [DT_MODULE_SIMGRID] = {"difftrace-simgrid.so", "the package difftrace-simgrid, or a build where libsimgrid-dev is,",
                           "libsimgrid3.32", RTLD_LAZY | RTLD_LOCAL},
};

gboolean dt_module_is_there(DtModule module)
{
    g_autofree char *searched = NULL;
    g_autofree char *path = dt_find_own_file(modules[module].file, &searched, NULL);
    return path != NULL;
}

const char *dt_module_source(DtModule module)
{
    return modules[module].source;
}

void *dt_module_open(DtModule module, GError **error)
{
    const Module *wanted = &modules[module];
    g_autofree char *searched = NULL;
    g_autofree char *path = dt_find_own_file(wanted->file, &searched, error);
    void *opened = path ? dlopen(path, wanted->flags) : NULL;
    if (!path && searched)
        dt_set_error(error, DT_MODULE_ERROR, DT_MODULE_ERROR_MISSING, "no %s in %s; %s brings it", wanted->file,
                     searched, wanted->source);
    else if (path && !opened)
        dt_set_error(error, DT_MODULE_ERROR, DT_MODULE_ERROR_BROKEN,
                     "%s: cannot be loaded: %s; it needs the packages %s", path, dlerror(), wanted->packages);
    return opened;
}

gpointer dt_module_function(DtModule module, void *opened, const char *name, GError **error)
{
    gpointer function = dlsym(opened, name);
    if (!function)
        dt_set_error(error, DT_MODULE_ERROR, DT_MODULE_ERROR_BROKEN,
                     "%s: of another version of difftrace; install both again", modules[module].file);
    return function;
}
