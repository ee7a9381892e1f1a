/* Making, writing and laying out Graphviz graphs. */
#include "report/pictures/graph.h"

#include "report/report.h"
#include "text/text.h"

#include <graphviz/gvc.h>
#include <stdio.h>
#include <stdlib.h>

/* Boxes are as wide as their text in this font. What viewers take in its stead is as wide or narrower. */
#define FONT "DejaVu Sans,Verdana,sans-serif"

static void set_defaults(Agraph_t *graph)
{
    agattr(graph, AGRAPH, (char *)"fontname", (char *)FONT);
    agattr(graph, AGRAPH, (char *)"charset", (char *)"UTF-8");
    agattr(graph, AGNODE, (char *)"fontname", (char *)FONT);
    agattr(graph, AGNODE, (char *)"fontsize", (char *)"11");
    agattr(graph, AGEDGE, (char *)"fontname", (char *)FONT);
    agattr(graph, AGEDGE, (char *)"fontsize", (char *)"10");
}

Agraph_t *dt_graph_new(const char *name, GError **error)
{
    agseterr(AGMAX); /* messages go into our errors, not to stderr */
    Agraph_t *graph = agopen((char *)name, Agdirected, NULL);
    if (!graph) {
        dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_PICTURE, "picture '%s': Graphviz makes no graph", name);
        return NULL;
    }
    set_defaults(graph);
    return graph;
}

void dt_graph_free(Agraph_t *graph)
{
    if (graph)
        agclose(graph);
}

Agraph_t *dt_graph_subgraph(Agraph_t *graph, const char *name)
{
    return agsubg(graph, (char *)name, TRUE);
}

Agnode_t *dt_graph_node(Agraph_t *graph, const char *id)
{
    return agnode(graph, (char *)id, TRUE);
}

Agedge_t *dt_graph_edge(Agraph_t *graph, Agnode_t *tail, Agnode_t *head)
{
    return agedge(graph, tail, head, NULL, TRUE);
}

void dt_graph_set(void *object, const char *attribute, const char *value)
{
    agsafeset(object, (char *)attribute, (char *)value, (char *)"");
}

void dt_graph_set_text(void *object, const char *attribute, const char *text)
{
    g_autofree char *safe = dt_text_dot(text);
    dt_graph_set(object, attribute, safe);
}

void dt_graph_set_label_format(void *object, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = dt_text_vprintf(format, arguments);
    va_end(arguments);
    dt_graph_set_text(object, "label", text);
}

void dt_graph_set_markup(void *object, const char *attribute, const char *markup)
{
    char *shared = agstrdup_html(agraphof(object), (char *)markup);
    agsafeset(object, (char *)attribute, shared, (char *)"");
    agstrfree(agraphof(object), shared);
}

static char *picture_error(const char *step, GError **error)
{
    const char *reason = aglasterr();
    dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_PICTURE,
                 "picture: Graphviz fails at %s (%s); is its package complete? The DOT form needs no layout", step,
                 reason ? reason : "no reason given");
    return NULL;
}

char *dt_graph_to_dot(Agraph_t *graph, GError **error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return picture_error("writing DOT", error);
    int status = agwrite(graph, stream);
    if (fclose(stream) != 0 || status != 0) {
        free(text);
        return picture_error("writing DOT", error);
    }
    char *copy = g_strndup(text, bytes);
    free(text);
    return copy;
}

/*
 * The one context of the program, never freed: Graphviz' Pango plugin remembers
 * the last font's name, which belongs to the context that asked for it, and would
 * read it after that context is gone.
 */
static gpointer make_context(gpointer unused)
{
    (void)unused;
    return gvContext();
}

static GVC_t *shared_context(void)
{
    static GOnce once = G_ONCE_INIT;
    return g_once(&once, make_context, NULL);
}

static gboolean is_too_large(Agraph_t *graph, GError **error)
{
    int nodes = agnnodes(graph), lines = agnedges(graph);
    if (nodes <= DT_GRAPH_NODES && lines - nodes < DT_GRAPH_CYCLES)
        return FALSE;
    dt_set_error(
        error, DT_REPORT_ERROR, DT_REPORT_ERROR_TOO_LARGE,
        "picture: %d boxes and %d lines would keep Graphviz busy for minutes; take a narrower --filter, or the "
        "text or DOT form",
        nodes, lines);
    return TRUE;
}

char *dt_graph_to_svg(Agraph_t *graph, GError **error)
{
    if (is_too_large(graph, error))
        return NULL;
    GVC_t *context = shared_context();
    if (!context)
        return picture_error("start", error);
    char *svg = NULL;
    if (gvLayout(context, graph, "dot") != 0) {
        picture_error("layout", error);
    } else {
        char *data = NULL;
        unsigned int bytes = 0;
        if (gvRenderData(context, graph, "svg", &data, &bytes) == 0 && data)
            svg = g_strndup(data, bytes);
        else
            picture_error("drawing SVG", error);
        if (data)
            gvFreeRenderData(data);
        gvFreeLayout(context, graph);
    }
    return svg;
}

char *dt_graph_draw(Agraph_t *graph, DtReportFormat format, GError **error)
{
    g_autoptr(Agraph_t) drawn = graph;
    if (!drawn)
        return NULL;
    return format == DT_FORMAT_DOT ? dt_graph_to_dot(drawn, error) : dt_graph_to_svg(drawn, error);
}
