/* One call stack, as text and JSON. */
#include <string.h>

#include "report/common.h"
#include "report/json.h"
#include "report/table.h"

static const char *line_of(const DtStackReport *what, guint frame)
{
    return what->lines ? what->lines[frame] : NULL;
}

static const char *call_of(const DtStackReport *what, guint frame)
{
    return what->calls ? what->calls[frame] : NULL;
}

/* "at heat.c:140: signal 11, address 0x0" */
static void append_end(const DtStackReport *what, GString *out)
{
    if (!what->at && what->signal == 0)
        return;
    g_string_append_printf(out, "  at %s", what->at ? what->at : "an unknown line");
    if (what->inlined)
        g_string_append_printf(out, " in %s, inlined", what->inlined);
    if (what->signal != 0)
        g_string_append_printf(out, ": signal %d (%s)", what->signal, strsignal(what->signal));
    if (what->fault)
        g_string_append_printf(out, ", address %s", what->fault);
    g_string_append_c(out, '\n');
}

static char *stack_text(const DtStackReport *what)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < what->depth; i++) {
        const char *line = line_of(what, i);
        g_string_append_printf(out, "%s %s", i < what->never_returned ? "*" : " ",
                               dt_function_shown(what->functions, what->frames[i]));
        if (line)
            g_string_append_printf(out, " (%s)", line);
        if (call_of(what, i))
            g_string_append_printf(out, ", called at %s", call_of(what, i));
        g_string_append_c(out, '\n');
    }
    append_end(what, out);
    return g_string_free(out, FALSE);
}

static char *stack_json(const DtStackReport *what)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "trace", what->trace);
    dt_json_begin_array(builder, "frames");
    for (guint i = 0; i < what->depth; i++)
        dt_json_string(builder, NULL, dt_function_name(what->functions, what->frames[i]));
    json_builder_end_array(builder);
    if (what->lines) {
        dt_json_begin_array(builder, "lines");
        for (guint i = 0; i < what->depth; i++)
            dt_json_string(builder, NULL, what->lines[i]);
        json_builder_end_array(builder);
    }
    if (what->calls) {
        dt_json_begin_array(builder, "calls");
        for (guint i = 0; i < what->depth; i++)
            dt_json_string(builder, NULL, what->calls[i]);
        json_builder_end_array(builder);
    }
    if (what->at)
        dt_json_string(builder, "at", what->at);
    if (what->inlined)
        dt_json_string(builder, "inlined", what->inlined);
    if (what->signal != 0) {
        dt_json_integer(builder, "signal", what->signal);
        dt_json_string(builder, "address", what->fault);
    }
    dt_json_boolean(builder, "open", what->depth > 0 && what->never_returned == what->depth);
    return dt_json_finish(builder);
}

static char *stack_tsv(const DtStackReport *what)
{
    g_autoptr(DtTable) table = dt_table_new(what->lines ? ">depth|function|returned|line" : ">depth|function|returned");
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < what->depth; i++) {
        dt_table_add_format(table, "%u", i + 1);
        dt_table_add(table, dt_function_name(what->functions, what->frames[i]));
        dt_table_add(table, i < what->never_returned ? "never" : "later");
        if (what->lines)
            dt_table_add(table, line_of(what, i) ? line_of(what, i) : "");
    }
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

char *dt_report_stack(const DtStackReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return stack_text(what);
    case DT_FORMAT_JSON:
        return stack_json(what);
    case DT_FORMAT_TSV:
        return stack_tsv(what);
    default:
        return dt_report_no_format("a stack", format, "text, tsv and json", error);
    }
}
