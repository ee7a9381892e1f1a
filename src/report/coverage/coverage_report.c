#include "report/coverage/coverage_report.h"

#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "text/text.h"

static const DtCoverageRow *row_at(const DtCoverage *coverage, guint index)
{
    return coverage->rows->pdata[index];
}

static const DtCoverageOutcome *outcome_at(const DtCoverageRow *row, guint index)
{
    return row->outcomes->pdata[index];
}

static guint count_seen(const DtCoverageRow *row)
{
    guint seen = 0;
    for (guint i = 0; i < row->outcomes->len; i++)
        seen += outcome_at(row, i)->first_seen > 0 ? 1 : 0;
    return seen;
}

/* ---- text --------------------------------------------------------------------------------------------- */

/* Rows of one operation at one place, whoever did it. */
typedef struct {
    guint begin, end;
    guint seen, required;
} Group;

static Group group_at(const DtCoverage *coverage, guint begin)
{
    Group group = {.begin = begin, .end = begin};
    const DtCoverageRow *first = row_at(coverage, begin);
    for (; group.end < coverage->rows->len; group.end++) {
        const DtCoverageRow *row = row_at(coverage, group.end);
        if (row->kind != first->kind || !g_str_equal(row->place, first->place) ||
            !g_str_equal(row->operation, first->operation))
            break;
        group.seen += count_seen(row);
        group.required += row->outcomes->len;
    }
    return group;
}

/* Of which nodes an outcome is asked for and was never seen; `all`: of every one. (element-type utf8), borrowed. */
static GPtrArray *nodes_without(const DtCoverage *coverage, const Group *group, const char *outcome, gboolean *all)
{
    GPtrArray *nodes = g_ptr_array_new();
    *all = TRUE;
    for (guint i = group->begin; i < group->end; i++) {
        const DtCoverageRow *row = row_at(coverage, i);
        for (guint k = 0; k < row->outcomes->len; k++) {
            if (!g_str_equal(outcome_at(row, k)->name, outcome))
                continue;
            if (outcome_at(row, k)->first_seen == 0)
                g_ptr_array_add(nodes, row->node);
            else
                *all = FALSE;
        }
    }
    return nodes;
}

static void append_never(GString *out, const DtCoverage *coverage, const Group *group, const char *outcome)
{
    enum { MOST_NODES = 5 };
    gboolean all;
    g_autoptr(GPtrArray) nodes = nodes_without(coverage, group, outcome, &all);
    if (nodes->len == 0)
        return;
    g_string_append_printf(out, "%s%s", out->len > 0 ? "; " : "", outcome);
    if (all && group->end - group->begin == 1)
        return;
    for (guint i = 0; i < nodes->len && i < MOST_NODES && !all; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : " by ", (const char *)nodes->pdata[i]);
    if (nodes->len > MOST_NODES && !all)
        g_string_append_printf(out, " and %u more", nodes->len - MOST_NODES);
}

static char *never_of(const DtCoverage *coverage, const Group *group)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GHashTable) told = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = group->begin; i < group->end; i++)
        for (guint k = 0; k < row_at(coverage, i)->outcomes->len; k++) {
            const char *name = outcome_at(row_at(coverage, i), k)->name;
            if (g_hash_table_add(told, (gpointer)name))
                append_never(out, coverage, group, name);
        }
    return g_string_free(out, FALSE);
}

static void append_runs(GString *out, const DtCoverage *coverage, guint width)
{
    g_autoptr(DtTable) table = dt_table_new("run|>seen|>new");
    for (guint i = 0; i < coverage->runs->len; i++) {
        const DtCoverageRun *run = coverage->runs->pdata[i];
        dt_table_add(table, run->name);
        dt_table_add_format(table, "%u", run->seen);
        dt_table_add_format(table, "%u", run->news);
    }
    dt_table_append_text(table, out, width);
}

