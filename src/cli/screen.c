#include "cli/screen.h"

#include <unistd.h>

#include "base/modules.h"
#include "cli/cli.h"
#include "text/text.h"

gboolean dt_screen_is_possible(void)
{
    const char *terminal = g_getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal && terminal[0] &&
           g_strcmp0(terminal, "dumb") != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static gboolean load(DtScreen *screen, GError **error)
{
    const struct {
        const char *name;
        gpointer *function;
    } link[] = {{"dt_screen_begin", (gpointer *)&screen->begin}, {"dt_screen_end", (gpointer *)&screen->end},
                {"dt_screen_size", (gpointer *)&screen->size},   {"dt_screen_line", (gpointer *)&screen->line},
                {"dt_screen_part", (gpointer *)&screen->part},   {"dt_screen_show", (gpointer *)&screen->show},
                {"dt_screen_key", (gpointer *)&screen->key}};
    void *opened = dt_module_open(DT_MODULE_SCREEN, error);
    for (guint i = 0; opened && i < G_N_ELEMENTS(link); i++) {
        *link[i].function = dt_module_function(DT_MODULE_SCREEN, opened, link[i].name, error);
        if (!*link[i].function)
            return FALSE;
    }
    return opened != NULL;
}

gboolean dt_screen_open(DtScreen *screen, GError **error)
{
    const char *no_color = g_getenv("NO_COLOR");
    if (!load(screen, error))
        return FALSE;
    if (screen->begin(!no_color || !no_color[0]) == 0)
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_OUTPUT,
                 "TERM=%s: this terminal is not known here; set TERM to one that is, such as xterm", g_getenv("TERM"));
    return FALSE;
}
