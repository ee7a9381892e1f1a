/* A clustering as text and JSON. */
#include "report/dendrogram_report.h"

#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "text/text.h"

enum { MAX_INDENT = 40 };

const char *dt_dendrogram_heading(DtSide side)
{
    static const char *const headings[] = {
        [DT_SIDE_NORMAL] = "Clusters of the normal run's traces, distance 1 - similarity",
        [DT_SIDE_FAULTY] = "Clusters of the faulty run's traces, distance 1 - similarity",
        [DT_SIDE_DIFFERENCE] = "Clusters of the traces by change of similarity between the runs"};
    return headings[side];
}

/* ---- text: the tree, root first ----------------------------------------------------- */

typedef struct {
    guint cluster, depth;
} Visit;

static void push_visit(GArray *visits, guint cluster, guint depth)
{
    Visit visit = {cluster, depth};
    g_array_append_val(visits, visit);
}

/* Chains of merges can be as deep as there are leaves: no recursion, bounded indentation. */
static void append_tree(GString *out, const DtDendrogramReport *what)
{
    const DtDendrogram *tree = what->dendrogram;
    g_autoptr(GArray) visits = g_array_new(FALSE, FALSE, sizeof(Visit));
    push_visit(visits, tree->leaves > 1 ? 2 * tree->leaves - 2 : 0, 0);
    while (visits->len > 0) {
        Visit visit = g_array_index(visits, Visit, visits->len - 1);
        g_array_set_size(visits, visits->len - 1);
        g_string_append_printf(out, "%*s", 2 * (int)MIN(visit.depth, MAX_INDENT), "");
        if (visit.depth > MAX_INDENT)
            g_string_append_printf(out, "(depth %u) ", visit.depth);
        if (visit.cluster < tree->leaves) {
            g_string_append_printf(out, "%s\n", what->labels[visit.cluster]);
            continue;
        }
        const DtMerge *merge = &tree->merges[visit.cluster - tree->leaves];
        g_string_append_printf(out, "+ %.4f (%u traces)\n", merge->distance, merge->size);
        push_visit(visits, merge->b, visit.depth + 1);
        push_visit(visits, merge->a, visit.depth + 1);
    }
}

static char *dendrogram_text(const DtDendrogramReport *what)
{
    GString *out = g_string_new(NULL);
    dt_text_append(out, "%s; filter %s, attributes %s, linkage %s\n\n", dt_dendrogram_heading(what->side), what->filter,
                   what->attributes, what->linkage);
    append_tree(out, what);
    return g_string_free(out, FALSE);
}

/* The leaves, then the merges: clusters a and b, by number, at a distance. */
static char *dendrogram_tsv(const DtDendrogramReport *what)
{
    const DtDendrogram *tree = what->dendrogram;
    g_autoptr(DtTable) table = dt_table_new("cluster|trace|a|b|distance|size");
    for (guint i = 0; i < tree->leaves; i++) {
        dt_table_add_format(table, "%u", i);
        dt_table_add(table, what->labels[i]);
        dt_table_add(table, "");
        dt_table_add(table, "");
        dt_table_add(table, "0");
        dt_table_add(table, "1");
    }
    for (guint i = 0; i + 1 < tree->leaves; i++) {
        const DtMerge *merge = &tree->merges[i];
        dt_table_add_format(table, "%u", tree->leaves + i);
        dt_table_add(table, "");
        dt_table_add_format(table, "%u", merge->a);
        dt_table_add_format(table, "%u", merge->b);
        dt_table_add_format(table, "%.6g", merge->distance);
        dt_table_add_format(table, "%u", merge->size);
    }
    GString *out = g_string_new(NULL);
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static char *dendrogram_json(const DtDendrogramReport *what)
{
    const DtDendrogram *tree = what->dendrogram;
    g_autofree guint *order = dt_dendrogram_order(tree);
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "of", dt_side_name(what->side));
    dt_json_string(builder, "filter", what->filter);
    dt_json_string(builder, "attributes", what->attributes);
    dt_json_string(builder, "linkage", what->linkage);
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < tree->leaves; i++)
        dt_json_string(builder, NULL, what->labels[i]);
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "merges");
    for (guint i = 0; i + 1 < tree->leaves; i++) {
        dt_json_begin_object(builder, NULL);
        dt_json_integer(builder, "a", tree->merges[i].a);
        dt_json_integer(builder, "b", tree->merges[i].b);
        dt_json_number(builder, "distance", tree->merges[i].distance);
        dt_json_integer(builder, "size", tree->merges[i].size);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "order");
    for (guint i = 0; i < tree->leaves; i++)
        dt_json_integer(builder, NULL, order[i]);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_dendrogram(const DtDendrogramReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return dendrogram_text(what);
    case DT_FORMAT_JSON:
        return dendrogram_json(what);
    case DT_FORMAT_TSV:
        return dendrogram_tsv(what);
    case DT_FORMAT_SVG:
        return dt_dendrogram_svg(what, error);
    default:
        return dt_report_no_format("a dendrogram", format, "text, tsv, json and svg", error);
    }
}
