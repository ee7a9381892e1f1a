/* Final stacks of many traces merged into a prefix tree (what STAT draws). */
#include "report/stack_tree.h"
#include "report/common.h"
#include "report/json.h"
#include "report/pictures/graph.h"
#include "report/table.h"
#include "text/text.h"

#include <string.h>

/* Deeper frames are not indented further: a runaway recursion must stay printable. */
enum { MAX_INDENT = 64, MAX_PICTURE_NODES = 400 };

typedef struct {
    guint32 function;  /* 0: no frame, but how the traces ended */
    const char *place; /* where it is, NULL: not known, or not told; or that end; owned by the tree */
    guint depth;
    GPtrArray *traces; /* labels, owned by the tree */
    GArray *children;  /* indices of nodes, by first sight (element-type guint) */
} Node;

struct DtStackTree {
    const DtFunctions *functions;
    GPtrArray *nodes;     /* (element-type Node); 0 is the root: no frame */
    GPtrArray *labels;    /* all traces; owns the strings */
    GPtrArray *ended;     /* traces without an open call */
    GHashTable *lines;    /* function -> where it starts; NULL: not shown */
    GStringChunk *places; /* NULL: none are told */
    GStringChunk *ends;   /* NULL: none are told */
    guint innermost;      /* node of the latest trace */
};

static void free_node(gpointer data)
{
    Node *node = data;
    g_ptr_array_unref(node->traces);
    g_array_unref(node->children);
    g_free(node);
}

static guint add_node(DtStackTree *tree, guint32 function, guint depth)
{
    Node *node = g_new0(Node, 1);
    node->function = function;
    node->depth = depth;
    node->traces = g_ptr_array_new();
    node->children = g_array_new(FALSE, FALSE, sizeof(guint));
    g_ptr_array_add(tree->nodes, node);
    return tree->nodes->len - 1;
}

DtStackTree *dt_stack_tree_new(const DtFunctions *functions)
{
    DtStackTree *tree = g_new0(DtStackTree, 1);
    tree->functions = functions;
    tree->nodes = g_ptr_array_new_with_free_func(free_node);
    tree->labels = g_ptr_array_new_with_free_func(g_free);
    tree->ended = g_ptr_array_new();
    add_node(tree, 0, 0);
    return tree;
}

void dt_stack_tree_free(DtStackTree *tree)
{
    if (!tree)
        return;
    g_ptr_array_unref(tree->nodes);
    g_ptr_array_unref(tree->ended);
    g_ptr_array_unref(tree->labels);
    g_clear_pointer(&tree->lines, g_hash_table_unref);
    g_clear_pointer(&tree->places, g_string_chunk_free);
    g_clear_pointer(&tree->ends, g_string_chunk_free);
    g_free(tree);
}

void dt_stack_tree_set_lines(DtStackTree *tree, GHashTable *lines)
{
    g_clear_pointer(&tree->lines, g_hash_table_unref);
    tree->lines = g_hash_table_ref(lines);
}

static gboolean has_lines(const DtStackTree *tree)
{
    return tree->lines || tree->places;
}

static gboolean is_end(const Node *node)
{
    return node->function == 0 && node->place;
}

/* NULL: not known, or not to be shown. */
static const char *line_of(const DtStackTree *tree, const Node *node)
{
    if (is_end(node))
        return NULL;
    if (node->place)
        return node->place;
    guint32 function = node->function != 0 ? dt_functions_base(tree->functions, node->function) : 0;
    return tree->lines ? g_hash_table_lookup(tree->lines, GUINT_TO_POINTER(function)) : NULL;
}

/* Places are one string if they are equal. */
static guint child_of(DtStackTree *tree, guint parent, guint32 function, const char *place)
{
    Node *node = tree->nodes->pdata[parent];
    for (guint i = 0; i < node->children->len; i++) {
        guint child = g_array_index(node->children, guint, i);
        const Node *known = tree->nodes->pdata[child];
        if (known->function == function && known->place == place)
            return child;
    }
    guint child = add_node(tree, function, node->depth + 1);
    ((Node *)tree->nodes->pdata[child])->place = place;
    g_array_append_val(node->children, child);
    return child;
}

void dt_stack_tree_add_placed(DtStackTree *tree, const char *trace, const guint32 *frames, const char *const *places,
                              guint depth)
{
    char *label = g_strdup(trace);
    g_ptr_array_add(tree->labels, label);
    if (depth == 0)
        g_ptr_array_add(tree->ended, label);
    if (places && !tree->places)
        tree->places = g_string_chunk_new(1024);
    guint at = 0;
    for (guint i = 0; i < depth; i++) {
        gboolean placed = places && places[i];
        at = child_of(tree, at, frames[i], placed ? g_string_chunk_insert_const(tree->places, places[i]) : NULL);
        g_ptr_array_add(((Node *)tree->nodes->pdata[at])->traces, label);
    }
    tree->innermost = at;
}

