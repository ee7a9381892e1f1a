/**
 * Optional parts: modules beside the program that are opened when they are wanted, so that nothing else needs the
 * libraries that they need.
 */
#ifndef DT_BASE_MODULES_H
#define DT_BASE_MODULES_H

#include <glib.h>

G_BEGIN_DECLS

#define DT_MODULE_ERROR (dt_module_error_quark())
typedef enum { DT_MODULE_ERROR_MISSING, DT_MODULE_ERROR_BROKEN } DtModuleError;
GQuark dt_module_error_quark(void);

typedef enum {
    DT_MODULE_ANALYSIS,
    DT_MODULE_OPENMPI,
    DT_MODULE_MPICH,
    DT_MODULE_SCREEN,
    DT_MODULE_DECODE,
    DT_MODULE_NETWORK,
    DT_MODULE_SIMGRID,
    DT_MODULES
} DtModule;

/** TRUE if its file is there; whether it can be opened is not tried. */
gboolean dt_module_is_there(DtModule module);
/** What brings a module whose file is not there: "the package difftrace". Static. */
const char *dt_module_source(DtModule module);

/**
 * Opens a module, for the rest of the process. NULL: the error is one line that says what is missing, and which Debian
 * packages bring it.
 */
void *dt_module_open(DtModule module, GError **error);
/** A function of an opened module. A module without it is of another version of the program: NULL and an error. */
gpointer dt_module_function(DtModule module, void *opened, const char *name, GError **error);

G_END_DECLS

#endif
