/* dot_to_svg: what Graphviz makes of a graph in DOT on the standard input, as `dot -Tsvg` would. */
#include <graphviz/gvc.h>
#include <stdio.h>

int main(void)
{
    Agraph_t *graph = agread(stdin, NULL);
    GVC_t *context = gvContext();
    if (!graph || gvLayout(context, graph, "dot") != 0)
        return 1;
    int status = gvRender(context, graph, "svg", stdout);
    gvFreeLayout(context, graph);
    agclose(graph);
    gvFreeContext(context);
    return status != 0;
}
