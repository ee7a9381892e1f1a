/* A concept lattice in the format asked for, and drawn with reduced labelling. */
#include "report/common.h"
#include "report/json.h"
#include "report/pictures/graph.h"
#include "report/table.h"
#include "text/text.h"

enum { NAMES_SHOWN = 10, NAME_WIDTH = 60 };

typedef const char *(*NameOf)(const DtContext *context, guint number);

/* ---- text ------------------------------------------------------------------------ */

static char *lattice_text(const DtLatticeReport *what)
{
    g_autofree char *context = dt_context_to_text(what->context);
    g_autofree char *lattice = dt_lattice_to_text(what->lattice, what->context);
    g_autofree char *heading =
        dt_text_printf("run %s, filter %s, attributes %s: %u traces, %u attributes, %u concepts", what->run,
                       what->filter, what->attributes, dt_context_objects(what->context),
                       dt_context_attributes(what->context), dt_lattice_count(what->lattice));
    return g_strdup_printf("%s\n\n%s\n%s", heading, context, lattice);
}

/* ---- JSON ------------------------------------------------------------------------ */

static void add_names(JsonBuilder *builder, const char *member, const GArray *numbers, const DtContext *context,
                      NameOf name)
{
    dt_json_begin_array(builder, member);
    for (guint i = 0; i < numbers->len; i++)
        dt_json_string(builder, NULL, name(context, g_array_index(numbers, guint, i)));
    json_builder_end_array(builder);
}

static void add_concept(JsonBuilder *builder, const DtLatticeReport *what, guint number)
{
    g_autoptr(GArray) own_objects = dt_lattice_own_objects(what->lattice, number);
    g_autoptr(GArray) own_attributes = dt_lattice_own_attributes(what->lattice, number);
    const GArray *children = dt_lattice_children(what->lattice, number);
    dt_json_begin_object(builder, NULL);
    add_names(builder, "traces", dt_lattice_extent(what->lattice, number), what->context, dt_context_object_label);
    add_names(builder, "attributes", dt_lattice_intent(what->lattice, number), what->context,
              dt_context_attribute_name);
    add_names(builder, "new_traces", own_objects, what->context, dt_context_object_label);
    add_names(builder, "new_attributes", own_attributes, what->context, dt_context_attribute_name);
    dt_json_begin_array(builder, "below");
    for (guint i = 0; i < children->len; i++)
        dt_json_integer(builder, NULL, g_array_index(children, guint, i));
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static char *lattice_json(const DtLatticeReport *what)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "run", what->run);
    dt_json_string(builder, "filter", what->filter);
    dt_json_string(builder, "attributes", what->attributes);
    dt_json_begin_array(builder, "concepts");
    for (guint i = 0; i < dt_lattice_count(what->lattice); i++)
        add_concept(builder, what, i);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

/* ---- TSV ---------------------------------------------------------------------------- */

static void add_list(DtTable *table, const GArray *numbers, const DtContext *context, NameOf name)
{
    g_autoptr(GString) list = g_string_new(NULL);
    for (guint i = 0; i < numbers->len; i++)
        g_string_append_printf(list, "%s%s", i > 0 ? "; " : "", name(context, g_array_index(numbers, guint, i)));
    dt_table_add(table, list->str);
}

/* A row per concept; lists are separated by "; ". */
static char *lattice_tsv(const DtLatticeReport *what)
{
    g_autoptr(DtTable) table = dt_table_new(">concept|traces|attributes|new traces|new attributes|below");
    GString *out = g_string_new(NULL);
    for (guint number = 0; number < dt_lattice_count(what->lattice); number++) {
        g_autoptr(GArray) own_objects = dt_lattice_own_objects(what->lattice, number);
        g_autoptr(GArray) own_attributes = dt_lattice_own_attributes(what->lattice, number);
        const GArray *children = dt_lattice_children(what->lattice, number);
        g_autoptr(GString) below = g_string_new(NULL);
        for (guint i = 0; i < children->len; i++)
            g_string_append_printf(below, "%s%u", i > 0 ? "; " : "", g_array_index(children, guint, i));
        dt_table_add_format(table, "%u", number);
        add_list(table, dt_lattice_extent(what->lattice, number), what->context, dt_context_object_label);
        add_list(table, dt_lattice_intent(what->lattice, number), what->context, dt_context_attribute_name);
        add_list(table, own_objects, what->context, dt_context_object_label);
        add_list(table, own_attributes, what->context, dt_context_attribute_name);
        dt_table_add(table, below->str);
    }
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

/* ---- picture ---------------------------------------------------------------------- */

static void append_cell(GString *markup, const char *colour, const char *text, gboolean quiet)
{
    g_autofree char *shortened = dt_text_shortened(text, NAME_WIDTH);
    g_autofree char *escaped = dt_text_dot_markup(shortened);
    g_string_append_printf(markup, "<FONT COLOR=\"%s\">%s%s%s</FONT><BR/>", colour, quiet ? "<I>" : "", escaped,
                           quiet ? "</I>" : "");
}

static void append_attributes(GString *markup, const DtLatticeReport *what, const GArray *own)
{
    for (guint i = 0; i < MIN(own->len, (guint)NAMES_SHOWN); i++) {
        const char *name = dt_context_attribute_name(what->context, g_array_index(own, guint, i));
        append_cell(markup, DT_COLOUR_NORMAL, name, FALSE);
    }
    if (own->len > NAMES_SHOWN) {
        g_autofree char *more = g_strdup_printf("... %u more attributes", own->len - NAMES_SHOWN);
        append_cell(markup, DT_COLOUR_NORMAL, more, TRUE);
    }
}

static void append_objects(GString *markup, const DtLatticeReport *what, const GArray *own)
{
    if (own->len == 0)
        return;
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; i < own->len; i++)
        g_ptr_array_add(labels, (gpointer)dt_context_object_label(what->context, g_array_index(own, guint, i)));
    g_autofree char *list = dt_trace_list_text(labels);
    g_autofree char *text = g_strdup_printf("%s %s", own->len == 1 ? "trace" : "traces", list);
    append_cell(markup, "black", text, FALSE);
}

