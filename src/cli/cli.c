/* Messages and output of the subcommands. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "text/text.h"

G_DEFINE_QUARK(dt_cli_error, dt_cli_error)

/* ---- messages ------------------------------------------------------------------- */

/* A program and its module have each their own copy of this file: the environment is what they share. */
static const char quiet_variable[] = "DIFFTRACE_QUIET";

void dt_cli_be_quiet(void)
{
    g_setenv(quiet_variable, "1", TRUE);
}

gboolean dt_cli_is_quiet(void)
{
    const char *value = g_getenv(quiet_variable);
    return value && value[0] != '\0';
}

static void tell(const char *message)
{
    g_autofree char *lines = dt_text_lines(message);
    fprintf(stderr, "%sdifftrace: %s\n", isatty(STDERR_FILENO) ? DT_CLI_NEW_LINE : "", lines);
}

void dt_cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = dt_text_vprintf(format, arguments);
    va_end(arguments);
    tell(message);
}

void dt_cli_note(const char *format, ...)
{
    if (dt_cli_is_quiet())
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = dt_text_vprintf(format, arguments);
    va_end(arguments);
    tell(message);
}

int dt_cli_status(const GError *error)
{
    if (!error)
        return 0;
    tell(error->message);
    return DT_EXIT_ERROR;
}

/* ---- output ------------------------------------------------------------------------ */

gboolean dt_cli_print(const char *text, gsize bytes)
{
    return fwrite(text, 1, bytes, stdout) == bytes && ferror(stdout) == 0;
}

gboolean dt_cli_is_special_file(const char *path)
{
    return g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* A device or a pipe stays what it is. */
static gboolean write_in_place(const char *text, const char *file, GError **error)
{
    FILE *stream = fopen(file, "we");
    const gboolean written = stream && fputs(text, stream) != EOF;
    if ((!stream || fclose(stream) == 0) && written)
        return TRUE;
    const gint failure = errno;
    g_set_error_literal(error, G_FILE_ERROR, (gint)g_file_error_from_errno(failure), g_strerror(failure));
    return FALSE;
}

gboolean dt_cli_write(const char *text, const char *file, GError **error)
{
    if (!file || strcmp(file, "-") == 0) {
        dt_cli_print(text, strlen(text));
        return TRUE;
    }
    g_autoptr(GError) cause = NULL;
    if (dt_cli_is_special_file(file) ? write_in_place(text, file, &cause) : g_file_set_contents(file, text, -1, &cause))
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_OUTPUT, "%s: cannot be written: %s", file, cause->message);
    return FALSE;
}
