/* A comparison in text: verdict, suspects, ranking table. */
#include "report/common.h"
#include "report/comparison_json.h"
#include "report/table.h"
#include "text/text.h"

static guint shown(const GPtrArray *rows, guint top)
{
    return top == 0 ? rows->len : MIN(top, rows->len);
}

static DtTable *suspects_table(const DtComparison *comparison, guint top)
{
    DtTable *table = dt_table_new("trace|>score|level|status|why");
    for (guint i = 0; i < shown(comparison->suspects, top); i++) {
        const DtSuspectRow *row = comparison->suspects->pdata[i];
        dt_table_add(table, row->trace);
        dt_table_add_format(table, "%.2f", row->score);
        dt_table_add(table, row->level);
        dt_table_add(table, row->status);
        dt_table_add(table, row->why);
    }
    return table;
}

static void add_labels(DtTable *table, GStrv labels)
{
    g_autofree char *text = labels != NULL ? g_strjoinv(", ", labels) : NULL;
    dt_table_add(table, text == NULL || text[0] == '\0' ? "-" : text);
}

static DtTable *ranking_table(const DtComparison *comparison, guint top)
{
    DtTable *table = dt_table_new("filter|attributes|linkage|>B-score|top processes|top threads");
    for (guint i = 0; i < shown(comparison->rows, top); i++) {
        const DtRankingRow *row = comparison->rows->pdata[i];
        dt_table_add(table, row->filter);
        dt_table_add(table, row->attributes);
        dt_table_add(table, row->linkage);
        if (row->has_bscore)
            dt_table_add_format(table, "%.3f", row->bscore);
        else
            dt_table_add(table, "-");
        add_labels(table, row->processes);
        add_labels(table, row->threads);
    }
    return table;
}

static char *render_table(const DtTable *table, const char *report, DtReportFormat format, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    if (format == DT_FORMAT_TEXT || format == DT_FORMAT_TERMINAL)
        dt_table_append_text(table, out, 0);
    else if (format == DT_FORMAT_TSV)
        dt_table_append_tsv(table, out);
    else
        return dt_report_no_format(report, format, "text and tsv", error);
    return g_string_free(g_steal_pointer(&out), FALSE);
}

char *dt_report_suspects(const DtComparison *comparison, guint top, DtReportFormat format, GError **error)
{
    g_autoptr(DtTable) table = suspects_table(comparison, top);
    return render_table(table, "the table of suspects", format, error);
}

char *dt_report_ranking(const DtComparison *comparison, guint top, DtReportFormat format, GError **error)
{
    g_autoptr(DtTable) table = ranking_table(comparison, top);
    return render_table(table, "the ranking table", format, error);
}

static void append_only(GString *out, const char *run, GStrv labels)
{
    if (labels == NULL || labels[0] == NULL)
        return;
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    for (guint i = 0; labels[i] != NULL; i++)
        g_ptr_array_add(list, labels[i]);
    g_autofree char *text = dt_trace_list_text(list);
    dt_text_append(out, "Only in the %s run: %s\n", run, text);
}

/* "3 suspects", "10 of 36 suspects" */
static void append_heading(GString *out, const char *heading, guint rows, guint of, const char *note)
{
    if (rows < of)
        g_string_append_printf(out, "\n%s (%u of %u%s)\n", heading, rows, of, note);
    else
        g_string_append_printf(out, "\n%s (%u%s)\n", heading, rows, note);
}

static char *comparison_text(const DtComparison *comparison, guint top, guint width)
{
    GString *out = g_string_new(NULL);
    append_only(out, "normal", comparison->only_in_normal);
    append_only(out, "faulty", comparison->only_in_faulty);
    dt_text_append(out, "Verdict: %s\n", comparison->verdict != NULL ? comparison->verdict : "none");
    if (comparison->suspects->len > 0) {
        append_heading(out, "Suspects", shown(comparison->suspects, top), comparison->suspects->len, "");
        g_autoptr(DtTable) suspects = suspects_table(comparison, top);
        dt_table_append_text(suspects, out, width);
    }
    if (comparison->rows->len > 0) {
        append_heading(out, "Ranking table", shown(comparison->rows, top), comparison->rows->len,
                       "; a small B-score is good evidence");
        g_autoptr(DtTable) ranking = ranking_table(comparison, top);
        dt_table_append_text(ranking, out, width);
    }
    return g_string_free(out, FALSE);
}

char *dt_report_comparison(const DtComparison *comparison, guint top, guint width, DtReportFormat format,
                           GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return comparison_text(comparison, top, width);
    case DT_FORMAT_JSON:
        return dt_comparison_json(comparison, top, FALSE);
    case DT_FORMAT_TSV:
        return dt_report_suspects(comparison, top, format, error);
    default:
        return dt_report_no_format("a comparison", format, "text, tsv and json", error);
    }
}
