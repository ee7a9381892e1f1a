/*
 * A diffNLR as a graph: one stem of boxes that both runs share, top to bottom, and side by side, normal left and faulty
 * right, what only one of them did. The two sides are one node, so that the graph is a chain, which Graphviz lays out
 * in no time whatever the boxes hold.
 */
#include "report/diffnlr_report.h"
#include "report/pictures/diffnlr_boxes.h"
#include "report/pictures/graph.h"

typedef struct {
    const DtDiffNlr *diff;
    Agraph_t *graph;
    DtBoxes *boxes;
    guint nodes, box_count;
    /* What the next node hangs on: the last one, at one port or at both sides' ports. */
    Agnode_t *tail;
    gboolean two_sided;
} Painter;

static Agnode_t *add_node(Painter *painter)
{
    g_autofree char *id = g_strdup_printf("node%u", painter->nodes++);
    Agnode_t *node = dt_graph_node(painter->graph, id);
    dt_graph_set(node, "shape", "plain");
    return node;
}

/* ---- lines --------------------------------------------------------------------------------- */

static void add_line(Painter *painter, Agnode_t *node, DtBoxSide side, gboolean head_is_sided)
{
    Agedge_t *edge = dt_graph_edge(painter->graph, painter->tail, node);
    g_autofree char *tail = g_strdup_printf("%s_end:s", dt_box_side_port(side));
    g_autofree char *head = g_strdup_printf("%s:n", dt_box_side_port(side));
    dt_graph_set(edge, "color", dt_box_side_colour(side));
    dt_graph_set(edge, "weight", "0");
    dt_graph_set(edge, "penwidth", "1.5");
    dt_graph_set(edge, "arrowsize", "0.7");
    dt_graph_set(edge, "tailport", painter->two_sided ? tail : "s");
    dt_graph_set(edge, "headport", head_is_sided ? head : "n");
}

/* From middle to middle: keeps the stem straight. */
static void add_unseen_line(Painter *painter, Agnode_t *node)
{
    Agedge_t *edge = dt_graph_edge(painter->graph, painter->tail, node);
    dt_graph_set(edge, "style", "invis");
    dt_graph_set(edge, "weight", "20");
}

static void hang_on_tail(Painter *painter, Agnode_t *node, gboolean two_sided)
{
    if (painter->tail && (two_sided || painter->two_sided)) {
        add_line(painter, node, DT_BOX_NORMAL, two_sided);
        add_line(painter, node, DT_BOX_FAULTY, two_sided);
    } else if (painter->tail) {
        add_line(painter, node, DT_BOX_BOTH, FALSE);
    }
    if (painter->tail)
        add_unseen_line(painter, node);
    painter->tail = node;
    painter->two_sided = two_sided;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* The stem's box, or the two sides'. */
static void add_boxes(Painter *painter, const DtBox *row, guint count)
{
    Agnode_t *node = add_node(painter);
    g_autofree char *markup = dt_boxes_table(painter->boxes, row, count);
    dt_graph_set_markup(node, "label", markup);
    hang_on_tail(painter, node, count > 1);
    painter->box_count += count;
}

static void add_start(Painter *painter)
{
    Agnode_t *start = add_node(painter);
    dt_graph_set(start, "shape", "box");
    dt_graph_set(start, "style", "rounded,filled");
    dt_graph_set(start, "color", DT_COLOUR_COMMON);
    dt_graph_set(start, "fillcolor", DT_COLOUR_COMMON_PALE);
    dt_graph_set_label_format(start, "start of %s", painter->boxes->what->trace);
    hang_on_tail(painter, start, FALSE);
}

static void add_left_out(Painter *painter, guint blocks)
{
    Agnode_t *node = add_node(painter);
    dt_graph_set(node, "shape", "box");
    dt_graph_set(node, "style", "dashed");
    dt_graph_set_label_format(node, "%u more stretches are not drawn:\nthe text form has them all", blocks);
    hang_on_tail(painter, node, FALSE);
}

static void add_block(Painter *painter, const DtDiffBlock *block, gboolean last)
{
    const DtDiffNlr *diff = painter->diff;
    gboolean end_alike = diff->normal_open == diff->faulty_open;
    DtBox sides[] = {{DT_BOX_NORMAL, {NULL, 0}, last, diff->normal_open},
                     {DT_BOX_FAULTY, {NULL, 0}, last, diff->faulty_open}};
    if (block->common) {
        DtBox both = {DT_BOX_BOTH, block->normal, last && end_alike, diff->normal_open};
        add_boxes(painter, &both, 1);
    } else {
        sides[0].elements = block->normal;
        sides[1].elements = block->faulty;
    }
    if (!block->common || (last && !end_alike))
        add_boxes(painter, sides, G_N_ELEMENTS(sides));
}

static void add_blocks(Painter *painter)
{
    const GArray *blocks = painter->diff->blocks;
    add_start(painter);
    for (guint i = 0; i < blocks->len; i++) {
        if (painter->box_count + 3 > DT_DIFFNLR_PICTURE_BOXES) {
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

/* The title above all; the legend below the boxes, as the label of an unseen cluster around them. */
static void set_labels(const DtBoxes *boxes, Agraph_t *graph, Agraph_t *cluster)
{
    g_autofree char *title = dt_boxes_title(boxes), *legend = dt_boxes_legend(boxes);
    dt_graph_set(graph, "labelloc", "t");
    dt_graph_set_markup(graph, "label", title);
    dt_graph_set(cluster, "peripheries", "0");
    dt_graph_set(cluster, "labelloc", "b");
    if (legend)
        dt_graph_set_markup(cluster, "label", legend);
}

Agraph_t *dt_diffnlr_graph(const DtDiffNlrReport *what, GError **error)
{
    g_autoptr(Agraph_t) graph = dt_graph_new("diffNLR", error);
    g_auto(DtBoxes) boxes;
    dt_boxes_init(&boxes, what);
    if (!graph)
        return NULL;
    dt_graph_set(graph, "fontsize", "12");
    dt_graph_set(graph, "ranksep", "0.4");
    dt_graph_set(graph, "splines", "line");
    Agraph_t *cluster = dt_graph_subgraph(graph, "cluster_boxes");
    Painter painter = {.diff = what->diff, .graph = cluster, .boxes = &boxes};
    add_blocks(&painter);
    set_labels(&boxes, graph, cluster);
    return g_steal_pointer(&graph);
}
