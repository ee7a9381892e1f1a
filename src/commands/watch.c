/* difftrace watch: a job while it runs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/agents_folder.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "commands/commands.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "commands/watch/watch_job.h"
#include "store/store.h"
#include "text/text.h"

typedef struct {
    char *until_stuck; /* seconds; NULL: not asked for */
    char *period, *html, *listen;
    gboolean once, iterations, times, confirm;
    DtReportOptions report;
    gboolean json; /* by them */
} WatchOptions;

static void options_clear(WatchOptions *options)
{
    g_free(options->until_stuck);
    g_free(options->period);
    g_free(options->html);
    g_free(options->listen);
    dt_report_options_clear(&options->report);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WatchOptions, options_clear)

static void job_clear(DtWatchJob *job)
{
    g_clear_pointer(&job->nodes, dt_nodes_free);
    g_clear_pointer(&job->unseen, g_ptr_array_unref);
    g_clear_pointer(&job->waits, g_free);
    g_clear_pointer(&job->classes, dt_live_classes_free);
    g_clear_pointer(&job->stuck, dt_stuck_free);
    g_clear_pointer(&job->live, dt_live_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtWatchJob, job_clear)

/* ---- output -------------------------------------------------------------------------------------- */

static gboolean print_stuck(const DtStuck *stuck, GError **error)
{
    g_autofree char *report = dt_report_wait_for(dt_stuck_waits(stuck), dt_cli_width(), DT_FORMAT_TEXT, error);
    g_autofree char *text = report ? g_strdup_printf("stuck for %.1f s: %s", dt_stuck_seconds(stuck), report) : NULL;
    return text && dt_cli_write(text, NULL, error);
}

static gboolean print(const char *text)
{
    return dt_cli_print(text, strlen(text)) && fflush(stdout) == 0;
}

/* FALSE: nobody reads it any more. Blocks are separated by empty lines; a document is one line. */
static gboolean print_block(const DtWatchJob *job, gboolean json, gboolean is_first)
{
    const DtLiveReport report = dt_watch_report(job, json ? 0 : dt_cli_width());
    if (!job->has_begun && !json) {
        g_autofree char *text = dt_text_printf("%s: no process of it has started yet\n", report.run);
        return print(text);
    }
    g_autofree char *text = dt_report_live(&report, json ? DT_FORMAT_JSON : DT_FORMAT_TEXT, NULL);
    g_autofree char *block = g_strdup_printf("%s%s", is_first || json ? "" : "\n", text);
    return print(block);
}

/* ---- lines --------------------------------------------------------------------------------------- */

/* Looks until `end`, at least once, or until the watch is done. */
static void look_until(DtWatchJob *job, gint64 end)
{
    gdouble left = 1;
    while (left > 0 && !dt_watch_is_done(job)) {
        dt_watch_wait(job, MIN((gdouble)(end - g_get_monotonic_time()) / G_USEC_PER_SEC, DT_WATCH_LOOK));
        dt_watch_look(job);
        left = (gdouble)(end - g_get_monotonic_time()) / G_USEC_PER_SEC;
    }
}

/* What watch shows where it does not take the screen. */
typedef struct {
    gboolean blocks; /* are printed; else the verdict alone */
    gboolean json, once;
} Lines;

/* Rates need two looks: the first block comes after the second one, unless the job has ended already. */
static gboolean watch_lines(DtWatchJob *job, const Lines *lines, GError **error)
{
    gint64 next = g_get_monotonic_time();
    if (!dt_watch_update(job, FALSE, error))
        return FALSE;
    for (gboolean is_first = TRUE, is_read = TRUE; is_read; is_first = FALSE) {
        next = MAX(next + (gint64)(job->period * G_USEC_PER_SEC), g_get_monotonic_time());
        look_until(job, next);
        if (!dt_watch_update(job, lines->once || dt_watch_is_done(job), error))
            return FALSE;
        const gboolean is_done = dt_watch_is_done(job);
        const gboolean is_last = lines->once && (is_done || !job->ends_if_stuck);
        if (lines->blocks && (!lines->once || is_last))
            is_read = print_block(job, lines->json, is_first);
        if (is_done || is_last)
            return TRUE;
    }
    return TRUE;
}

/* ---- asking before it is reported ------------------------------------------------------------------ */

/* "stuck?", and a line back: then the job is looked at again. It may have gone on while nobody answered. */
static gboolean is_confirmed(DtWatchJob *job)
{
    char line[16];
    if (!print("stuck?\n") || !fgets(line, sizeof(line), stdin))
        return FALSE;
    dt_watch_look(job);
    job->state = dt_stuck_look_again(job->stuck);
    return job->state == DT_JOB_STUCK;
}

/* ---- the command ---------------------------------------------------------------------------------- */

static gboolean show(DtWatchJob *job, const WatchOptions *options, GError **error)
{
    const gboolean is_asked = options->json || options->once;
    gboolean shown = FALSE;
    if (!is_asked && !options->html && dt_screen_is_possible()) {
        g_autoptr(GError) problem = NULL;
        if (dt_watch_screen(job, &shown, &problem))
            return TRUE;
        if (shown) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return FALSE;
        }
        dt_cli_note("note: plain lines are shown: %s", problem->message);
    }
    const Lines lines = {.blocks = is_asked || (!options->html && (!options->until_stuck || options->period)),
                         .json = options->json,
                         .once = options->once};
    return watch_lines(job, &lines, error);
}

