/* difftrace jsm: the similarity matrices of a comparison. */
#include "cli/commands.h"
#include "cli/similarity_command.h"

static char *render(const DtSimilarityView *view, DtReportFormat format, GError **error)
{
    g_autoptr(DtMatrix) matrix = dt_similarity_matrix(view->similarity, view->of, error);
    if (matrix == NULL)
        return NULL;
    DtMatrixReport what = {view->of, view->filter, view->attributes, view->labels, matrix};
    return dt_report_matrix(&what, format, error);
}

int dt_cmd_jsm(int argc, char **argv)
{
    g_autofree char *description = dt_selection_help(
        "OUT is the output of 'difftrace compare', difftrace.out unless given. Rows and columns are the traces that\n"
        "both runs have. The best row of the ranking table is shown unless selected; --linkage has no meaning "
        "here.\n\n");
    const DtUsage usage = {.name = "jsm",
                           .arguments = "[OUT]",
                           .summary =
                               "Shows how similar the traces are to each other (Jaccard), in either run, and how\n"
                               "that changed between the runs.",
                           .description = description,
                           .least = 0,
                           .most = 1};
    return dt_similarity_command(&usage, render, argc, argv);
}
