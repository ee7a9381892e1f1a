/** Graphviz graphs, thin over libcgraph and libgvc. Internal to the reports. */
#ifndef DT_REPORT_PICTURES_GRAPH_H
#define DT_REPORT_PICTURES_GRAPH_H

#include <graphviz/cgraph.h>

#include "report/report.h"

G_BEGIN_DECLS

/** A directed graph with the house's fonts; NULL and DT_REPORT_ERROR_PICTURE if there is none to be had. */
Agraph_t *dt_graph_new(const char *name, GError **error);
void dt_graph_free(Agraph_t *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Agraph_t, dt_graph_free)

/** A part of the graph, made if it is not there. */
Agraph_t *dt_graph_subgraph(Agraph_t *graph, const char *name);
/** The node of that id, made if it is not there. */
Agnode_t *dt_graph_node(Agraph_t *graph, const char *id);
Agedge_t *dt_graph_edge(Agraph_t *graph, Agnode_t *tail, Agnode_t *head);

/** Sets an attribute of a graph, node or edge to a value of ours. */
void dt_graph_set(void *object, const char *attribute, const char *value);
/** A label or a tooltip in plain text: all characters mean themselves. */
void dt_graph_set_text(void *object, const char *attribute, const char *text);
/** A label, of lines; string arguments are one line each. */
void dt_graph_set_label_format(void *object, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** An attribute in Graphviz' HTML-like markup; texts in it by dt_text_dot_markup(). */
void dt_graph_set_markup(void *object, const char *attribute, const char *markup);

/** The graph as DOT text; g_free(). */
char *dt_graph_to_dot(Agraph_t *graph, GError **error);
/**
 * As SVG, laid out by `dot`; g_free(). DT_REPORT_ERROR_TOO_LARGE if that would take minutes: more than
 * DT_GRAPH_NODES nodes, or DT_GRAPH_CYCLES more lines than a tree has.
 */
enum { DT_GRAPH_NODES = 2000, DT_GRAPH_CYCLES = 800 };
char *dt_graph_to_svg(Agraph_t *graph, GError **error);
/** As DT_FORMAT_DOT or DT_FORMAT_SVG; frees the graph. Of no graph (NULL) NULL: it has its error already. */
char *dt_graph_draw(Agraph_t *graph, DtReportFormat format, GError **error);

/* Colours that colour-blind people can tell apart (Okabe & Ito 2008), each with a pale one for areas. */
#define DT_COLOUR_COMMON      "#007a5a"
#define DT_COLOUR_COMMON_PALE "#dcf3ea"
#define DT_COLOUR_NORMAL      "#0072b2"
#define DT_COLOUR_NORMAL_PALE "#dcecf7"
#define DT_COLOUR_FAULTY      "#c04a00"
#define DT_COLOUR_FAULTY_PALE "#fde6d8"
#define DT_COLOUR_QUIET       "#595959"

G_END_DECLS

#endif
