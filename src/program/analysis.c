/* Loads the commands that analyse. */
#include "program/analysis.h"

#include "base/modules.h"

DtCommand dt_analysis_command(const char *name, GError **error)
{
    void *module = dt_module_open(DT_MODULE_ANALYSIS, error);
    if (!module)
        return NULL;
    g_autofree char *symbol = g_strconcat("dt_cmd_", name, NULL);
    DtCommand command = NULL;
    *(gpointer *)&command = dt_module_function(DT_MODULE_ANALYSIS, module, symbol, error);
    return command;
}
