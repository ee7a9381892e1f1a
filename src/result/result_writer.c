/* Writing a result directory: document, tables, pictures. */
#include "result/result_writer.h"

#include "base/rights.h"
#include "result/difference_report.h"
#include "result/page_data.h"
#include "result/result.h"
#include "text/text.h"

typedef struct {
    const DtComparison *comparison;
    const DtRuns *runs;
    DtFoldingCache *cache;
    guint jobs;
    const char *directory;
    GStrvBuilder *names;
} Writer;

static gboolean write_file(Writer *writer, const char *name, const char *text, GError **error)
{
    g_autofree char *file = g_build_filename(writer->directory, name, NULL);
    g_autoptr(GError) cause = NULL;
    if (!dt_set_contents(file, text, &cause)) {
        dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_OUTPUT, "%s: cannot be written: %s", file, cause->message);
        return FALSE;
    }
    g_strv_builder_add(writer->names, name);
    return TRUE;
}

/* A report that could not be made is a note: the others are still worth having. FALSE: cannot be written. */
static gboolean write_report(Writer *writer, const char *name, const char *report, GError *cause, GError **error)
{
    g_autoptr(GError) reason = cause;
    if (report)
        return write_file(writer, name, report, error);
    dt_compare_warn(writer->runs->listener, "note: no %s: %s", name, reason ? reason->message : "nothing to show");
    return TRUE;
}

static gboolean write_tables(Writer *writer, GError **error)
{
    g_autofree char *document = dt_comparison_to_document(writer->comparison);
    g_autofree char *suspects = dt_report_suspects(writer->comparison, 0, DT_FORMAT_TSV, error);
    g_autofree char *ranking = dt_report_ranking(writer->comparison, 0, DT_FORMAT_TSV, error);
    return suspects && ranking && write_file(writer, DT_RESULT_DOCUMENT, document, error) &&
           write_file(writer, "suspects.tsv", suspects, error) && write_file(writer, "ranking.tsv", ranking, error);
}

/* ---- the best row ------------------------------------------------------------------- */

static gboolean write_matrix(Writer *writer, const DtRankingRow *row, const DtSimilarity *similarity, DtSide side,
                             const DtDendrogram *dendrogram, GError **error)
{
    g_autoptr(DtMatrix) matrix = dt_similarity_matrix(similarity, side, error);
    if (!matrix)
        return FALSE;
    DtMatrixReport what = {side, row->filter, row->attributes, writer->runs->labels, matrix, dendrogram};
    GError *cause = NULL;
    g_autofree char *report = dt_report_matrix(&what, DT_FORMAT_SVG, &cause);
    g_autofree char *name = g_strdup_printf("jsm-%s.svg", dt_side_name(side));
    return write_report(writer, name, report, cause, error);
}

static gboolean write_dendrogram(Writer *writer, const DtRankingRow *row, DtSide side, const DtDendrogram *dendrogram,
                                 GError **error)
{
    DtDendrogramReport what = {side, row->filter, row->attributes, row->linkage, writer->runs->labels, dendrogram};
    GError *cause = NULL;
    g_autofree char *report = dt_report_dendrogram(&what, DT_FORMAT_SVG, &cause);
    g_autofree char *name = g_strdup_printf("dendrogram-%s.svg", dt_side_name(side));
    return write_report(writer, name, report, cause, error);
}

static gboolean write_lattice(Writer *writer, const DtRankingRow *row, const GPtrArray *folded, const DtRun *run,
                              DtSide side, DtAttributeSetting attributes, GError **error)
{
    g_autoptr(DtContext) context = dt_folding_context(folded, writer->runs->functions, attributes);
    DtLatticeReport what = {dt_run_path(run), row->filter, row->attributes, context, NULL};
    GError *cause = NULL;
    guint most = DT_LATTICE_PICTURE_LIMIT;
    g_autofree char *svg = dt_report_lattice_upper(&what, &most, DT_FORMAT_SVG, &cause);
    g_autofree char *dot = svg ? dt_report_lattice_upper(&what, &most, DT_FORMAT_DOT, &cause) : NULL;
    g_autofree char *dot_name = g_strdup_printf("lattice-%s.dot", dt_side_name(side));
    g_autofree char *svg_name = g_strdup_printf("lattice-%s.svg", dt_side_name(side));
    return (!dot || write_file(writer, dot_name, dot, error)) && write_report(writer, svg_name, svg, cause, error);
}

