/* difftrace dendrogram: the clusterings of a comparison. */
#include "cli/commands.h"
#include "cli/similarity_command.h"

static char *render(const DtSimilarityView *view, DtReportFormat format, GError **error)
{
    g_autoptr(DtDendrogram) dendrogram = dt_similarity_dendrogram(view->similarity, view->of, view->linkage, error);
    if (dendrogram == NULL)
        return NULL;
    DtDendrogramReport what = {view->of, view->filter, view->attributes, view->linkage_name, view->labels, dendrogram};
    return dt_report_dendrogram(&what, format, error);
}

int dt_cmd_dendrogram(int argc, char **argv)
{
    g_autofree char *description = dt_selection_help(
        "OUT is the output of 'difftrace compare', difftrace.out unless given. The leaves are the traces that both\n"
        "runs have. The best row of the ranking table is shown unless selected.\n\n");
    const DtUsage usage = {.name = "dendrogram",
                           .arguments = "[OUT]",
                           .summary = "Shows the clusters of the traces, in either run, or by how much they changed.",
                           .description = description,
                           .least = 0,
                           .most = 1};
    return dt_similarity_command(&usage, render, argc, argv);
}
