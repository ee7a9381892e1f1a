/* Formats, errors and names that the reports share. */
#include "report/common.h"

G_DEFINE_QUARK(dt - report - error - quark, dt_report_error)

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
    g_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_FORMAT,
                "format '%s': unknown; the formats are text, json, tsv, dot, svg and cxt", text);
    return FALSE;
}

char *dt_report_no_format(const char *report, DtReportFormat format, const char *formats, GError **error)
{
    g_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_FORMAT, "format '%s': %s has none; it has %s",
                dt_report_format_name(format), report, formats);
    return NULL;
}

const char *dt_of_name(DtOf of)
{
    static const char *const names[] = {"normal", "faulty", "diff"};
    return names[of];
}

const char *dt_function_name(const DtFunctions *functions, guint32 id)
{
    if (id == 0 || id > dt_functions_count(functions))
        return "?";
    return dt_functions_get(functions, id)->name;
}

char *dt_shortened(const char *text, glong width)
{
    char *valid = g_utf8_make_valid(text, -1);
    glong length = g_utf8_strlen(valid, -1);
    if (length <= width)
        return valid;
    glong head = (width - 3) * 2 / 3;
    glong tail = width - 3 - head;
    g_autofree char *first = g_utf8_substring(valid, 0, head);
    g_autofree char *last = g_utf8_substring(valid, length - tail, length);
    g_free(valid);
    return g_strconcat(first, "...", last, NULL);
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
