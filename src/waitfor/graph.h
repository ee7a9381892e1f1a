/** A directed graph as lists of targets, and its strongly connected components. */
#ifndef DT_WAITFOR_GRAPH_H
#define DT_WAITFOR_GRAPH_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    guint nodes;
    GArray **targets; /* per node (element-type guint) */
} DtWaitGraph;

DtWaitGraph *dt_wait_graph_new(guint nodes);
void dt_wait_graph_free(DtWaitGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtWaitGraph, dt_wait_graph_free)
guint dt_wait_graph_add_node(DtWaitGraph *graph);
void dt_wait_graph_add_edge(DtWaitGraph *graph, guint from, guint to);

/**
 * The component of each node, 0..*count-1; an edge between two goes from the larger number to the smaller: Tarjan 1972.
 * g_free(). O(nodes + edges), without recursion.
 */
guint *dt_wait_graph_components(const DtWaitGraph *graph, guint *count);

G_END_DECLS

#endif
