/* Call frequencies, as text and JSON, and the call graph. */
#include "report/common.h"
#include "report/json.h"
#include "report/pictures/graph.h"
#include "report/table.h"
#include "text/text.h"

#include <string.h>

/* A function with its calls; MPI functions are one whatever binding called them. */
typedef struct {
    guint32 id; /* the first one with that name */
    guint64 calls;
} FunctionCalls;

static gboolean is_mpi(const DtFunction *function)
{
    return g_str_has_prefix(function->name, "MPI_");
}

/* The id that stands for a function: of MPI's variants the first. */
static guint32 representative(const DtFunctions *functions, GHashTable *mpi, guint32 id)
{
    if (id == 0 || id > dt_functions_count(functions))
        return 0;
    const DtFunction *function = dt_functions_get(functions, id);
    if (!is_mpi(function))
        return id;
    gpointer known = g_hash_table_lookup(mpi, function->name);
    if (!known)
        g_hash_table_insert(mpi, (gpointer)function->name, GUINT_TO_POINTER(id));
    return known ? GPOINTER_TO_UINT(known) : id;
}

static gint compare_calls(gconstpointer a, gconstpointer b, gpointer functions)
{
    const FunctionCalls *first = a, *second = b;
    if (first->calls != second->calls)
        return first->calls > second->calls ? -1 : 1;
    gint names = strcmp(dt_function_name(functions, first->id), dt_function_name(functions, second->id));
    return names != 0 ? names : (first->id > second->id) - (first->id < second->id);
}

/* Functions that were called, by descending calls, then names. */
static GArray *function_rows(const DtStatisticsReport *what)
{
    guint32 count = dt_functions_count(what->functions);
    g_autofree guint64 *calls = g_new0(guint64, count + 1);
    g_autoptr(GHashTable) mpi = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint32 id = 1; id <= count; id++) {
        guint64 own = dt_statistics_calls(what->statistics, id);
        if (own > 0)
            calls[representative(what->functions, mpi, id)] += own;
    }
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(FunctionCalls));
    for (guint32 id = 1; id <= count; id++) {
        FunctionCalls row = {id, calls[id]};
        if (row.calls > 0)
            g_array_append_val(rows, row);
    }
    g_array_sort_with_data(rows, compare_calls, (gpointer)what->functions);
    return rows;
}

static gint compare_edges(gconstpointer a, gconstpointer b)
{
    const DtCallEdge *first = a, *second = b;
    if (first->calls != second->calls)
        return first->calls > second->calls ? -1 : 1;
    if (first->caller != second->caller)
        return first->caller < second->caller ? -1 : 1;
    return (first->callee > second->callee) - (first->callee < second->callee);
}

/* Edges between representatives, by descending calls, then ids. */
static GArray *edge_rows(const DtStatisticsReport *what)
{
    g_autoptr(GArray) raw = dt_statistics_edges(what->statistics);
    g_autoptr(GHashTable) mpi = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(DtCallEdge));
    for (guint i = 0; i < raw->len; i++) {
        DtCallEdge edge = g_array_index(raw, DtCallEdge, i);
        edge.caller = representative(what->functions, mpi, edge.caller);
        edge.callee = representative(what->functions, mpi, edge.callee);
        gint64 key = (gint64)((guint64)edge.caller << 32 | edge.callee);
        gpointer place = g_hash_table_lookup(places, &key);
        if (place) {
            g_array_index(rows, DtCallEdge, GPOINTER_TO_UINT(place) - 1).calls += edge.calls;
        } else {
            g_array_append_val(rows, edge);
            g_hash_table_insert(places, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(rows->len));
        }
    }
    g_array_sort(rows, compare_edges);
    return rows;
}

/* ---- text ----------------------------------------------------------------------- */

static void add_count(DtTable *table, guint64 count)
{
    dt_table_add_format(table, "%" G_GUINT64_FORMAT, count);
}

static DtTable *functions_table(const DtStatisticsReport *what)
{
    DtTable *table = dt_table_new(">calls|~function|~image");
    g_autoptr(GArray) rows = function_rows(what);
    for (guint i = 0; i < rows->len; i++) {
        FunctionCalls row = g_array_index(rows, FunctionCalls, i);
        const DtFunction *function = dt_functions_get(what->functions, row.id);
        add_count(table, row.calls);
        dt_table_add(table, function->name);
        dt_table_add(table, function->image);
    }
    return table;
}

static DtTable *edges_table(const DtStatisticsReport *what)
{
    DtTable *table = dt_table_new(">calls|~caller|~callee");
    g_autoptr(GArray) rows = edge_rows(what);
    for (guint i = 0; i < rows->len; i++) {
        DtCallEdge edge = g_array_index(rows, DtCallEdge, i);
        add_count(table, edge.calls);
        dt_table_add(table, edge.caller != 0 ? dt_function_name(what->functions, edge.caller) : "-");
        dt_table_add(table, dt_function_name(what->functions, edge.callee));
    }
    return table;
}

static DtTable *counts_table(const DtStatisticsReport *what)
{
    DtTable *table = dt_table_new(what->by == DT_STATISTICS_PROCESS ? "process|>events|>calls|>functions"
                                                                    : "trace|>events|>calls|>functions");
    for (gsize i = 0; i < what->counted; i++) {
        dt_table_add(table, what->counts[i].label);
        add_count(table, what->counts[i].events);
        add_count(table, what->counts[i].calls);
        add_count(table, what->counts[i].functions);
    }
    return table;
}

