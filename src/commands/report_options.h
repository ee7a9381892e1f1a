/** Options that most commands have: in which form a report is shown, where it goes, and how many threads make it. */
#ifndef DT_COMMANDS_REPORT_OPTIONS_H
#define DT_COMMANDS_REPORT_OPTIONS_H

#include "cli/cli.h"

G_BEGIN_DECLS

/** As they stand on the command line. */
typedef struct {
    char *format, *output;
    gboolean json, tsv;
} DtReportOptions;
void dt_report_options_clear(DtReportOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtReportOptions, dt_report_options_clear)

/** Their entries in a command's table. */
#define DT_REPORT_OPTIONS(options)                                                                                     \
    DT_OPTION("format", STRING, &(options).format), DT_OPTION("json", NONE, &(options).json),                          \
        DT_OPTION("tsv", NONE, &(options).tsv), DT_OPTION("output", FILENAME, &(options).output)

/** The format asked for: `--json` and `--tsv` win over `--format`; text by default. */
gboolean dt_cli_format(const DtReportOptions *options, DtReportFormat *format, GError **error);

/** Jobs asked for (0: all cores). */
gboolean dt_cli_jobs(gint wanted, guint *jobs, GError **error);

G_END_DECLS

#endif
