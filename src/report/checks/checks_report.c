#include "report/checks/checks_report.h"

#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "text/text.h"

static const DtCheckFinding *finding_at(const DtChecked *checked, guint index)
{
    return checked->findings->pdata[index];
}

static char *traces_of(const DtCheckFinding *finding)
{
    if (finding->traces->len > 0)
        return dt_trace_list_text(finding->traces);
    return g_strdup("");
}

/* ---- text --------------------------------------------------------------------------- */

char *dt_check_row_text(const DtCheckRow *row)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; row->traces && row->traces[i]; i++)
        g_ptr_array_add(labels, row->traces[i]);
    g_autofree char *traces = labels->len > 0 ? dt_trace_list_text(labels) : NULL;
    GString *line = g_string_new(NULL);
    dt_text_append(line, "%s%s%s: %s: ", row->source ? row->source : "", row->source ? ": " : "",
                   row->level ? row->level : "", row->rule ? row->rule : "");
    dt_text_append(line, "%s", row->call ? row->call : row->meaning ? row->meaning : "");
    if (traces)
        dt_text_append(line, " [%s]", traces);
    if (row->times > labels->len && row->times > 1)
        g_string_append_printf(line, " (%" G_GUINT64_FORMAT " times)", row->times);
    return g_string_free(line, FALSE);
}

static void append_finding(GString *out, const DtCheckFinding *finding, guint width)
{
    g_autoptr(DtCheckRow) row = dt_check_row_of(finding);
    g_autofree char *line = dt_check_row_text(row);
    dt_append_wrapped(out, line, width);
    if (out->len > 0 && out->str[out->len - 1] != '\n')
        g_string_append_c(out, '\n');
    for (guint i = 0; i < finding->evidence->len; i++)
        dt_text_append(out, "    %s\n", (const char *)finding->evidence->pdata[i]);
    if (finding->expected)
        dt_text_append(out, "    right: %s\n", finding->expected);
    g_string_append_c(out, '\n');
}

static char *checked_text(const DtChecked *checked, guint width)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < checked->findings->len; i++)
        append_finding(out, finding_at(checked, i), width);
    g_string_append_printf(out, "%u error%s, %u warning%s\n", checked->errors, checked->errors == 1 ? "" : "s",
                           checked->warnings, checked->warnings == 1 ? "" : "s");
    for (guint i = 0; i < checked->silent->len; i++)
        dt_text_append(out, "not looked at: %s\n", (const char *)checked->silent->pdata[i]);
    return g_string_free(out, FALSE);
}

static char *checked_tsv(const DtChecked *checked)
{
    g_autoptr(DtTable) table = dt_table_new("rule|level|traces|call|source|expected|evidence|>times");
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < checked->findings->len; i++) {
        const DtCheckFinding *finding = finding_at(checked, i);
        g_autofree char *traces = traces_of(finding);
        g_autoptr(GString) evidence = g_string_new(NULL);
        for (guint k = 0; k < finding->evidence->len; k++)
            g_string_append_printf(evidence, "%s%s", k > 0 ? "; " : "", (const char *)finding->evidence->pdata[k]);
        dt_table_add(table, dt_check_rule(finding->rule)->name);
        dt_table_add(table, dt_check_level_name(finding->level));
        dt_table_add(table, traces);
        dt_table_add(table, finding->call);
        dt_table_add(table, finding->source);
        dt_table_add(table, finding->expected);
        dt_table_add(table, evidence->str);
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, finding->times);
    }
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

/* ---- JSON --------------------------------------------------------------------------- */

static void add_texts(JsonBuilder *builder, const char *name, const GPtrArray *texts)
{
    dt_json_begin_array(builder, name);
    for (guint i = 0; i < texts->len; i++)
        dt_json_string(builder, NULL, texts->pdata[i]);
    json_builder_end_array(builder);
}

static char *checked_json(const DtChecked *checked)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_integer(builder, "errors", checked->errors);
    dt_json_integer(builder, "warnings", checked->warnings);
    dt_json_begin_array(builder, "findings");
    for (guint i = 0; i < checked->findings->len; i++)
        dt_check_finding_add_json(builder, finding_at(checked, i));
    json_builder_end_array(builder);
    add_texts(builder, "silent", checked->silent);
    add_texts(builder, "unsure", checked->unsure);
    return dt_json_finish(builder);
}

char *dt_report_checked(const DtChecked *checked, guint width, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return checked_text(checked, width);
    case DT_FORMAT_TSV:
        return checked_tsv(checked);
    case DT_FORMAT_JSON:
        return checked_json(checked);
    default:
        return dt_report_no_format("findings", format, "text, tsv and json", error);
    }
}

/* ---- SARIF -------------------------------------------------------------------------- */

static void add_message(JsonBuilder *builder, const char *name, const char *text)
{
    dt_json_begin_object(builder, name);
    dt_json_string(builder, "text", text);
    json_builder_end_object(builder);
}

