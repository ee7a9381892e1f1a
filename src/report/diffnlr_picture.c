/*
 * A diffNLR as a graph: one stem of boxes that both runs share, top to bottom, and
 * side by side, normal left and faulty right, what only one of them did.
 */
#include "report/common.h"
#include "report/diffnlr_report.h"
#include "report/graph.h"
#include "report/loops.h"

/* Dots instead of an indentation, which viewers drop at the start of a text. */
#define BODY_START "<FONT POINT-SIZE=\"9\" COLOR=\"" DT_COLOUR_QUIET "\">\u00b7 "

enum { ELEMENTS_SHOWN = 14, BODY_SHOWN = 6, LEGEND_BODIES = 30, LEGEND_ELEMENTS = 24, NAME_WIDTH = 48 };

typedef enum { SIDE_BOTH, SIDE_NORMAL, SIDE_FAULTY } Side;

typedef struct {
    const char *title, *line, *area;
} Look;

static const Look looks[] = {
    [SIDE_BOTH] = {"both runs", DT_COLOUR_COMMON, DT_COLOUR_COMMON_PALE},
    [SIDE_NORMAL] = {"normal only", DT_COLOUR_NORMAL, DT_COLOUR_NORMAL_PALE},
    [SIDE_FAULTY] = {"faulty only", DT_COLOUR_FAULTY, DT_COLOUR_FAULTY_PALE},
};

/* How the trace ended, as a box says it; nothing if it goes on. */
typedef struct {
    gboolean ends;
    guint32 open;
} Ending;

typedef struct {
    const DtDiffNlrReport *what;
    Agraph_t *graph;
    guint boxes;
    /* What the next box hangs on: one node of the stem, or the two sides. */
    Agnode_t *tails[2];
    Side tail_sides[2];
    guint tail_count;
    Agnode_t *next_stem; /* made ahead, where the stem goes on below two sides */
} Painter;

/* ---- the text of a box ------------------------------------------------------------ */

static void append_line(GString *markup, const char *text, const char *before, const char *after)
{
    g_autofree char *shortened = dt_shortened(text, NAME_WIDTH);
    g_autofree char *escaped = dt_graph_escaped(shortened);
    g_string_append_printf(markup, "%s%s%s<BR ALIGN=\"LEFT\"/>", before, escaped, after);
}

static void append_note(GString *markup, const char *text)
{
    append_line(markup, text, "<I>", "</I>");
}

/* "L1 x 7" for a loop, the bare name for anything else. */
static char *element_caption(DtElement element, const DtFunctions *functions)
{
    g_autofree char *name = dt_element_name(element, functions);
    if (!dt_element_is_loop(element))
        return g_steal_pointer(&name);
    return g_strdup_printf("%s \u00d7 %u", name, dt_element_count(element));
}

static void append_body(GString *markup, const Painter *painter, guint32 body)
{
    DtElements elements = dt_loop_table_body(painter->what->table, body);
    DtFold fold = dt_fold(elements.length, BODY_SHOWN);
    for (gsize i = 0; i < fold.head; i++) {
        g_autofree char *caption = element_caption(elements.elements[i], painter->what->functions);
        append_line(markup, caption, BODY_START, "</FONT>");
    }
    if (fold.head < elements.length) {
        g_autofree char *more = g_strdup_printf("... %" G_GSIZE_FORMAT " more", elements.length - fold.head);
        append_line(markup, more, BODY_START, "</FONT>");
    }
}

static void append_element(GString *markup, const Painter *painter, DtElement element)
{
    g_autofree char *caption = element_caption(element, painter->what->functions);
    if (!dt_element_is_loop(element)) {
        append_line(markup, caption, "", "");
        return;
    }
    append_line(markup, caption, "<B>", "</B>");
    append_body(markup, painter, dt_element_body(element));
}

static void append_elements(GString *markup, const Painter *painter, DtElements elements)
{
    DtFold fold = dt_fold(elements.length, ELEMENTS_SHOWN);
    for (gsize i = 0; i < elements.length; i++) {
        if (i == fold.head && fold.left_out > 0) {
            g_autofree char *count = dt_grouped(fold.left_out);
            g_autofree char *more = g_strdup_printf("... %s more elements ...", count);
            append_note(markup, more);
            i += fold.left_out;
        }
        append_element(markup, painter, elements.elements[i]);
    }
}

static void append_ending(GString *markup, const Painter *painter, Ending ending)
{
    if (!ending.ends)
        return;
    if (ending.open == 0) {
        append_note(markup, "end of the trace");
        return;
    }
    append_line(markup, dt_function_name(painter->what->functions, ending.open), "<B>never returned: ", "</B>");
}

