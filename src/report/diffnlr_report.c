/* A diffNLR in the format asked for, and as JSON. */
#include "report/diffnlr_report.h"

#include "report/common.h"
#include "report/json.h"
#include "report/loops.h"
#include "report/pictures/graph.h"

static void add_blocks(JsonBuilder *builder, const DtDiffNlrReport *what)
{
    dt_json_begin_array(builder, "blocks");
    for (guint i = 0; i < what->diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(what->diff->blocks, DtDiffBlock, i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "kind", block->common ? "common" : "change");
        if (block->common) {
            dt_elements_add_json(builder, "elements", block->normal, what->functions);
        } else {
            dt_elements_add_json(builder, "normal", block->normal, what->functions);
            dt_elements_add_json(builder, "faulty", block->faulty, what->functions);
        }
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_open(JsonBuilder *builder, const char *name, guint32 function, const DtFunctions *functions)
{
    dt_json_string(builder, name, function != 0 ? dt_function_name(functions, function) : NULL);
}

/* Of call trees only. */
static void add_path(JsonBuilder *builder, const DtDiffNlrReport *what)
{
    if (what->diff->path->len == 0)
        return;
    dt_json_begin_array(builder, "path");
    for (guint i = 0; i < what->diff->path->len; i++)
        dt_json_string(builder, NULL, dt_function_name(what->functions, g_array_index(what->diff->path, guint32, i)));
    json_builder_end_array(builder);
}

static char *diffnlr_json(const DtDiffNlrReport *what)
{
    g_autofree char *first = dt_diffnlr_first_difference(what->diff, what->functions);
    g_autoptr(GHashTable) nodes = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) bodies = dt_reach_of_diff(what->table, what->tree, what->diff, nodes);
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "trace", what->trace);
    dt_json_string(builder, "filter", what->filter);
    dt_json_string(builder, "normal", what->normal);
    dt_json_string(builder, "faulty", what->faulty);
    dt_json_boolean(builder, "same", what->diff->same);
    dt_json_integer(builder, "distance", (gint64)what->diff->distance);
    dt_json_string(builder, "first_difference", first);
    add_path(builder, what);
    add_blocks(builder, what);
    dt_bodies_add_json(builder, bodies, what->table, what->functions);
    dt_nodes_add_json(builder, nodes, what->tree, what->functions);
    add_open(builder, "normal_open", what->diff->normal_open, what->functions);
    add_open(builder, "faulty_open", what->diff->faulty_open, what->functions);
    return dt_json_finish(builder);
}

char *dt_report_diffnlr(const DtDiffNlrReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
        return dt_diffnlr_text(what, FALSE);
    case DT_FORMAT_TERMINAL:
        return dt_diffnlr_text(what, TRUE);
    case DT_FORMAT_JSON:
        return diffnlr_json(what);
    case DT_FORMAT_TSV:
        return dt_diffnlr_tsv(what);
    case DT_FORMAT_DOT:
    case DT_FORMAT_SVG:
        return dt_graph_draw(dt_diffnlr_graph(what, error), format, error);
    default:
        return dt_report_no_format("a diffNLR", format, "text, tsv, json, dot and svg", error);
    }
}