static DtTable *statistics_table(const DtStatisticsReport *what)
{
    if (what->by == DT_STATISTICS_FUNCTION)
        return functions_table(what);
    return what->by == DT_STATISTICS_EDGE ? edges_table(what) : counts_table(what);
}

static char *statistics_text(const DtStatisticsReport *what, gboolean tsv)
{
    g_autoptr(DtTable) table = statistics_table(what);
    GString *out = g_string_new(NULL);
    if (tsv)
        dt_table_append_tsv(table, out);
    else
        dt_table_append_text(table, out, what->width);
    return g_string_free(out, FALSE);
}

/* ---- JSON ------------------------------------------------------------------------- */

static void add_functions(JsonBuilder *builder, const DtStatisticsReport *what)
{
    dt_json_begin_array(builder, "functions");
    g_autoptr(GArray) rows = function_rows(what);
    for (guint i = 0; i < rows->len; i++) {
        FunctionCalls row = g_array_index(rows, FunctionCalls, i);
        const DtFunction *function = dt_functions_get(what->functions, row.id);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "function", function->name);
        dt_json_string(builder, "symbol", is_mpi(function) ? function->name : function->symbol);
        dt_json_string(builder, "image", function->image);
        dt_json_boolean(builder, "import", (function->flags & DT_FUNCTION_IMPORT) != 0);
        dt_json_integer(builder, "calls", (gint64)row.calls);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_edges(JsonBuilder *builder, const DtStatisticsReport *what)
{
    dt_json_begin_array(builder, "edges");
    g_autoptr(GArray) rows = edge_rows(what);
    for (guint i = 0; i < rows->len; i++) {
        DtCallEdge edge = g_array_index(rows, DtCallEdge, i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "caller", edge.caller != 0 ? dt_function_name(what->functions, edge.caller) : NULL);
        dt_json_string(builder, "callee", dt_function_name(what->functions, edge.callee));
        dt_json_integer(builder, "calls", (gint64)edge.calls);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_counts(JsonBuilder *builder, const DtStatisticsReport *what)
{
    gboolean processes = what->by == DT_STATISTICS_PROCESS;
    dt_json_begin_array(builder, processes ? "processes" : "threads");
    for (gsize i = 0; i < what->counted; i++) {
        dt_json_begin_object(builder, NULL);
        if (processes)
            dt_json_label(builder, "process", what->counts[i].label);
        else
            dt_json_string(builder, "trace", what->counts[i].label);
        dt_json_integer(builder, "events", (gint64)what->counts[i].events);
        dt_json_integer(builder, "calls", (gint64)what->counts[i].calls);
        dt_json_integer(builder, "functions", (gint64)what->counts[i].functions);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static char *statistics_json(const DtStatisticsReport *what)
{
    JsonBuilder *builder = dt_json_document();
    if (what->by == DT_STATISTICS_FUNCTION)
        add_functions(builder, what);
    else if (what->by == DT_STATISTICS_EDGE)
        add_edges(builder, what);
    else
        add_counts(builder, what);
    return dt_json_finish(builder);
}

/* ---- call graph ------------------------------------------------------------------ */

static Agnode_t *function_node(Agraph_t *graph, const DtFunctions *functions, guint32 id)
{
    g_autofree char *key = g_strdup_printf("f%u", id);
    Agnode_t *node = dt_graph_node(graph, key);
    g_autofree char *label = dt_text_shortened(dt_function_name(functions, id), 60);
    dt_graph_set_text(node, "label", label);
    dt_graph_set(node, "shape", "box");
    return node;
}

static Agraph_t *call_graph(const DtStatisticsReport *what, GError **error)
{
    g_autoptr(Agraph_t) graph = dt_graph_new("calls", error);
    if (!graph)
        return NULL;
    g_autoptr(GArray) rows = edge_rows(what);
    for (guint i = 0; i < rows->len; i++) {
        DtCallEdge edge = g_array_index(rows, DtCallEdge, i);
        Agnode_t *callee = function_node(graph, what->functions, edge.callee);
        if (edge.caller == 0) {
            dt_graph_set(callee, "style", "bold");
            continue;
        }
        Agnode_t *caller = function_node(graph, what->functions, edge.caller);
        g_autofree char *calls = dt_grouped(edge.calls);
        dt_graph_set_text(dt_graph_edge(graph, caller, callee), "label", calls);
    }
    return g_steal_pointer(&graph);
}

static char *statistics_picture(const DtStatisticsReport *what, DtReportFormat format, GError **error)
{
    if (what->by != DT_STATISTICS_EDGE)
        return dt_report_no_format("stats other than by edge", format, "text and json", error);
    return dt_graph_draw(call_graph(what, error), format, error);
}

char *dt_report_statistics(const DtStatisticsReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return statistics_text(what, FALSE);
    case DT_FORMAT_TSV:
        return statistics_text(what, TRUE);
    case DT_FORMAT_JSON:
        return statistics_json(what);
    case DT_FORMAT_DOT:
    case DT_FORMAT_SVG:
        return statistics_picture(what, format, error);
    default:
        return dt_report_no_format("stats", format, "text, tsv, json, dot and svg", error);
    }
}
