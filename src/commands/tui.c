/* difftrace tui: a terminal to walk in a result, or in a run. */
#include "cli/cli.h"
#include "cli/screen.h"
#include "commands/commands.h"
#include "commands/tui/subject.h"
#include "commands/tui/terminal.h"
#include "text/text.h"

/* What to use where there is no screen. */
static gboolean check_terminal(GError **error)
{
    if (dt_screen_is_possible())
        return TRUE;
    g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                        "tui: needs a terminal that can show a screen (TERM is not dumb), and keys from it; "
                        "'difftrace rank', 'difftrace diffnlr' and 'difftrace stack' print the same");
    return FALSE;
}

static gboolean show(char **arguments, gpointer data, GError **error)
{
    (void)data;
    const char *path = arguments[0] != NULL ? arguments[0] : DT_RESULT_DIRECTORY;
    g_autoptr(DtTuiSubject) subject = dt_tui_subject_open(path, error);
    if (subject == NULL || !check_terminal(error))
        return FALSE;
    const DtTuiSource source = dt_tui_subject_source(subject);
    DtCaught caught = dt_caught_begin();
    subject->caught = &caught;
    const gboolean was_shown = dt_tui_on_terminal(&source, error);
    dt_caught_end(&caught);
    return was_shown;
}

int dt_cmd_tui(int argc, char **argv)
{
    const DtOption entries[] = {DT_OPTIONS_END};
    return dt_cli_run("tui", entries, NULL, argc, argv, show, NULL);
}
