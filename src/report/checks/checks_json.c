/* Findings of rules in JSON. */
#include "report/checks/checks_report.h"
#include "report/comparison_json.h"

static void add_row(JsonBuilder *builder, const DtCheckRow *row, gboolean compared)
{
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "rule", row->rule);
    dt_json_string(builder, "level", row->level);
    dt_json_string(builder, "meaning", row->meaning);
    dt_json_string(builder, "section", row->section);
    dt_json_begin_array(builder, "ranks");
    for (guint i = 0; i < row->ranks->len; i++)
        dt_json_integer(builder, NULL, g_array_index(row->ranks, gint, i));
    json_builder_end_array(builder);
    dt_json_strings(builder, "traces", (const char *const *)row->traces);
    dt_json_string(builder, "call", row->call);
    dt_json_string(builder, "source", row->source);
    dt_json_string(builder, "expected", row->expected);
    dt_json_strings(builder, "evidence", (const char *const *)row->evidence);
    dt_json_integer(builder, "times", (gint64)row->times);
    if (compared)
        dt_json_boolean(builder, "in_normal", row->in_normal);
    json_builder_end_object(builder);
}

void dt_check_finding_add_json(JsonBuilder *builder, const DtCheckFinding *finding)
{
    g_autoptr(DtCheckRow) row = dt_check_row_of(finding);
    add_row(builder, row, FALSE);
}

void dt_check_rows_add_json(JsonBuilder *builder, const GPtrArray *rows)
{
    dt_json_begin_array(builder, "checks");
    for (guint i = 0; i < rows->len; i++)
        add_row(builder, rows->pdata[i], TRUE);
    json_builder_end_array(builder);
}