/* Upper half: the attributes that are new here; lower half: the traces. */
static char *concept_markup(const DtLatticeReport *what, guint number)
{
    g_autoptr(GArray) own_objects = dt_lattice_own_objects(what->lattice, number);
    g_autoptr(GArray) own_attributes = dt_lattice_own_attributes(what->lattice, number);
    guint extent = dt_lattice_extent(what->lattice, number)->len;
    guint intent = dt_lattice_intent(what->lattice, number)->len;
    GString *markup =
        g_string_new("<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"" DT_COLOUR_QUIET
                     "\"><TR><TD BGCOLOR=\"" DT_COLOUR_NORMAL_PALE "\">");
    append_attributes(markup, what, own_attributes);
    g_string_append_printf(markup, "<FONT POINT-SIZE=\"8\" COLOR=\"" DT_COLOUR_QUIET "\">%u %s, %u %s</FONT></TD></TR>",
                           extent, extent == 1 ? "trace" : "traces", intent, intent == 1 ? "attribute" : "attributes");
    if (own_objects->len > 0) {
        g_string_append(markup, "<TR><TD BGCOLOR=\"white\">");
        append_objects(markup, what, own_objects);
        g_string_append(markup, "</TD></TR>");
    }
    g_string_append(markup, "</TABLE>");
    return g_string_free(markup, FALSE);
}

static void draw_concept(Agraph_t *graph, const DtLatticeReport *what, guint number)
{
    g_autofree char *key = g_strdup_printf("c%u", number);
    Agnode_t *node = dt_graph_node(graph, key);
    g_autofree char *markup = concept_markup(what, number);
    dt_graph_set(node, "shape", "plain");
    dt_graph_set_markup(node, "label", markup);
    const GArray *children = dt_lattice_children(what->lattice, number);
    for (guint i = 0; i < children->len; i++) {
        g_autofree char *child = g_strdup_printf("c%u", g_array_index(children, guint, i));
        Agedge_t *edge = dt_graph_edge(graph, node, dt_graph_node(graph, child));
        dt_graph_set(edge, "arrowhead", "none");
    }
}

static Agraph_t *lattice_graph(const DtLatticeReport *what, GError **error)
{
    g_autoptr(Agraph_t) graph = dt_graph_new("lattice", error);
    if (!graph)
        return NULL;
    dt_graph_set(graph, "labelloc", "t");
    guint least = dt_lattice_least_extent(what->lattice);
    g_autofree char *left_out =
        least > 0 ? g_strdup_printf("concepts of fewer than %u %s are left out", least, least == 1 ? "trace" : "traces")
                  : g_strdup("");
    dt_graph_set_label_format(graph,
                              "concept lattice of %s, filter %s, attributes %s\n"
                              "each box: attributes new there (blue), then traces new there%s%s",
                              what->run, what->filter, what->attributes, least > 0 ? "\n" : "", left_out);
    for (guint i = 0; i < dt_lattice_count(what->lattice); i++)
        draw_concept(graph, what, i);
    return g_steal_pointer(&graph);
}

static char *lattice_picture(const DtLatticeReport *what, DtReportFormat format, GError **error)
{
    guint concepts = dt_lattice_count(what->lattice);
    if (concepts > DT_LATTICE_PICTURE_LIMIT && format == DT_FORMAT_SVG) {
        dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_TOO_LARGE,
                     "lattice: %u concepts, more than the %d that a picture holds; take a narrower --filter, another "
                     "--attr, or the text form",
                     concepts, DT_LATTICE_PICTURE_LIMIT);
        return NULL;
    }
    return dt_graph_draw(lattice_graph(what, error), format, error);
}

char *dt_report_lattice(const DtLatticeReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return lattice_text(what);
    case DT_FORMAT_JSON:
        return lattice_json(what);
    case DT_FORMAT_TSV:
        return lattice_tsv(what);
    case DT_FORMAT_CXT:
        return dt_context_to_cxt(what->context);
    case DT_FORMAT_DOT:
    case DT_FORMAT_SVG:
        return lattice_picture(what, format, error);
    default:
        return dt_report_no_format("a lattice", format, "text, tsv, json, dot, svg and cxt", error);
    }
}

char *dt_report_lattice_upper(const DtLatticeReport *what, guint *most, DtReportFormat format, GError **error)
{
    for (;;) {
        g_autoptr(GError) cause = NULL;
        g_autoptr(DtLattice) upper = dt_lattice_new_upper(what->context, *most);
        DtLatticeReport drawn = *what;
        drawn.lattice = upper;
        char *picture = dt_report_lattice(&drawn, format, &cause);
        if (picture)
            return picture;
        if (!g_error_matches(cause, DT_REPORT_ERROR, DT_REPORT_ERROR_TOO_LARGE) || *most < 2) {
            g_propagate_error(error, g_steal_pointer(&cause));
            return NULL;
        }
        *most /= 2;
    }
}
