/* difftrace jsm: the similarity matrices of a comparison. */
#include "commands/commands.h"
#include "commands/similarity_command.h"

static char *render(const DtSimilarityView *view, DtReportFormat format, GError **error)
{
    g_autoptr(DtMatrix) matrix = dt_similarity_matrix(view->similarity, view->side, error);
    if (!matrix)
        return NULL;
    g_autoptr(DtDendrogram) clustering =
        format == DT_FORMAT_SVG ? dt_similarity_dendrogram(view->similarity, view->side, view->linkage, error) : NULL;
    DtMatrixReport what = {view->side, view->filter, view->attributes, view->labels, matrix, clustering};
    return dt_report_matrix(&what, format, error);
}

int dt_cmd_jsm(int argc, char **argv)
{
    return dt_similarity_command("jsm", render, argc, argv);
}
