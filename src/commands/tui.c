/* difftrace tui: a terminal to walk in a result, or in a run. */
#include "cli/cli.h"
#include "cli/screen.h"
#include "commands/commands.h"
#include "commands/tui/subject.h"
#include "commands/tui/terminal.h"
#include "text/text.h"

/* What to use where there is no screen. */
static const char instead[] = "'difftrace rank', 'diffnlr', 'stack', 'waits' and 'times' print the same";

static gboolean show_subject(DtTuiSubject *subject, GError **error)
{
    const DtTuiSource source = dt_tui_subject_source(subject);
    g_autoptr(GError) problem = NULL;
    DtCaught caught = dt_caught_begin();
    subject->caught = &caught;
    const gboolean was_shown = dt_tui_on_terminal(&source, &problem);
    dt_caught_end(&caught);
    if (!was_shown)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_OUTPUT, "tui: %s; %s", problem->message, instead);
    return was_shown;
}

static gboolean show(char **arguments, gpointer data, GError **error)
{
    (void)data;
    if (!dt_screen_is_possible()) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "tui: needs a terminal that can show a screen, for input and output, and TERM is not dumb; %s",
                     instead);
        return FALSE;
    }
    const char *path = arguments[0] ? arguments[0] : DT_RESULT_DIRECTORY;
    g_autoptr(DtTuiSubject) subject = dt_tui_subject_open(path, error);
    return subject && show_subject(subject, error);
}

int dt_cmd_tui(int argc, char **argv)
{
    const DtOption entries[] = {DT_OPTIONS_END};
    return dt_cli_run("tui", entries, NULL, argc, argv, show, NULL);
}
