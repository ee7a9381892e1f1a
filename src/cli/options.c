/* Options and arguments of the subcommands: what GOption parses is called as the manual says. */
#include <string.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/manual.h"
#include "text/text.h"

#define DT_MOST_SECONDS 1e9

/* ---- the synopsis --------------------------------------------------------------------- */

/* What it says of the arguments: "difftrace diffnlr [OPTIONS] P.T [OUT]". */
typedef struct {
    GStrv required;   /* the names of those that must be there */
    guint most;       /* so many may be */
    gboolean command; /* "--" and a command, whose options are not ours */
} Synopsis;

static void synopsis_clear(Synopsis *synopsis)
{
    g_strfreev(synopsis->required);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Synopsis, synopsis_clear)

static Synopsis synopsis_parse(const char *text)
{
    enum { PROGRAM_AND_COMMAND = 2 };
    Synopsis synopsis = {0};
    g_autoptr(GStrvBuilder) required = g_strv_builder_new();
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    gboolean optional =
        FALSE; /* behind "[--": a command that may be left out, with options before and behind the rest */
    for (char **word = words + PROGRAM_AND_COMMAND; *word; word++) {
        if (strcmp(*word, "[OPTIONS]") == 0)
            continue;
        if (strcmp(*word, "[--") == 0) {
            optional = TRUE;
            continue;
        }
        if (strcmp(*word, "--") == 0) {
            synopsis.command = TRUE;
            continue;
        }
        if ((*word)[0] != '[' && !optional)
            g_strv_builder_add(required, *word);
        synopsis.most = strstr(*word, "...") ? G_MAXUINT : synopsis.most + 1;
    }
    synopsis.required = g_strv_builder_end(required);
    return synopsis;
}

/* ---- options ---------------------------------------------------------------------------- */

typedef struct {
    DtManualPage *page;
    GPtrArray *options; /* (element-type DtOption) */
    GPtrArray *names;   /* theirs, NULL terminated */
    GArray *entries;    /* (element-type GOptionEntry) for each */
} Parser;

static void parser_clear(Parser *parser)
{
    dt_manual_page_free(parser->page);
    g_ptr_array_unref(parser->options);
    g_ptr_array_unref(parser->names);
    g_array_unref(parser->entries);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parser, parser_clear)

/* Its letter as the manual's term has it, "-o, --output=FILE"; 0 for none. */
static char letter_of(const DtManualPage *page, const char *name)
{
    const char *term = dt_manual_option(page, name, NULL);
    return term && term[0] == '-' && term[1] != '-' ? term[1] : 0;
}

static void add_options(Parser *parser, const DtOption *options)
{
    for (; options && options->name; options++) {
        if (g_ptr_array_find_with_equal_func(parser->names, options->name, g_str_equal, NULL))
            continue;
        GOptionEntry entry = {.long_name = options->name,
                              .short_name = letter_of(parser->page, options->name),
                              .arg = options->type,
                              .arg_data = options->value};
        g_array_append_val(parser->entries, entry);
        g_ptr_array_add(parser->options, (gpointer)options);
        g_ptr_array_add(parser->names, (gpointer)options->name);
    }
}

/* `common` must live as long as the parser. */
static void parser_init(Parser *parser, const char *command, const DtOption *options, const DtOption *more,
                        const DtOption *common)
{
    *parser = (Parser){.page = dt_manual_page_new(command),
                       .options = g_ptr_array_new(),
                       .names = g_ptr_array_new(),
                       .entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry))};
    add_options(parser, options);
    add_options(parser, more);
    add_options(parser, common);
    g_ptr_array_add(parser->names, NULL);
}

/* ---- what GOption does not do ---------------------------------------------------------------- */

/* The option of a word such as --output, --output=FILE, -o, or -oFILE; NULL for none. */
static const DtOption *find_option(const Parser *parser, const char *word)
{
    gboolean is_long = word[1] == '-';
    gsize length = is_long ? strcspn(word + 2, "=") : 1;
    for (guint i = 0; i < parser->options->len; i++) {
        const DtOption *option = parser->options->pdata[i];
        char letter = g_array_index(parser->entries, GOptionEntry, i).short_name;
        if (is_long ? strlen(option->name) == length && strncmp(option->name, word + 2, length) == 0
                    : word[1] != '\0' && word[1] == letter)
            return option;
    }
    return NULL;
}

/* Takes --FLAG=VALUE as an error, and --NAME for --NAME=OTHERWISE; of the words up to a command. */
static gboolean prepare(const Parser *parser, gboolean command, char **arguments, GError **error)
{
    for (guint i = 1; arguments[i] && strcmp(arguments[i], "--") != 0; i++) {
        char *word = arguments[i];
        if (word[0] != '-' && command)
            break;
        const DtOption *option = word[0] == '-' ? find_option(parser, word) : NULL;
        gboolean is_long = g_str_has_prefix(word, "--"),
                 has_value = is_long ? strchr(word, '=') != NULL : strlen(word) > 2;
        if (!option)
            continue;
        if (option->type == G_OPTION_ARG_NONE && is_long && has_value) {
            dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: --%s takes no value", word, option->name);
            return FALSE;
        }
        if (option->otherwise && !has_value) {
            arguments[i] = g_strdup_printf("--%s=%s", option->name, option->otherwise);
            g_free(word);
        } else if (option->type != G_OPTION_ARG_NONE && !has_value && arguments[i + 1])
            i++;
    }
    return TRUE;
}

