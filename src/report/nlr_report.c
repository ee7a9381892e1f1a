/* Nested loop representations with the bodies they mention, as text and JSON. */
#include "report/common.h"
#include "report/json.h"
#include "report/loops.h"
#include "report/table.h"

/* Nodes go to `nodes`. */
static GArray *bodies_of(const DtNlrReport *what, GHashTable *nodes)
{
    g_autoptr(GHashTable) bodies = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        dt_reach_gather(what->table, what->tree, dt_nlr_elements(folded->nlr), bodies, nodes);
    }
    return dt_bodies_sorted(bodies);
}

/* "5.0 L4: 25 22 (25 22)^3": how often the runs of a body went round. */
static char *counts_text(const DtNlrReport *what, const DtNlr *nlr, guint index, guint32 *body)
{
    DtElements counts = dt_nlr_counts(nlr, index, body);
    return dt_counts_text(dt_loop_table_counts(what->table), counts);
}

/* Bodies inside bodies: of the others the elements say the counts. */
static GHashTable *inner_bodies(const DtNlrReport *what, const GArray *bodies)
{
    GHashTable *inner = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < bodies->len; i++)
        dt_bodies_gather(what->table, dt_loop_table_body(what->table, g_array_index(bodies, guint32, i)), inner);
    return inner;
}

typedef void (*CountsSink)(const char *label, guint32 body, const char *counts, gpointer user_data);

static void give_counts(const DtNlrReport *what, const GArray *bodies, CountsSink sink, gpointer user_data)
{
    g_autoptr(GHashTable) inner = inner_bodies(what, bodies);
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        for (guint j = 0; j < dt_nlr_counts_length(folded->nlr); j++) {
            guint32 body;
            g_autofree char *counts = counts_text(what, folded->nlr, j, &body);
            if (g_hash_table_contains(inner, GUINT_TO_POINTER(body)))
                sink(folded->trace->label, body, counts, user_data);
        }
    }
}

static void append_counts(const char *label, guint32 body, const char *counts, gpointer out)
{
    g_string_append_printf(out, "%s L%u: %s\n", label, body, counts);
}

static void add_counts_row(const char *label, guint32 body, const char *counts, gpointer table)
{
    dt_table_add_format(table, "%s L%u", label, body);
    dt_table_add(table, counts);
}

static void add_counts(JsonBuilder *builder, const DtNlrReport *what, const DtNlr *nlr)
{
    if (!dt_nlr_is_count_blind(nlr))
        return;
    dt_json_begin_object(builder, "counts");
    for (guint i = 0; i < dt_nlr_counts_length(nlr); i++) {
        guint32 body;
        g_autofree char *counts = counts_text(what, nlr, i, &body);
        g_autofree char *name = g_strdup_printf("L%u", body);
        dt_json_string(builder, name, counts);
    }
    json_builder_end_object(builder);
}

static char *nlr_text(const DtNlrReport *what)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        g_autofree char *elements = dt_elements_shown(dt_nlr_elements(folded->nlr), what->functions);
        g_string_append_printf(out, "%s:%s%s\n", folded->trace->label, elements[0] != '\0' ? " " : "", elements);
    }
    g_autoptr(GHashTable) nodes = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) bodies = bodies_of(what, nodes);
    dt_bodies_append_text(out, bodies, what->table, what->functions);
    dt_nodes_append_text(out, nodes, what->tree, what->functions);
    give_counts(what, bodies, append_counts, out);
    return g_string_free(out, FALSE);
}

static void add_open(JsonBuilder *builder, const DtNlrReport *what, const DtFoldedTrace *folded)
{
    dt_json_begin_array(builder, "open");
    for (guint i = 0; folded->open && i < folded->open->len; i++)
        dt_json_string(builder, NULL, dt_function_name(what->functions, g_array_index(folded->open, guint32, i)));
    json_builder_end_array(builder);
}

static char *nlr_json(const DtNlrReport *what)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "filter", what->filter);
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "trace", folded->trace->label);
        dt_json_integer(builder, "symbols", (gint64)dt_nlr_symbols(folded->nlr));
        dt_elements_add_json(builder, "elements", dt_nlr_elements(folded->nlr), what->functions);
        add_open(builder, what, folded);
        add_counts(builder, what, folded->nlr);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    g_autoptr(GHashTable) nodes = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) bodies = bodies_of(what, nodes);
    dt_bodies_add_json(builder, bodies, what->table, what->functions);
    dt_nodes_add_json(builder, nodes, what->tree, what->functions);
    return dt_json_finish(builder);
}

static void add_node_rows(DtTable *table, const DtNlrReport *what, GHashTable *nodes)
{
    for (guint i = 0; g_hash_table_size(nodes) > 0 && i < dt_call_tree_count(what->tree); i++) {
        const DtCallNode *node = dt_call_tree_node(what->tree, i);
        if (!g_hash_table_contains(nodes, node))
            continue;
        g_autofree char *children = dt_elements_text(node->children, what->functions);
        dt_table_add(table, dt_function_name(what->functions, node->symbol));
        dt_table_add(table, children);
    }
}

/* A trace, a loop's body or a node a line. */
static char *nlr_tsv(const DtNlrReport *what)
{
    g_autoptr(DtTable) table = dt_table_new("name|elements");
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        g_autofree char *elements = dt_elements_text(dt_nlr_elements(folded->nlr), what->functions);
        dt_table_add(table, folded->trace->label);
        dt_table_add(table, elements);
    }
    g_autoptr(GHashTable) nodes = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) bodies = bodies_of(what, nodes);
    for (guint i = 0; i < bodies->len; i++) {
        guint32 body = g_array_index(bodies, guint32, i);
        g_autofree char *elements = dt_elements_text(dt_loop_table_body(what->table, body), what->functions);
        dt_table_add_format(table, "L%u", body);
        dt_table_add(table, elements);
    }
    add_node_rows(table, what, nodes);
    give_counts(what, bodies, add_counts_row, table);
    GString *out = g_string_new(NULL);
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

char *dt_report_nlr(const DtNlrReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return nlr_text(what);
    case DT_FORMAT_JSON:
        return nlr_json(what);
    case DT_FORMAT_TSV:
        return nlr_tsv(what);
    default:
        return dt_report_no_format("an NLR", format, "text, tsv and json", error);
    }
}