void dt_stack_tree_add(DtStackTree *tree, const char *trace, const guint32 *frames, guint depth)
{
    dt_stack_tree_add_placed(tree, trace, frames, NULL, depth);
}

void dt_stack_tree_add_end(DtStackTree *tree, const char *end)
{
    char *label = tree->labels->pdata[tree->labels->len - 1];
    if (!tree->ends)
        tree->ends = g_string_chunk_new(256);
    guint at = child_of(tree, tree->innermost, 0, g_string_chunk_insert_const(tree->ends, end));
    g_ptr_array_add(((Node *)tree->nodes->pdata[at])->traces, label);
    if (tree->innermost == 0)
        g_ptr_array_remove(tree->ended, label);
}

static const char *name_of(const DtStackTree *tree, const Node *node)
{
    return is_end(node) ? node->place : dt_function_name(tree->functions, node->function);
}

/* Node indices below the root, parents before children, siblings in order. */
static GArray *preorder(const DtStackTree *tree)
{
    GArray *order = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GArray) pending = g_array_new(FALSE, FALSE, sizeof(guint));
    guint root = 0;
    g_array_append_val(pending, root);
    while (pending->len > 0) {
        guint place = g_array_index(pending, guint, pending->len - 1);
        g_array_set_size(pending, pending->len - 1);
        if (place != 0)
            g_array_append_val(order, place);
        const Node *node = tree->nodes->pdata[place];
        for (guint i = node->children->len; i > 0; i--)
            g_array_append_val(pending, g_array_index(node->children, guint, i - 1));
    }
    return order;
}

static char *tree_text(const DtStackTree *tree)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GArray) order = preorder(tree);
    for (guint i = 0; i < order->len; i++) {
        const Node *node = tree->nodes->pdata[g_array_index(order, guint, i)];
        guint indent = node->depth - 1;
        g_autofree char *traces = dt_trace_list_text(node->traces);
        g_string_append_printf(out, "%*s", 2 * (int)MIN(indent, MAX_INDENT), "");
        if (indent > MAX_INDENT)
            g_string_append_printf(out, "(depth %u) ", node->depth);
        g_string_append(out, is_end(node) ? node->place : dt_function_shown(tree->functions, node->function));
        if (line_of(tree, node))
            g_string_append_printf(out, " (%s)", line_of(tree, node));
        g_string_append_printf(out, "  %u:[%s]\n", node->traces->len, traces);
    }
    if (tree->ended->len > 0) {
        g_autofree char *traces = dt_trace_list_text(tree->ended);
        g_string_append_printf(out, "(no open call)  %u:[%s]\n", tree->ended->len, traces);
    }
    return g_string_free(out, FALSE);
}

/* A row per frame; lists are separated by "; ". */
static char *tree_tsv(const DtStackTree *tree)
{
    g_autoptr(DtTable) table =
        dt_table_new(has_lines(tree) ? ">depth|function|>count|traces|line" : ">depth|function|>count|traces");
    g_autoptr(GArray) order = preorder(tree);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < order->len; i++) {
        const Node *node = tree->nodes->pdata[g_array_index(order, guint, i)];
        g_autoptr(GString) traces = g_string_new(NULL);
        for (guint k = 0; k < node->traces->len; k++)
            g_string_append_printf(traces, "%s%s", k > 0 ? "; " : "", (const char *)node->traces->pdata[k]);
        dt_table_add_format(table, "%u", node->depth);
        dt_table_add(table, name_of(tree, node));
        dt_table_add_format(table, "%u", node->traces->len);
        dt_table_add(table, traces->str);
        if (has_lines(tree))
            dt_table_add(table, line_of(tree, node) ? line_of(tree, node) : "");
    }
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

static void add_labels(JsonBuilder *builder, const char *name, const GPtrArray *labels)
{
    dt_json_begin_array(builder, name);
    for (guint i = 0; i < labels->len; i++)
        dt_json_string(builder, NULL, labels->pdata[i]);
    json_builder_end_array(builder);
}

