/* difftrace rank: suspects and ranking table of a comparison that was made before. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "result/result.h"
#include "text/text.h"

static gboolean show_ranking(const char *directory, gint top, gboolean json, gboolean tsv, GError **error)
{
    enum { TEXT_ROWS = 10 };
    if (top < -1 || top == 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--top %d: not a number of rows; 1 or more", top);
        return FALSE;
    }
    g_autoptr(DtComparison) comparison = dt_result_load(directory, error);
    if (comparison == NULL)
        return FALSE;
    guint rows = top > 0 ? (guint)top : json || tsv ? 0 : TEXT_ROWS;
    g_autofree char *report =
        tsv ? dt_report_suspects(comparison, rows, DT_FORMAT_TSV, error)
            : dt_report_comparison(comparison, rows, dt_cli_width(), json ? DT_FORMAT_JSON : DT_FORMAT_TEXT, error);
    return report != NULL && dt_cli_write(report, NULL, error);
}

int dt_cmd_rank(int argc, char **argv)
{
    gint top = -1;
    gboolean json = FALSE, tsv = FALSE;
    const DtOption entries[] = {DT_OPTION("top", INT, &top), DT_OPTION("json", NONE, &json),
                                DT_OPTION("tsv", NONE, &tsv), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("rank", entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_ranking(arguments[0] != NULL ? arguments[0] : DT_RESULT_DIRECTORY, top, json, tsv, &error);
    return dt_cli_status(error);
}