static void add_rules(JsonBuilder *builder)
{
    dt_json_begin_array(builder, "rules");
    for (guint i = 0; i < DT_CHECKS; i++) {
        const DtCheckRuleInfo *rule = dt_check_rule((DtCheckRule)i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "id", rule->name);
        add_message(builder, "shortDescription", rule->meaning);
        add_message(builder, "help", rule->section);
        dt_json_begin_object(builder, "defaultConfiguration");
        dt_json_string(builder, "level", dt_check_level_name(rule->level));
        json_builder_end_object(builder);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

/* "ring.c:41": where the line number begins; NULL: there is none. */
static const char *line_of(const char *source)
{
    const char *colon = source ? strrchr(source, ':') : NULL;
    return colon && g_ascii_isdigit(colon[1]) && g_ascii_strtoull(colon + 1, NULL, 10) > 0 ? colon + 1 : NULL;
}

static void add_location(JsonBuilder *builder, const char *source)
{
    const char *line = line_of(source);
    dt_json_begin_array(builder, "locations");
    if (line) {
        g_autofree char *file = g_strndup(source, (gsize)(line - 1 - source));
        g_autofree char *uri = g_uri_escape_string(file, "/+", FALSE);
        dt_json_begin_object(builder, NULL);
        dt_json_begin_object(builder, "physicalLocation");
        dt_json_begin_object(builder, "artifactLocation");
        dt_json_string(builder, "uri", uri);
        json_builder_end_object(builder);
        dt_json_begin_object(builder, "region");
        dt_json_integer(builder, "startLine", (gint64)g_ascii_strtoll(line, NULL, 10));
        json_builder_end_object(builder);
        json_builder_end_object(builder);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static char *message_of(const DtCheckFinding *finding)
{
    g_autofree char *traces = traces_of(finding);
    GString *text = g_string_new(finding->call ? finding->call : dt_check_rule(finding->rule)->meaning);
    if (*traces)
        g_string_append_printf(text, " [%s]", traces);
    for (guint i = 0; i < finding->evidence->len; i++)
        g_string_append_printf(text, "\n%s", (const char *)finding->evidence->pdata[i]);
    if (finding->expected)
        g_string_append_printf(text, "\nright: %s", finding->expected);
    return g_string_free(text, FALSE);
}

char *dt_report_checked_sarif(const DtChecked *checked, const char *version)
{
    JsonBuilder *builder = json_builder_new();
    json_builder_begin_object(builder);
    dt_json_string(builder, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    dt_json_string(builder, "version", "2.1.0");
    dt_json_begin_array(builder, "runs");
    dt_json_begin_object(builder, NULL);
    dt_json_begin_object(builder, "tool");
    dt_json_begin_object(builder, "driver");
    dt_json_string(builder, "name", "difftrace");
    dt_json_string(builder, "version", version);
    add_rules(builder);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
    dt_json_begin_array(builder, "results");
    for (guint i = 0; i < checked->findings->len; i++) {
        const DtCheckFinding *finding = finding_at(checked, i);
        g_autofree char *message = message_of(finding);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "ruleId", dt_check_rule(finding->rule)->name);
        dt_json_integer(builder, "ruleIndex", finding->rule);
        dt_json_string(builder, "level", dt_check_level_name(finding->level));
        add_message(builder, "message", message);
        add_location(builder, finding->source);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

/* ---- JUnit -------------------------------------------------------------------------- */

static void append_case(GString *out, const DtChecked *checked, DtCheckRule rule)
{
    gboolean any = FALSE;
    g_string_append_printf(out, "    <testcase classname=\"difftrace.check\" name=\"%s\"", dt_check_rule(rule)->name);
    for (guint i = 0; i < checked->findings->len; i++) {
        const DtCheckFinding *finding = finding_at(checked, i);
        if (finding->rule != rule)
            continue;
        g_autofree char *text = message_of(finding);
        g_autofree char *markup = dt_text_markup(text);
        g_autofree char *source = dt_text_markup(finding->source ? finding->source : "");
        if (!any)
            g_string_append(out, ">\n");
        any = TRUE;
        if (finding->level == DT_CHECK_ERROR)
            g_string_append_printf(out, "      <failure message=\"%s\">%s</failure>\n", source, markup);
        else
            g_string_append_printf(out, "      <system-out>%s %s</system-out>\n", source, markup);
    }
    g_string_append(out, any ? "    </testcase>\n" : "/>\n");
}

static guint failing_rules(const DtChecked *checked)
{
    gboolean failed[DT_CHECKS] = {FALSE};
    guint count = 0;
    for (guint i = 0; i < checked->findings->len; i++) {
        const DtCheckFinding *finding = finding_at(checked, i);
        count += finding->level == DT_CHECK_ERROR && !failed[finding->rule] ? 1 : 0;
        failed[finding->rule] |= finding->level == DT_CHECK_ERROR;
    }
    return count;
}

char *dt_report_checked_junit(const DtChecked *checked)
{
    GString *out = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    g_string_append_printf(out, "  <testsuite name=\"difftrace check\" tests=\"%d\" failures=\"%u\" errors=\"0\">\n",
                           (int)DT_CHECKS, failing_rules(checked));
    for (guint i = 0; i < DT_CHECKS; i++)
        append_case(out, checked, (DtCheckRule)i);
    g_string_append(out, "  </testsuite>\n</testsuites>\n");
    return g_string_free(out, FALSE);
}