static char *box_markup(const Painter *painter, Side side, DtElements elements, Ending ending)
{
    const Look *look = &looks[side];
    GString *markup = g_string_new(NULL);
    g_string_append_printf(markup,
                           "<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"%s\" "
                           "BGCOLOR=\"%s\"><TR><TD BGCOLOR=\"%s\"><FONT COLOR=\"white\" POINT-SIZE=\"9\"><B>%s</B>"
                           "</FONT></TD></TR><TR><TD BALIGN=\"LEFT\" ALIGN=\"LEFT\">",
                           look->line, look->area, look->line, look->title);
    append_elements(markup, painter, elements);
    if (elements.length == 0 && !(ending.ends && ending.open != 0))
        append_note(markup, "nothing here");
    append_ending(markup, painter, ending);
    g_string_append(markup, "</TD></TR></TABLE>");
    return g_string_free(markup, FALSE);
}

/* ---- boxes and lines ----------------------------------------------------------------- */

static Agnode_t *add_node(Painter *painter, Side side)
{
    g_autofree char *id = g_strdup_printf("box%u", painter->boxes++);
    Agnode_t *node = dt_graph_node(painter->graph, id);
    dt_graph_set(node, "shape", "plain");
    if (side == SIDE_BOTH)
        dt_graph_set(node, "group", "stem");
    return node;
}

static void hang_on_tails(Painter *painter, Agnode_t *node, Side side)
{
    for (guint i = 0; i < painter->tail_count; i++) {
        Agedge_t *edge = dt_graph_edge(painter->graph, painter->tails[i], node);
        Side line = side == SIDE_BOTH ? painter->tail_sides[i] : side;
        dt_graph_set(edge, "color", looks[line].line);
        dt_graph_set(edge, "penwidth", "1.5");
        dt_graph_set(edge, "arrowsize", "0.7");
    }
}

static Agnode_t *add_box(Painter *painter, Side side, DtElements elements, Ending ending)
{
    Agnode_t *node = side == SIDE_BOTH && painter->next_stem != NULL ? painter->next_stem : add_node(painter, side);
    painter->next_stem = NULL;
    g_autofree char *markup = box_markup(painter, side, elements, ending);
    dt_graph_set_markup(node, "label", markup);
    hang_on_tails(painter, node, side);
    return node;
}

static void stand_on_stem(Painter *painter, Agnode_t *node)
{
    painter->tails[0] = node;
    painter->tail_sides[0] = SIDE_BOTH;
    painter->tail_count = 1;
}

/* An unseen line from the stem to where it goes on keeps it straight. */
static Agnode_t *continue_stem(Painter *painter)
{
    Agnode_t *node = add_node(painter, SIDE_BOTH);
    Agedge_t *edge = dt_graph_edge(painter->graph, painter->tails[0], node);
    dt_graph_set(edge, "style", "invis");
    dt_graph_set(edge, "weight", "20");
    return node;
}

/* Normal stays left of faulty: both hang on one node, whose edges keep their order, the unseen one between them. */
static void add_sides(Painter *painter, const DtDiffBlock *block, Ending normal, Ending faulty)
{
    Agnode_t *left = add_box(painter, SIDE_NORMAL, block->normal, normal);
    Agnode_t *next = normal.ends ? NULL : continue_stem(painter);
    Agnode_t *right = add_box(painter, SIDE_FAULTY, block->faulty, faulty);
    painter->next_stem = next;
    painter->tails[0] = left;
    painter->tail_sides[0] = SIDE_NORMAL;
    painter->tails[1] = right;
    painter->tail_sides[1] = SIDE_FAULTY;
    painter->tail_count = 2;
}

static void add_start(Painter *painter)
{
    Agnode_t *start = add_node(painter, SIDE_BOTH);
    dt_graph_set(start, "shape", "box");
    dt_graph_set(start, "style", "rounded,filled");
    dt_graph_set(start, "color", DT_COLOUR_COMMON);
    dt_graph_set(start, "fillcolor", DT_COLOUR_COMMON_PALE);
    dt_graph_set_label_format(start, "start of %s", painter->what->trace);
    stand_on_stem(painter, start);
}

static void add_left_out(Painter *painter, guint blocks)
{
    Agnode_t *node = painter->next_stem != NULL ? painter->next_stem : add_node(painter, SIDE_BOTH);
    dt_graph_set(node, "shape", "box");
    dt_graph_set(node, "style", "dashed");
    dt_graph_set_label_format(node, "%u more stretches are not drawn:\nthe text form has them all", blocks);
    hang_on_tails(painter, node, SIDE_BOTH);
}

static void add_block(Painter *painter, const DtDiffBlock *block, gboolean last)
{
    const DtDiffNlr *diff = painter->what->diff;
    Ending normal = {last, diff->normal_open}, faulty = {last, diff->faulty_open};
    if (!block->common) {
        add_sides(painter, block, normal, faulty);
        return;
    }
    gboolean end_alike = diff->normal_open == diff->faulty_open;
    Ending both = {last && end_alike, diff->normal_open};
    stand_on_stem(painter, add_box(painter, SIDE_BOTH, block->normal, both));
    if (last && !end_alike) {
        DtDiffBlock nothing = {FALSE, {NULL, 0}, {NULL, 0}};
        add_sides(painter, &nothing, normal, faulty);
    }
}

