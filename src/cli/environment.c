#include "cli/environment.h"

#include "text/text.h"

/* "DIFFTRACE_MAX_SIZE" of "max-size". */
static char *variable_of(const DtOption *option)
{
    g_autofree char *upper = g_ascii_strup(option->name, -1);
    return g_strconcat("DIFFTRACE_", g_strdelimit(upper, "-", '_'), NULL);
}

static gboolean set_error(GError **error, const char *variable, const char *value, const char *advice)
{
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "the variable %s is '%s': %s", variable, value, advice);
    return FALSE;
}

static gboolean set_number(gdouble *number, const char *variable, const char *value, GError **error)
{
    char *end = NULL;
    gdouble parsed = g_ascii_strtod(value, &end);
    if (*number < G_MAXDOUBLE)
        return TRUE;
    if (end == value || *end != '\0')
        return set_error(error, variable, value, "give a number");
    *number = parsed;
    return TRUE;
}

static gboolean set_flag(gboolean *flag, const char *variable, const char *value, GError **error)
{
    gboolean is_set = g_str_equal(value, "1");
    if (!is_set && !g_str_equal(value, "0"))
        return set_error(error, variable, value, "give 1 or 0");
    *flag = *flag || is_set;
    return TRUE;
}

static void set_text(char **text, const char *value)
{
    if (!*text)
        *text = g_strdup(value);
}

static void set_list(char ***list, const char *value)
{
    const char *const only[] = {value, NULL};
    if (!*list)
        *list = g_strdupv((char **)only);
}

static gboolean set_option(const DtOption *option, const char *variable, const char *value, GError **error)
{
    switch (option->type) {
    case G_OPTION_ARG_NONE:
        return set_flag(option->value, variable, value, error);
    case G_OPTION_ARG_DOUBLE:
        return set_number(option->value, variable, value, error);
    case G_OPTION_ARG_STRING_ARRAY:
        set_list(option->value, value);
        return TRUE;
    default:
        set_text(option->value, value);
        return TRUE;
    }
}

gboolean dt_cli_read_environment(const DtOption *options, GError **error)
{
    for (; options->name; options++) {
        g_autofree char *variable = variable_of(options);
        const char *value = g_getenv(variable);
        if (value && value[0] != '\0' && !set_option(options, variable, value, error))
            return FALSE;
    }
    return TRUE;
}