/* A flat list with parents: nesting as deep as a runaway recursion breaks JSON readers. */
static char *tree_json(const DtStackTree *tree)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_integer(builder, "traces", tree->labels->len);
    dt_json_begin_array(builder, "frames");
    g_autoptr(GArray) order = preorder(tree);
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < order->len; i++) {
        const Node *node = tree->nodes->pdata[g_array_index(order, guint, i)];
        g_array_set_size(path, node->depth);
        g_array_index(path, guint, node->depth - 1) = i;
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, is_end(node) ? "end" : "function", name_of(tree, node));
        dt_json_integer(builder, "depth", node->depth);
        if (node->depth > 1)
            dt_json_integer(builder, "parent", g_array_index(path, guint, node->depth - 2));
        else
            dt_json_null(builder, "parent");
        add_labels(builder, "traces", node->traces);
        if (has_lines(tree))
            dt_json_string(builder, "line", line_of(tree, node));
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    add_labels(builder, "ended", tree->ended);
    return dt_json_finish(builder);
}

/* Frames in preorder: a parent is known before its children. */
void dt_stack_tree_add_page_json(JsonBuilder *builder, const DtStackTree *tree)
{
    g_autoptr(GArray) order = preorder(tree);
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint));
    guint shown = MIN(order->len, (guint)DT_STACK_TREE_SHOWN);
    g_autofree char *ended = dt_trace_list_text(tree->ended);
    dt_json_begin_object(builder, "stacks");
    dt_json_integer(builder, "traces", tree->labels->len);
    dt_json_integer(builder, "left_out", order->len - shown);
    dt_json_integer(builder, "ended_count", tree->ended->len);
    dt_json_string(builder, "ended", ended);
    dt_json_begin_array(builder, "frames");
    for (guint i = 0; i < shown; i++) {
        const Node *node = tree->nodes->pdata[g_array_index(order, guint, i)];
        g_array_set_size(path, node->depth);
        g_array_index(path, guint, node->depth - 1) = i;
        g_autofree char *traces = dt_trace_list_text(node->traces);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "function", name_of(tree, node));
        dt_json_integer(builder, "parent", node->depth > 1 ? (gint64)g_array_index(path, guint, node->depth - 2) : -1);
        dt_json_integer(builder, "count", node->traces->len);
        dt_json_string(builder, "traces", traces);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void draw_node(Agraph_t *graph, const DtStackTree *tree, guint place)
{
    const Node *node = tree->nodes->pdata[place];
    g_autofree char *key = g_strdup_printf("n%u", place);
    Agnode_t *drawn = dt_graph_node(graph, key);
    g_autofree char *name = dt_text_shortened(place != 0 ? name_of(tree, node) : "", 60);
    g_autofree char *placed = line_of(tree, node) ? g_strdup_printf("%s (%s)", name, line_of(tree, node)) : NULL;
    dt_graph_set(drawn, "shape", "box");
    dt_graph_set_text(drawn, "label", place == 0 ? "all traces" : placed ? placed : name);
    for (guint i = 0; i < node->children->len; i++) {
        guint child = g_array_index(node->children, guint, i);
        g_autofree char *child_key = g_strdup_printf("n%u", child);
        Agedge_t *edge = dt_graph_edge(graph, drawn, dt_graph_node(graph, child_key));
        const GPtrArray *traces = ((const Node *)tree->nodes->pdata[child])->traces;
        g_autofree char *list = dt_trace_list_text(traces);
        g_autofree char *shortened = dt_text_shortened(list, 60);
        dt_graph_set_label_format(edge, "  %u:[%s]", traces->len, shortened);
    }
}

static char *tree_picture(const DtStackTree *tree, DtReportFormat format, GError **error)
{
    if (tree->nodes->len > MAX_PICTURE_NODES && format == DT_FORMAT_SVG) {
        dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_TOO_LARGE,
                     "stacks: %u different frames, more than the %d that a picture holds; take the text form",
                     tree->nodes->len, MAX_PICTURE_NODES);
        return NULL;
    }
    Agraph_t *graph = dt_graph_new("stacks", error);
    if (!graph)
        return NULL;
    for (guint place = 0; place < tree->nodes->len; place++)
        draw_node(graph, tree, place);
    return dt_graph_draw(graph, format, error);
}

char *dt_report_stack_tree(const DtStackTree *tree, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return tree_text(tree);
    case DT_FORMAT_JSON:
        return tree_json(tree);
    case DT_FORMAT_TSV:
        return tree_tsv(tree);
    case DT_FORMAT_DOT:
    case DT_FORMAT_SVG:
        return tree_picture(tree, format, error);
    default:
        return dt_report_no_format("stack --all", format, "text, tsv, json, dot and svg", error);
    }
}