static void add_blocks(Painter *painter)
{
    const GArray *blocks = painter->what->diff->blocks;
    add_start(painter);
    for (guint i = 0; i < blocks->len; i++) {
        if (painter->boxes + 3 > DT_DIFFNLR_PICTURE_BOXES) {
            add_left_out(painter, blocks->len - i);
            return;
        }
        add_block(painter, &g_array_index(blocks, DtDiffBlock, i), i + 1 == blocks->len);
    }
    if (blocks->len == 0) {
        DtDiffBlock nothing = {TRUE, {NULL, 0}, {NULL, 0}};
        add_block(painter, &nothing, TRUE);
    }
}

/* ---- title and legend ---------------------------------------------------------------------- */

static void append_side(GString *markup, Side side, const char *text)
{
    g_autofree char *shortened = dt_shortened(text, NAME_WIDTH);
    g_autofree char *escaped = dt_graph_escaped(shortened);
    g_string_append_printf(markup,
                           "<TR><TD BGCOLOR=\"%s\"><FONT COLOR=\"white\"><B>%s</B></FONT></TD>"
                           "<TD ALIGN=\"LEFT\">%s</TD></TR>",
                           looks[side].line, looks[side].title, escaped);
}

static void set_title(const DtDiffNlrReport *what, Agraph_t *graph)
{
    g_autofree char *shortened = dt_shortened(what->filter, 2 * NAME_WIDTH);
    g_autofree char *filter = dt_graph_escaped(shortened);
    g_autoptr(GString) markup = g_string_new("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"2\">");
    g_string_append_printf(markup, "<TR><TD COLSPAN=\"2\"><B>diffNLR of trace %s, filter %s</B></TD></TR>", what->trace,
                           filter);
    append_side(markup, SIDE_BOTH, "the same in both runs: the stem");
    append_side(markup, SIDE_NORMAL, what->normal);
    append_side(markup, SIDE_FAULTY, what->faulty);
    g_string_append(markup, "</TABLE>");
    dt_graph_set(graph, "labelloc", "t");
    dt_graph_set_markup(graph, "label", markup->str);
}

static void append_legend_body(GString *markup, const DtDiffNlrReport *what, guint32 body)
{
    g_string_append_printf(markup, "<TR><TD VALIGN=\"TOP\"><B>L%u</B></TD><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">", body);
    DtElements elements = dt_loop_table_body(what->table, body);
    DtFold fold = dt_fold(elements.length, LEGEND_ELEMENTS);
    for (gsize i = 0; i < fold.head; i++) {
        g_autofree char *caption = element_caption(elements.elements[i], what->functions);
        append_line(markup, caption, "", "");
    }
    if (fold.head < elements.length) {
        g_autofree char *more = g_strdup_printf("... %" G_GSIZE_FORMAT " more", elements.length - fold.head);
        append_note(markup, more);
    }
    g_string_append(markup, "</TD></TR>");
}

/* Under the boxes: as the label of an invisible cluster around them. */
static void set_legend(const DtDiffNlrReport *what, Agraph_t *cluster)
{
    dt_graph_set(cluster, "peripheries", "0");
    g_autoptr(GArray) bodies = dt_bodies_of_diff(what->table, what->diff);
    if (bodies->len == 0)
        return;
    g_autoptr(GString) markup =
        g_string_new("<TABLE BORDER=\"1\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"" DT_COLOUR_QUIET
                     "\"><TR><TD COLSPAN=\"2\">L \u00d7 n: the loop L, n times; its body:</TD></TR>");
    for (guint i = 0; i < MIN(bodies->len, (guint)LEGEND_BODIES); i++)
        append_legend_body(markup, what, g_array_index(bodies, guint32, i));
    if (bodies->len > LEGEND_BODIES)
        g_string_append_printf(markup, "<TR><TD COLSPAN=\"2\">%u more loops: see the text form</TD></TR>",
                               bodies->len - LEGEND_BODIES);
    g_string_append(markup, "</TABLE>");
    dt_graph_set(cluster, "labelloc", "b");
    dt_graph_set_markup(cluster, "label", markup->str);
}

Agraph_t *dt_diffnlr_graph(const DtDiffNlrReport *what, GError **error)
{
    g_autoptr(Agraph_t) graph = dt_graph_new("diffNLR", error);
    if (graph == NULL)
        return NULL;
    dt_graph_set(graph, "ordering", "out");
    dt_graph_set(graph, "fontsize", "12");
    dt_graph_set(graph, "ranksep", "0.35");
    dt_graph_set(graph, "nodesep", "0.5");
    Agraph_t *cluster = dt_graph_subgraph(graph, "cluster_boxes");
    Painter painter = {.what = what, .graph = cluster};
    add_blocks(&painter);
    set_legend(what, cluster);
    set_title(what, graph);
    return g_steal_pointer(&graph);
}
