#include "commands/watch_job.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "cli/cli.h"
#include "text/text.h"

void dt_watch_look(DtWatchJob *job)
{
    dt_live_refresh(job->live);
    job->state = dt_stuck_look(job->stuck);
}

gboolean dt_watch_is_done(const DtWatchJob *job)
{
    return job->state == DT_JOB_OVER || (job->state == DT_JOB_STUCK && job->ends_if_stuck);
}

DtLiveReport dt_watch_report(const DtWatchJob *job, guint width)
{
    const DtWaitFor *waits = job->state == DT_JOB_OVER ? NULL : dt_stuck_waits(job->stuck);
    return (DtLiveReport){.run = dt_live_path(job->live),
                          .functions = dt_live_functions(job->live),
                          .classes = dt_live_classes_list(job->classes),
                          .totals = dt_live_classes_totals(job->classes),
                          .waits = waits ? waits->summary : NULL,
                          .stuck_seconds = job->state == DT_JOB_STUCK ? dt_stuck_seconds(job->stuck) : 0,
                          .iterations = job->iterations,
                          .width = width};
}

/* A complete file takes the place of the one before; nobody waits for the disk, which may take longer than a period. */
static gboolean write_page(const DtWatchJob *job, GError **error)
{
    enum { MODE = 0666 };
    const DtLiveReport report = dt_watch_report(job, 0);
    g_autofree char *page = dt_report_live_page(&report, job->period);
    g_autofree char *name = g_strconcat(job->page, ".new", NULL);
    g_autoptr(GError) problem = NULL;
    if (g_file_set_contents_full(name, page, -1, G_FILE_SET_CONTENTS_NONE, MODE, &problem)) {
        if (g_rename(name, job->page) == 0)
            return TRUE;
        g_set_error_literal(&problem, G_FILE_ERROR, G_FILE_ERROR_FAILED, g_strerror(errno));
        (void)g_unlink(name);
    }
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_OUTPUT, "--html %s: cannot be written: %s", job->page,
                 problem->message);
    return FALSE;
}

gboolean dt_watch_update(DtWatchJob *job, gboolean all, GError **error)
{
    const gboolean is_over = job->state == DT_JOB_OVER;
    g_autoptr(GError) problem = NULL;
    job->has_begun = dt_live_classes_update(job->classes, is_over, all, &problem);
    if (!job->has_begun && is_over) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    return !job->page || write_page(job, error);
}