static char *coverage_text(const DtCoverage *coverage, gboolean never, guint width)
{
    GString *out = g_string_new(NULL);
    g_autoptr(DtTable) table = dt_table_new("~place|~operation|>by|>seen|>of|never exercised");
    guint rows = 0;
    for (guint i = 0; i < coverage->rows->len;) {
        const Group group = group_at(coverage, i);
        g_autofree char *missing = never_of(coverage, &group);
        if (!never || group.seen < group.required) {
            dt_table_add(table, row_at(coverage, i)->place);
            dt_table_add(table, row_at(coverage, i)->operation);
            dt_table_add_format(table, "%u", group.end - group.begin);
            dt_table_add_format(table, "%u", group.seen);
            dt_table_add_format(table, "%u", group.required);
            dt_table_add(table, missing);
            rows++;
        }
        i = group.end;
    }
    if (rows > 0) {
        dt_table_append_text(table, out, width);
        g_string_append_c(out, '\n');
    }
    append_runs(out, coverage, width);
    if (coverage->required > 0)
        g_string_append_printf(out, "\n%u of %u exercised, %u never\n", coverage->seen, coverage->required,
                               coverage->required - coverage->seen);
    else
        g_string_append(out, "\nNothing in these runs could have gone another way, as far as they tell.\n");
    for (guint i = 0; i < coverage->silent->len; i++)
        dt_text_append(out, "not looked at: %s\n", (const char *)coverage->silent->pdata[i]);
    return g_string_free(out, FALSE);
}

static char *coverage_tsv(const DtCoverage *coverage, gboolean never)
{
    g_autoptr(DtTable) table = dt_table_new("kind|place|operation|by|outcome|>times|first run");
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < coverage->rows->len; i++)
        for (guint k = 0; k < row_at(coverage, i)->outcomes->len; k++) {
            const DtCoverageRow *row = row_at(coverage, i);
            const DtCoverageOutcome *outcome = outcome_at(row, k);
            if (never && outcome->first_seen > 0)
                continue;
            dt_table_add(table, dt_coverage_kind_name(row->kind));
            dt_table_add(table, row->place);
            dt_table_add(table, row->operation);
            dt_table_add(table, row->node);
            dt_table_add(table, outcome->name);
            dt_table_add_format(table, "%" G_GUINT64_FORMAT, outcome->times);
            dt_table_add(table, outcome->first_seen > 0
                                    ? ((const DtCoverageRun *)coverage->runs->pdata[outcome->first_seen - 1])->name
                                    : "");
        }
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static void add_row(JsonBuilder *builder, const DtCoverageRow *row, gboolean never)
{
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "kind", dt_coverage_kind_name(row->kind));
    dt_json_string(builder, "place", *row->place ? row->place : NULL);
    dt_json_string(builder, "operation", row->operation);
    dt_json_string(builder, "by", row->node);
    dt_json_begin_array(builder, "outcomes");
    for (guint i = 0; i < row->outcomes->len; i++) {
        const DtCoverageOutcome *outcome = outcome_at(row, i);
        if (never && outcome->first_seen > 0)
            continue;
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "name", outcome->name);
        dt_json_integer(builder, "times", (gint64)outcome->times);
        if (outcome->first_seen > 0)
            dt_json_integer(builder, "first_run", outcome->first_seen);
        else
            dt_json_null(builder, "first_run");
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static char *coverage_json(const DtCoverage *coverage, gboolean never)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_integer(builder, "seen", coverage->seen);
    dt_json_integer(builder, "required", coverage->required);
    dt_json_begin_array(builder, "runs");
    for (guint i = 0; i < coverage->runs->len; i++) {
        const DtCoverageRun *run = coverage->runs->pdata[i];
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "name", run->name);
        dt_json_integer(builder, "seen", run->seen);
        dt_json_integer(builder, "new", run->news);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "rows");
    for (guint i = 0; i < coverage->rows->len; i++)
        if (!never || count_seen(row_at(coverage, i)) < row_at(coverage, i)->outcomes->len)
            add_row(builder, row_at(coverage, i), never);
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "silent");
    for (guint i = 0; i < coverage->silent->len; i++)
        dt_json_string(builder, NULL, coverage->silent->pdata[i]);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_coverage(const DtCoverage *coverage, gboolean never, guint width, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return coverage_text(coverage, never, width);
    case DT_FORMAT_TSV:
        return coverage_tsv(coverage, never);
    case DT_FORMAT_JSON:
        return coverage_json(coverage, never);
    default:
        return dt_report_no_format("coverage", format, "text, tsv and json", error);
    }
}