static gboolean write_similarity(Writer *writer, const DtRankingRow *row, const DtSimilarity *similarity,
                                 DtLinkage linkage, GError **error)
{
    DtSide first = writer->runs->normal ? DT_SIDE_NORMAL : DT_SIDE_FAULTY;
    DtSide last = writer->runs->normal ? DT_SIDE_DIFFERENCE : DT_SIDE_FAULTY;
    for (DtSide side = first; side <= last; side++) {
        g_autoptr(DtDendrogram) dendrogram = dt_similarity_dendrogram(similarity, side, linkage, error);
        if (!dendrogram || !write_matrix(writer, row, similarity, side, dendrogram, error) ||
            !write_dendrogram(writer, row, side, dendrogram, error))
            return FALSE;
    }
    return TRUE;
}

/* The row is ours, just made: its names parse. */
static gboolean write_best_row(Writer *writer, const DtSelection *selection, GError **error)
{
    const DtRankingRow *row = writer->comparison->rows->pdata[0];
    const DtFolding *folding = dt_folding_cache_get(writer->cache, row->filter, error);
    DtAttributeSetting attributes;
    if (!folding || !dt_attribute_setting_parse(row->attributes, &attributes, error))
        return FALSE;
    g_autoptr(DtSimilarity) similarity = dt_similarity_new(writer->runs, folding, attributes, writer->jobs);
    if (!write_similarity(writer, row, similarity, selection->linkage, error))
        return FALSE;
    if (writer->runs->normal &&
        !write_lattice(writer, row, folding->normal, writer->runs->normal, DT_SIDE_NORMAL, attributes, error))
        return FALSE;
    return write_lattice(writer, row, folding->faulty, writer->runs->faulty, DT_SIDE_FAULTY, attributes, error);
}

/* ---- suspects ------------------------------------------------------------------------- */

static gboolean write_difference(Writer *writer, const DtFolding *folding, const char *label, GError **error)
{
    GError *cause = NULL;
    g_autofree char *dot_name = g_strdup_printf("diffnlr-%s.dot", label);
    g_autofree char *svg_name = g_strdup_printf("diffnlr-%s.svg", label);
    g_autofree char *dot =
        dt_difference_report(writer->comparison, writer->runs, folding, label, 0, DT_FORMAT_DOT, &cause);
    g_autofree char *svg =
        dot ? dt_difference_report(writer->comparison, writer->runs, folding, label, 0, DT_FORMAT_SVG, &cause) : NULL;
    return (!dot || write_file(writer, dot_name, dot, error)) && write_report(writer, svg_name, svg, cause, error);
}

/* The first few suspects whose trace is in both runs and differs. */
static GPtrArray *pictured_suspects(const Writer *writer)
{
    GPtrArray *labels = g_ptr_array_new();
    for (guint i = 0; i < writer->comparison->suspects->len && labels->len < DT_PICTURED_SUSPECTS; i++) {
        const DtSuspectRow *suspect = writer->comparison->suspects->pdata[i];
        if (suspect->first_difference && dt_run_find_trace(writer->runs->normal, suspect->trace) &&
            dt_run_find_trace(writer->runs->faulty, suspect->trace))
            g_ptr_array_add(labels, suspect->trace);
    }
    return labels;
}

/* Each under the best filter that shows how it ended, else under the best that shows a difference at all. */
static gboolean write_suspects(Writer *writer, GError **error)
{
    if (!writer->runs->normal)
        return TRUE;
    g_autoptr(GPtrArray) labels = pictured_suspects(writer);
    for (guint i = 0; i < labels->len; i++) {
        const char *label = labels->pdata[i];
        guint shows = DT_SHOWS_NOTHING;
        const DtFolding *folding = dt_folding_cache_telling(writer->cache, writer->comparison, label, &shows, error);
        if (!folding)
            return FALSE;
        if (shows == DT_SHOWS_NOTHING)
            dt_compare_warn(writer->runs->listener,
                            "note: no diffnlr-%s.svg: no filter of this comparison shows a difference", label);
        else if (!write_difference(writer, folding, label, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean write_page(Writer *writer, GError **error)
{
    g_autofree char *page = dt_page_make(writer->comparison, writer->runs, writer->cache, writer->jobs, error);
    return page && write_file(writer, DT_RESULT_PAGE, page, error);
}

GStrv dt_write_result(const DtComparison *comparison, const DtRuns *runs, const DtSelection *selection,
                      DtFoldingCache *cache, const char *directory, GError **error)
{
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    Writer writer = {comparison, runs, cache, selection->jobs, directory, names};
    dt_compare_progress(runs->listener, "pictures", 0, 0);
    gboolean written = write_tables(&writer, error) && write_page(&writer, error) && write_suspects(&writer, error) &&
                       write_best_row(&writer, selection, error);
    dt_compare_progress(runs->listener, NULL, 0, 0);
    return written ? g_strv_builder_end(names) : NULL;
}
