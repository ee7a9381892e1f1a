/* difftrace rank: suspects and ranking table of a comparison that was made before. */
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "result/result.h"
#include "text/text.h"

static gboolean show_ranking(const char *directory, gint top, const DtReportOptions *options, GError **error)
{
    enum { TEXT_ROWS = 10 };
    DtReportFormat format;
    if (!dt_cli_format(options, &format, error))
        return FALSE;
    if (top < -1 || top == 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--top %d: not a number of rows; 1 or more", top);
        return FALSE;
    }
    g_autoptr(DtComparison) comparison = dt_result_load(directory, error);
    if (!comparison)
        return FALSE;
    guint rows = top > 0 ? (guint)top : format == DT_FORMAT_TEXT ? TEXT_ROWS : 0;
    if (format == DT_FORMAT_TSV && comparison->suspects->len == 0)
        dt_cli_note("note: %s: no suspects: %s", directory, comparison->verdict);
    g_autofree char *report = dt_report_comparison(comparison, rows, dt_cli_width(), format, error);
    return report && dt_cli_write(report, options->output, error);
}

int dt_cmd_rank(int argc, char **argv)
{
    gint top = -1;
    g_auto(DtReportOptions) options = {0};
    const DtOption entries[] = {DT_OPTION("top", INT, &top), DT_REPORT_OPTIONS(options), DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("rank", entries, NULL, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    show_ranking(arguments[0] ? arguments[0] : DT_RESULT_DIRECTORY, top, &options, &error);
    return dt_cli_status(error);
}
