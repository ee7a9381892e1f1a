/* The terminal: its width, its colours, and the pager before it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

/* What the parts of the program that print know of the pager: its process. As in git, the environment keeps it. */
static const char pager_variable[] = "DIFFTRACE_PAGER_IN_USE";

static gboolean shows_on_terminal(void)
{
    return isatty(STDOUT_FILENO) || g_getenv(pager_variable);
}

guint dt_cli_width(void)
{
    enum { LEAST = 40, MOST = 1000 };
    struct winsize size = {0};
    if (!shows_on_terminal())
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col != 0 ? CLAMP(size.ws_col, LEAST, MOST) : 0;
}

DtReportFormat dt_cli_terminal_format(DtReportFormat format, const char *file)
{
    const char *terminal = g_getenv("TERM"), *no_color = g_getenv("NO_COLOR");
    gboolean colours = (!file || strcmp(file, "-") == 0) && shows_on_terminal() && (!no_color || no_color[0] == '\0') &&
                       g_strcmp0(terminal, "dumb") != 0;
    return format == DT_FORMAT_TEXT && colours ? DT_FORMAT_TERMINAL : format;
}

/* ---- pager ------------------------------------------------------------------------ */

/* The command, or NULL if none is wanted: DIFFTRACE_PAGER, PAGER, less; "" and "cat" mean none. */
static const char *pager_command(void)
{
    const char *command = g_getenv("DIFFTRACE_PAGER");
    if (!command)
        command = g_getenv("PAGER");
    if (!command) {
        g_autofree char *less = g_find_program_in_path("less");
        command = less ? "less" : "";
    }
    return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

static void run_pager(const char *command, const int *ends)
{
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("LESS", "FRX", FALSE); /* short texts at once, colours shown, the screen left as it was */
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void dt_cli_pager_start(void)
{
    int ends[2];
    const char *command = isatty(STDOUT_FILENO) ? pager_command() : NULL;
    g_unsetenv(pager_variable);
    if (!command || g_strcmp0(g_getenv("TERM"), "dumb") == 0 || pipe(ends) != 0)
        return;
    pid_t pager = fork();
    if (pager == 0)
        run_pager(command, ends);
    if (pager > 0) {
        dup2(ends[1], STDOUT_FILENO);
        g_autofree char *number = g_strdup_printf("%ld", (long)pager);
        g_setenv(pager_variable, number, TRUE);
    }
    close(ends[0]);
    close(ends[1]);
}

void dt_cli_pager_wait(void)
{
    const char *number = g_getenv(pager_variable);
    pid_t pager = number ? (pid_t)g_ascii_strtoll(number, NULL, 10) : 0;
    while (pager > 0 && waitpid(pager, NULL, 0) < 0 && errno == EINTR)
        ;
}
