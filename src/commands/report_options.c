#include "commands/report_options.h"

#include "text/text.h"

void dt_report_options_clear(DtReportOptions *options)
{
    g_free(options->format);
    g_free(options->output);
}

gboolean dt_cli_format(const DtReportOptions *options, DtReportFormat *format, GError **error)
{
    *format = options->json ? DT_FORMAT_JSON : options->tsv ? DT_FORMAT_TSV : DT_FORMAT_TEXT;
    return options->json || options->tsv || !options->format || dt_report_format_parse(options->format, format, error);
}

gboolean dt_cli_jobs(gint wanted, guint *jobs, GError **error)
{
    enum { MOST = 4096 };
    if (wanted < 0 || wanted > MOST) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--jobs %d: not a number of threads; 0 (all cores) to %d",
                     wanted, MOST);
        return FALSE;
    }
    *jobs = (guint)wanted;
    return TRUE;
}
