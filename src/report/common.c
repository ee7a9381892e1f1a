/* Formats, errors and names that the reports share. */
#include "report/common.h"

#include "text/text.h"

G_DEFINE_QUARK(dt_report_error, dt_report_error)

static const char *const format_names[] = {
    [DT_FORMAT_TEXT] = "text", [DT_FORMAT_TERMINAL] = "terminal", [DT_FORMAT_JSON] = "json", [DT_FORMAT_TSV] = "tsv",
    [DT_FORMAT_DOT] = "dot",   [DT_FORMAT_SVG] = "svg",           [DT_FORMAT_CXT] = "cxt"};

const char *dt_report_format_name(DtReportFormat format)
{
    return format_names[format];
}

gboolean dt_report_format_parse(const char *text, DtReportFormat *format, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(format_names); i++) {
        if (i != DT_FORMAT_TERMINAL && g_ascii_strcasecmp(text, format_names[i]) == 0) {
            *format = (DtReportFormat)i;
            return TRUE;
        }
    }
    dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_FORMAT,
                 "format '%s': unknown; the formats are text, json, tsv, dot, svg and cxt", text);
    return FALSE;
}

char *dt_report_no_format(const char *report, DtReportFormat format, const char *formats, GError **error)
{
    dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_FORMAT, "format '%s': %s has none; it has %s",
                 dt_report_format_name(format), report, formats);
    return NULL;
}

const char *dt_function_name(const DtFunctions *functions, guint32 id)
{
    if (id == 0 || id > dt_functions_count(functions))
        return "?";
    return dt_functions_get(functions, id)->name;
}

const char *dt_function_shown(const DtFunctions *functions, guint32 id)
{
    if (id == 0 || id > dt_functions_count(functions))
        return "?";
    return dt_functions_get(functions, id)->shown;
}

char *dt_grouped(guint64 number)
{
    g_autofree char *digits = g_strdup_printf("%" G_GUINT64_FORMAT, number);
    gsize length = strlen(digits);
    GString *grouped = g_string_new(NULL);
    for (gsize i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            g_string_append_c(grouped, ',');
        g_string_append_c(grouped, digits[i]);
    }
    return g_string_free(grouped, FALSE);
}
