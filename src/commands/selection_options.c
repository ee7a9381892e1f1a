/* The selection options and what they mean. */
#include "commands/selection_options.h"

#include "commands/report_options.h"
#include "text/text.h"

enum { MAX_MIN_REPEAT = 1000 };

void dt_selection_options_clear(DtSelectionOptions *options)
{
    g_strfreev(options->filters);
    g_strfreev(options->attributes);
    g_free(options->linkage);
    g_free(options->form);
}

DtOption *dt_selection_entries(DtSelectionOptions *options)
{
    const DtOption entries[] = {DT_OPTION("filter", STRING_ARRAY, &options->filters),
                                DT_OPTION("attr", STRING_ARRAY, &options->attributes),
                                DT_OPTION("k", INT, &options->k),
                                DT_OPTION("min-repeat", INT, &options->min_repeat),
                                DT_OPTION("nlr", STRING, &options->form),
                                DT_OPTION("linkage", STRING, &options->linkage),
                                DT_OPTION("no-args", NONE, &options->no_args),
                                DT_OPTION("jobs", INT, &options->jobs),
                                DT_OPTIONS_END};
    return g_memdup2(entries, sizeof entries);
}

static gboolean add_all(DtSelection *selection, char **texts,
                        gboolean (*add)(DtSelection *selection, const char *text, GError **error), GError **error)
{
    for (guint i = 0; texts && texts[i]; i++)
        if (!add(selection, texts[i], error))
            return FALSE;
    return TRUE;
}

static gboolean parse_number(const char *name, gint given, guint least, guint most, guint *result, GError **error)
{
    if (given == DT_NOT_GIVEN)
        return TRUE;
    if (given < (gint)least || given > (gint)most) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s %d: out of range; %u to %u", name, given, least,
                     most);
        return FALSE;
    }
    *result = (guint)given;
    return TRUE;
}

static gboolean parse_form(DtSelection *selection, const char *given, GError **error)
{
    selection->has_form = given != NULL;
    if (!given || dt_nlr_form_find(given, &selection->form))
        return TRUE;
    g_autoptr(GString) names = g_string_new(NULL);
    for (DtNlrForm form = DT_NLR_PLAIN; form < DT_NLR_FORMS; form++)
        g_string_append_printf(names, "%s%s", form == DT_NLR_PLAIN ? "" : ", ", dt_nlr_form_name(form));
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--nlr %s: unknown; there are %s", given, names->str);
    return FALSE;
}

DtSelection *dt_selection_new(const DtSelectionOptions *options, GError **error)
{
    g_autoptr(DtSelection) selection = dt_selection_empty();
    selection->has_linkage = options->linkage != NULL;
    if (!add_all(selection, options->filters, dt_selection_add_filter, error) ||
        !add_all(selection, options->attributes, dt_selection_add_attributes, error) ||
        !parse_number("-k", options->k, 1, DT_NLR_MAX_K, &selection->k, error) ||
        !parse_number("--min-repeat", options->min_repeat, 2, MAX_MIN_REPEAT, &selection->min_repeat, error) ||
        !parse_form(selection, options->form, error) || !dt_cli_jobs(options->jobs, &selection->jobs, error))
        return NULL;
    if (options->linkage && !dt_linkage_parse(options->linkage, &selection->linkage, error))
        return NULL;
    return g_steal_pointer(&selection);
}

gboolean dt_selection_check_single(const DtSelection *selection, GError **error)
{
    if (selection->filters->len <= 1 && selection->attributes->len <= 1)
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "--%s: given more than once; this command shows one configuration, 'compare' sweeps over many",
                 selection->filters->len > 1 ? "filter" : "attr");
    return FALSE;
}