static gboolean parse_options(const Parser *parser, gboolean command, char ***arguments, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)parser->entries->data, NULL);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_set_strict_posix(context, command);
    return prepare(parser, command, *arguments, error) && g_option_context_parse_strv(context, arguments, error);
}

/* ---- errors --------------------------------------------------------------------------------- */

static int usage_error(const Parser *parser, const char *message)
{
    const char *command = parser->page->name + strlen("difftrace-");
    dt_cli_warn("%s: %s\nusage: %s; more: difftrace help %s", command, message, dt_manual_synopsis(parser->page),
                command);
    return DT_EXIT_ERROR;
}

/* The option nearest to the one that GOption's message ends with, "--fliter=mpi"; NULL for none. */
static const char *nearest_option(const Parser *parser, const GError *error)
{
    const char *dashes = g_strrstr(error->message, "--");
    if (!dashes || !g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
        return NULL;
    const char *start = dashes + strlen("--");
    g_autofree char *name = g_strndup(start, strcspn(start, "="));
    return dt_nearest(name, (const char *const *)parser->names->pdata);
}

static int option_error(const Parser *parser, const GError *error)
{
    const char *nearest = nearest_option(parser, error);
    if (!nearest)
        return usage_error(parser, error->message);
    g_autofree char *message = dt_text_printf("%s; did you mean '--%s'?", error->message, nearest);
    return usage_error(parser, message);
}

/* "5" where "-t 5" was meant. */
static const char *hint_of_trace(const Parser *parser, const char *argument)
{
    const char *const *names = (const char *const *)parser->names->pdata;
    return g_strv_contains(names, "trace") && g_regex_match_simple("^\\d+(\\.\\w+)?$", argument, 0, 0)
               ? "; a trace is given by -t"
               : "";
}

static gboolean check_count(const Parser *parser, const Synopsis *synopsis, char **rest)
{
    guint count = g_strv_length(rest);
    g_autofree char *message = NULL;
    if (count < g_strv_length(synopsis->required))
        message = g_strdup_printf("%s is missing", synopsis->required[count]);
    else if (count > synopsis->most)
        message = g_strdup_printf("'%s' is one argument too many%s", rest[synopsis->most],
                                  hint_of_trace(parser, rest[synopsis->most]));
    if (message)
        usage_error(parser, message);
    return !message;
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* Positional arguments: what GOption leaves, without our "--". */
static GStrv positional(char **arguments, gboolean command)
{
    g_autoptr(GStrvBuilder) rest = g_strv_builder_new();
    gboolean separator = FALSE;
    for (guint i = 1; arguments[i]; i++) {
        if (!separator && strcmp(arguments[i], "--") == 0 && (i == 1 || !command))
            separator = TRUE;
        else
            g_strv_builder_add(rest, arguments[i]);
    }
    return g_strv_builder_end(rest);
}

static void print_help(const Parser *parser)
{
    g_autofree char *text = dt_manual_help(parser->page, (const char *const *)parser->names->pdata, dt_cli_width());
    dt_cli_print(text, strlen(text));
}

GStrv dt_cli_parse(const char *command, const DtOption *options, const DtOption *more, int argc, char **argv,
                   int *status)
{
    gboolean wanted = FALSE, quiet = FALSE;
    if (strcmp(command, "collect") != 0) /* there the tracer hears of the topics */
        dt_cli_write_debug_lines();
    const DtOption common[] = {DT_OPTION("quiet", NONE, &quiet), DT_OPTION("help", NONE, &wanted), DT_OPTIONS_END};
    g_auto(Parser) parser;
    parser_init(&parser, command, options, more, common);
    g_auto(Synopsis) synopsis = synopsis_parse(dt_manual_synopsis(parser.page));
    g_auto(GStrv) arguments = g_new0(char *, (gsize)argc + 1);
    for (int i = 0; i < argc; i++)
        arguments[i] = g_strdup(argv[i]);
    g_autoptr(GError) error = NULL;
    if (!parse_options(&parser, synopsis.command, &arguments, &error)) {
        *status = option_error(&parser, error);
        return NULL;
    }
    if (wanted) {
        print_help(&parser);
        *status = 0;
        return NULL;
    }
    if (quiet)
        dt_cli_be_quiet();
    g_auto(GStrv) rest = positional(arguments, synopsis.command);
    if (!check_count(&parser, &synopsis, rest)) {
        *status = DT_EXIT_ERROR;
        return NULL;
    }
    return g_steal_pointer(&rest);
}

int dt_cli_run(const char *name, const DtOption *options, const DtOption *more, int argc, char **argv,
               DtCommandBody command, gpointer data)
{
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse(name, options, more, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    command(arguments, data, &error);
    return dt_cli_status(error);
}

gboolean dt_cli_seconds(const char *option, const char *text, gdouble *seconds)
{
    char *end = NULL;
    *seconds = text ? g_ascii_strtod(text, &end) : 0;
    if (!text || (end != text && *end == '\0' && *seconds > 0 && *seconds <= DT_MOST_SECONDS))
        return TRUE;
    dt_cli_warn("%s %s: give a positive number of seconds", option, text);
    return FALSE;
}
