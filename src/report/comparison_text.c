/* A comparison in text: verdict, suspects, ranking table. */
#include "report/checks/checks_report.h"
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
    g_autofree char *text = labels ? g_strjoinv(", ", labels) : NULL;
    dt_table_add(table, !text || text[0] == '\0' ? "-" : text);
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
    if (!labels || !labels[0])
        return;
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    for (guint i = 0; labels[i]; i++)
        g_ptr_array_add(list, labels[i]);
    g_autofree char *text = dt_trace_list_text(list);
    dt_text_append(out, "Only in the %s run: %s\n", run, text);
}

/* "Suspects (3)", "Suspects (10 of 36)" */
static void append_heading(GString *out, const char *heading, guint rows, guint of, const char *note, guint width)
{
    g_autofree char *all = rows < of ? g_strdup_printf(" of %u", of) : g_strdup("");
    g_autofree char *line = g_strdup_printf("%s (%u%s%s)", heading, rows, all, note);
    g_string_append_c(out, '\n');
    dt_append_wrapped(out, line, width);
}

/* By clusters, the runs are the same under every filter. */
static gboolean no_row_tells(const GPtrArray *rows)
{
    for (guint i = 0; i < rows->len; i++) {
        const DtRankingRow *row = rows->pdata[i];
        gboolean names_none = (!row->processes || !row->processes[0]) && (!row->threads || !row->threads[0]);
        if (!row->has_bscore || row->bscore < 1 || !names_none)
            return FALSE;
    }
    return TRUE;
}

/* Errors; those that the normal run has, too, only if there are no others. */
static void append_checks(GString *out, const DtComparison *comparison, guint width)
{
    enum { MOST = 5 };
    guint errors = 0, told = 0;
    gboolean is_new = TRUE;
    for (guint i = 0; i < comparison->checks->len; i++) {
        const DtCheckRow *row = comparison->checks->pdata[i];
        if (g_strcmp0(row->level, "error") != 0)
            continue;
        is_new = errors++ == 0 ? !row->in_normal : is_new;
    }
    if (errors == 0)
        return;
    g_string_append_printf(out, "\nErrors that the run proves by itself (%u)%s:\n", errors,
                           is_new ? "" : "; the normal run has them, too");
    for (guint i = 0; i < comparison->checks->len && told < MOST; i++) {
        const DtCheckRow *row = comparison->checks->pdata[i];
        if (g_strcmp0(row->level, "error") != 0 || row->in_normal == is_new)
            continue;
        g_autofree char *text = dt_check_row_text(row);
        dt_append_wrapped(out, text, width);
        told++;
    }
    if (told < errors)
        dt_text_append(out, "All of them: difftrace check %s\n", comparison->faulty);
}

static char *comparison_text(const DtComparison *comparison, guint top, guint width)
{
    GString *out = g_string_new(NULL);
    append_only(out, "normal", comparison->only_in_normal);
    append_only(out, "faulty", comparison->only_in_faulty);
    g_autofree char *verdict = g_strconcat("Verdict: ", comparison->verdict ? comparison->verdict : "none", NULL);
    dt_append_wrapped(out, verdict, width);
    append_checks(out, comparison, width);
    if (comparison->suspects->len > 0) {
        append_heading(out, "Suspects", shown(comparison->suspects, top), comparison->suspects->len, "", width);
        g_autoptr(DtTable) suspects = suspects_table(comparison, top);
        dt_table_append_text(suspects, out, width);
    }
    if (comparison->rows->len > 0 && no_row_tells(comparison->rows)) {
        g_string_append_printf(out, "\nRanking table: the B-score is 1 in all %u rows, and no trace stands out\n",
                               comparison->rows->len);
    } else if (comparison->rows->len > 0) {
        append_heading(out, "Ranking table", shown(comparison->rows, top), comparison->rows->len,
                       "; B-score: 1 if the traces of both runs form the same clusters; a small one is good evidence",
                       width);
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
