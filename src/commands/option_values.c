/* Values of options that several commands have. */
#include "cli/cli.h"

#include "text/text.h"

gboolean dt_cli_format(const char *format, gboolean json, gboolean tsv, DtReportFormat *result, GError **error)
{
    *result = json ? DT_FORMAT_JSON : tsv ? DT_FORMAT_TSV : DT_FORMAT_TEXT;
    return json || tsv || format == NULL || dt_report_format_parse(format, result, error);
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