/* Until the job is over or stuck, or the user has seen enough. */
static int watch(const char *path, const WatchOptions *options, gdouble patience, gdouble period)
{
    g_autoptr(GError) error = NULL;
    g_auto(DtWatchJob) job = {.iterations = options->iterations,
                              .ends_if_stuck = options->until_stuck != NULL,
                              .period = period,
                              .page = options->html,
                              .listen = options->listen};
    job.live = dt_live_open(path, &error);
    if (!job.live) {
        dt_cli_suggest_run(path, error);
        return dt_cli_status(error);
    }
    job.stuck = dt_stuck_new(job.live, patience);
    job.classes = dt_live_classes_new(job.live, (options->iterations ? DT_LIVE_ITERATIONS : 0) |
                                                    (options->times ? DT_LIVE_TIMES : 0));
    dt_watch_look(&job);
    dt_watch_listen(&job);
    dt_watch_look(&job);
    const gboolean is_shown = show(&job, options, &error);
    dt_watch_tell_refused(&job);
    if (!is_shown)
        return dt_cli_status(error);
    while (options->confirm && job.state == DT_JOB_STUCK && !is_confirmed(&job)) {
        if (!print("no\n") || !show(&job, options, &error))
            return dt_cli_status(error);
    }
    const gboolean is_found = job.ends_if_stuck && job.state == DT_JOB_STUCK;
    if (is_found && (options->json || options->once || print_stuck(job.stuck, &error)))
        return DT_EXIT_FOUND;
    return dt_cli_status(error);
}

static gboolean check(WatchOptions *options, GError **error)
{
    DtReportFormat format;
    if (!dt_cli_format(&options->report, &format, error))
        return FALSE;
    options->json = format == DT_FORMAT_JSON;
    const char *problem = NULL;
    if (format != DT_FORMAT_TEXT && format != DT_FORMAT_JSON)
        problem = "--format: watch has text and json";
    else if (options->confirm && !options->until_stuck)
        problem = "--confirm: give --until-stuck too";
    else if (options->html && (!options->html[0] || strcmp(options->html, "-") == 0))
        problem = "--html: a page that is written again and again needs a file; give its name";
    else if (options->listen && !dt_is_address(options->listen))
        problem = "--listen: give an address of this host, such as 10.0.0.1";
    else if (options->html && dt_cli_is_special_file(options->html))
        problem = "--html: a page takes the place of the one before; give the name of a regular file";
    if (problem)
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, problem);
    return !problem;
}

/* What comes again and again goes to one file. */
static gboolean redirect(const char *file, GError **error)
{
    if (!file || strcmp(file, "-") == 0 || freopen(file, "w", stdout))
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_OUTPUT, "--output %s: cannot be written: %s", file,
                 g_strerror(errno));
    return FALSE;
}

int dt_cmd_watch(int argc, char **argv)
{
    g_auto(WatchOptions) options = {0};
    const DtOption entries[] = {{"until-stuck", G_OPTION_ARG_STRING, &options.until_stuck, DT_PATIENCE_SECONDS},
                                DT_OPTION("once", NONE, &options.once),
                                DT_OPTION("listen", STRING, &options.listen),
                                DT_OPTION("confirm", NONE, &options.confirm),
                                DT_OPTION("html", FILENAME, &options.html),
                                DT_OPTION("period", STRING, &options.period),
                                DT_OPTION("times", NONE, &options.times),
                                DT_OPTION("iterations", NONE, &options.iterations),
                                DT_OPTION("format", STRING, &options.report.format),
                                DT_OPTION("json", NONE, &options.report.json),
                                DT_OPTION("output", FILENAME, &options.report.output),
                                DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("watch", entries, NULL, argc, argv, &status);
    g_autoptr(GError) error = NULL;
    gdouble patience = 0, period = 0;
    if (!arguments)
        return status;
    if (!check(&options, &error))
        return dt_cli_status(error);
    if (!dt_cli_seconds("--until-stuck", options.until_stuck ? options.until_stuck : DT_PATIENCE_SECONDS, &patience) ||
        !dt_cli_seconds("--period", options.period ? options.period : "1", &period))
        return DT_EXIT_ERROR;
    if (!redirect(options.report.output, &error))
        return dt_cli_status(error);
    return watch(arguments[0], &options, patience, period);
}
