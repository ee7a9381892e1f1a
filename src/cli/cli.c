/* Options, messages and output of the subcommands. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

G_DEFINE_QUARK(dt - cli - error - quark, dt_cli_error)

/* ---- options ------------------------------------------------------------------ */

static int usage_error(const DtUsage *usage, const char *message)
{
    dt_cli_warn("%s: %s\nusage: difftrace %s [OPTIONS] %s; more: difftrace help %s", usage->name, message, usage->name,
                usage->arguments, usage->name);
    return DT_EXIT_ERROR;
}

static void add_names(GPtrArray *names, const GOptionEntry *entries)
{
    for (; entries != NULL && entries->long_name != NULL; entries++)
        g_ptr_array_add(names, (gpointer)entries->long_name);
}

/* GOption's message ends with the option that it does not know. */
static int option_error(const DtUsage *usage, const GError *error, const GOptionEntry *entries,
                        const GOptionEntry *more)
{
    const char *unknown =
        g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) ? g_strrstr(error->message, "--") : NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    add_names(names, entries);
    add_names(names, more);
    g_ptr_array_add(names, NULL);
    const char *nearest =
        unknown != NULL ? dt_cli_nearest(unknown + strlen("--"), (const char *const *)names->pdata) : NULL;
    if (nearest == NULL)
        return usage_error(usage, error->message);
    g_autofree char *message = g_strdup_printf("%s; did you mean '--%s'?", error->message, nearest);
    return usage_error(usage, message);
}

static GOptionContext *context_new(const DtUsage *usage, const GOptionEntry *entries, const GOptionEntry *more,
                                   const GOptionEntry *help)
{
    GOptionContext *context = g_option_context_new(usage->arguments);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_set_summary(context, usage->summary);
    g_option_context_set_description(context, usage->description);
    if (entries != NULL)
        g_option_context_add_main_entries(context, entries, NULL);
    if (more != NULL)
        g_option_context_add_main_entries(context, more, NULL);
    g_option_context_add_main_entries(context, help, NULL);
    return context;
}

/* Positional arguments: what GOption leaves, without a "--". */
static GStrv positional(char **arguments)
{
    g_autoptr(GStrvBuilder) rest = g_strv_builder_new();
    gboolean separator = FALSE;
    for (guint i = 1; arguments[i] != NULL; i++) {
        if (!separator && strcmp(arguments[i], "--") == 0)
            separator = TRUE;
        else
            g_strv_builder_add(rest, arguments[i]);
    }
    return g_strv_builder_end(rest);
}

static gboolean check_count(const DtUsage *usage, char **rest)
{
    guint count = g_strv_length(rest);
    if (count < usage->least) {
        usage_error(usage, count == 0 ? "arguments are missing" : "an argument is missing");
        return FALSE;
    }
    if (count > usage->most) {
        g_autofree char *message = g_strdup_printf("'%s' is one argument too many", rest[usage->most]);
        usage_error(usage, message);
        return FALSE;
    }
    return TRUE;
}

GStrv dt_cli_parse(const DtUsage *usage, const GOptionEntry *entries, const GOptionEntry *more, int argc, char **argv,
                   int *status)
{
    gboolean help = FALSE;
    const GOptionEntry help_entry[] = {{"help", 'h', 0, G_OPTION_ARG_NONE, &help, "show this help", NULL},
                                       G_OPTION_ENTRY_NULL};
    g_autoptr(GOptionContext) context = context_new(usage, entries, more, help_entry);
    g_auto(GStrv) arguments = g_new0(char *, (gsize)argc + 1);
    for (int i = 0; i < argc; i++)
        arguments[i] = g_strdup(argv[i]);
    g_autoptr(GError) error = NULL;
    if (!g_option_context_parse_strv(context, &arguments, &error)) {
        *status = option_error(usage, error, entries, more);
        return NULL;
    }
    if (help) {
        g_autofree char *text = g_option_context_get_help(context, TRUE, NULL);
        dt_cli_print(text, strlen(text));
        *status = 0;
        return NULL;
    }
    g_auto(GStrv) rest = positional(arguments);
    if (!check_count(usage, rest)) {
        *status = DT_EXIT_ERROR;
        return NULL;
    }
    return g_steal_pointer(&rest);
}

gboolean dt_cli_format(const char *format, gboolean json, gboolean tsv, DtReportFormat *result, GError **error)
{
    *result = json ? DT_FORMAT_JSON : tsv ? DT_FORMAT_TSV : DT_FORMAT_TEXT;
    return json || tsv || format == NULL || dt_report_format_parse(format, result, error);
}

gboolean dt_cli_jobs(gint wanted, guint *jobs, GError **error)
{
    enum { MOST = 4096 };
    if (wanted < 0 || wanted > MOST) {
        g_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--jobs %d: not a number of threads; 0 (all cores) to %d",
                    wanted, MOST);
        return FALSE;
    }
    *jobs = (guint)wanted;
    return TRUE;
}

/* ---- messages ------------------------------------------------------------------- */

void dt_cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    dt_cli_progress(NULL);
    fprintf(stderr, "difftrace: %s\n", message);
}

int dt_cli_status(const GError *error)
{
    if (error == NULL)
        return 0;
    dt_cli_warn("%s", error->message);
    return DT_EXIT_ERROR;
}

void dt_cli_progress(const char *format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    g_autofree char *message = NULL;
    if (format != NULL) {
        va_list arguments;
        va_start(arguments, format);
        message = g_strdup_vprintf(format, arguments);
        va_end(arguments);
    }
    fprintf(stderr, "\r\033[K%s", message != NULL ? message : "");
    fflush(stderr);
}

/* Levenshtein's distance, one row at a time. */
static guint edit_distance(const char *a, const char *b)
{
    gsize columns = strlen(b);
    g_autofree guint *row = g_new(guint, columns + 1);
    for (gsize j = 0; j <= columns; j++)
        row[j] = (guint)j;
    for (gsize i = 1; a[i - 1] != '\0'; i++) {
        guint diagonal = row[0];
        row[0] = (guint)i;
        for (gsize j = 1; j <= columns; j++) {
            guint above = row[j];
            guint replaced = diagonal + (a[i - 1] != b[j - 1]);
            row[j] = MIN(replaced, MIN(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[columns];
}

const char *dt_cli_nearest(const char *word, const char *const *names)
{
    const char *nearest = NULL;
    guint best = MAX(2, (guint)(MIN(strlen(word), 30) / 3)) + 1;
    for (; *names != NULL; names++) {
        guint distance = g_str_has_prefix(*names, word) ? 1 : edit_distance(word, *names);
        if (distance < best) {
            best = distance;
            nearest = *names;
        }
    }
    return nearest;
}

/* ---- output ------------------------------------------------------------------------ */

gboolean dt_cli_print(const char *text, gsize bytes)
{
    return fwrite(text, 1, bytes, stdout) == bytes && ferror(stdout) == 0;
}

gboolean dt_cli_write(const char *text, const char *file, GError **error)
{
    if (file == NULL || strcmp(file, "-") == 0) {
        dt_cli_print(text, strlen(text));
        return TRUE;
    }
    g_autoptr(GError) cause = NULL;
    if (g_file_set_contents(file, text, -1, &cause))
        return TRUE;
    g_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_OUTPUT, "%s: cannot be written: %s", file, cause->message);
    return FALSE;
}
