/* difftrace dendrogram: the clusterings of a comparison. */
#include "commands/commands.h"
#include "commands/similarity_command.h"

static char *render(const DtSimilarityView *view, DtReportFormat format, GError **error)
{
    g_autoptr(DtDendrogram) dendrogram = dt_similarity_dendrogram(view->similarity, view->side, view->linkage, error);
    if (!dendrogram)
        return NULL;
    DtDendrogramReport what = {view->side,         view->filter, view->attributes,
                               view->linkage_name, view->labels, dendrogram};
    return dt_report_dendrogram(&what, format, error);
}

int dt_cmd_dendrogram(int argc, char **argv)
{
    return dt_similarity_command("dendrogram", render, argc, argv);
}
