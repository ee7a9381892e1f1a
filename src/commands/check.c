/* difftrace check: errors in the use of MPI, OpenMP and pthreads that one run proves. */
#include "checks/checks.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "report/checks/checks_report.h"
#include "text/text.h"

typedef struct {
    char **only, **without;
    char *sarif, *junit;
    gboolean exit_code, errors;
    DtReportOptions report;
} Options;

static void clear_options(Options *options)
{
    g_strfreev(options->only);
    g_strfreev(options->without);
    g_free(options->sarif);
    g_free(options->junit);
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean set_rules(char **names, const char *option, gboolean without, DtCheckOptions *rules, GError **error)
{
    for (guint i = 0; names && names[i]; i++) {
        g_auto(GStrv) parts = g_strsplit(names[i], ",", -1);
        for (guint k = 0; parts[k]; k++) {
            DtCheckRule rule = dt_check_rule_find(parts[k]);
            if (rule == DT_CHECKS) {
                dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                             "--%s %s: no such rule; difftrace-check(1) lists them", option, parts[k]);
                return FALSE;
            }
            rules->without[rule] = without;
        }
    }
    return TRUE;
}

static gboolean read_rules(const Options *options, DtCheckOptions *rules, GError **error)
{
    for (guint i = 0; options->only && i < DT_CHECKS; i++)
        rules->without[i] = TRUE;
    return set_rules(options->only, "only", FALSE, rules, error) &&
           set_rules(options->without, "without", TRUE, rules, error);
}

static gboolean write_reports(const DtChecked *checked, const Options *options, DtReportFormat format, GError **error)
{
    if (options->sarif) {
        g_autofree char *sarif = dt_report_checked_sarif(checked, DT_VERSION);
        if (!dt_cli_write(sarif, options->sarif, error))
            return FALSE;
    }
    if (options->junit) {
        g_autofree char *junit = dt_report_checked_junit(checked);
        if (!dt_cli_write(junit, options->junit, error))
            return FALSE;
    }
    g_autofree char *report = dt_report_checked(checked, dt_cli_width(), format, error);
    return report && dt_cli_write(report, options->report.output, error);
}

static gboolean run_check(const char *path, const Options *options, gboolean *found, GError **error)
{
    DtCheckOptions rules = {0};
    DtReportFormat format;
    if (!read_rules(options, &rules, error) || !dt_cli_format(&options->report, &format, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (!run)
        return FALSE;
    g_autoptr(DtProgress) progress = dt_progress_new("checking");
    g_autoptr(DtChecked) checked = dt_checked_new(run, &rules, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (checked && options->errors)
        dt_checked_drop_warnings(checked);
    *found = checked && checked->errors > 0;
    return checked && write_reports(checked, options, format, error);
}

int dt_cmd_check(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("only", STRING_ARRAY, &options.only),
                                DT_OPTION("without", STRING_ARRAY, &options.without),
                                DT_OPTION("sarif", FILENAME, &options.sarif),
                                DT_OPTION("junit", FILENAME, &options.junit),
                                DT_OPTION("exit-code", NONE, &options.exit_code),
                                DT_OPTION("errors", NONE, &options.errors),
                                DT_REPORT_OPTIONS(options.report),
                                DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("check", entries, NULL, argc, argv, &status);
    if (!arguments)
        return status;
    g_autoptr(GError) error = NULL;
    gboolean found = FALSE;
    run_check(arguments[0], &options, &found, &error);
    status = dt_cli_status(error);
    return status == 0 && options.exit_code && found ? DT_EXIT_FOUND : status;
}
