#include "commands/watch/watch_job.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "base/agents_folder.h"
#include "cli/cli.h"
#include "text/text.h"

enum { MEET_SECONDS = 3 /* for agents that are there, at the begin */ };

/* Of a job on one host nobody needs to listen. */
static gboolean is_on_other_hosts(const DtLive *live)
{
    g_autoptr(GPtrArray) agents = dt_agents_folder_hosts(dt_live_path(live));
    guint ended;
    const guint processes = dt_live_process_count(live, &ended);
    gboolean is_elsewhere = agents->len > 0;
    for (guint i = 0; i < processes && !is_elsewhere; i++)
        is_elsewhere = !dt_live_process(live, i)->is_here;
    return is_elsewhere;
}

static void listen_if_needed(DtWatchJob *job)
{
    const char *run = dt_live_path(job->live);
    g_autoptr(GError) problem = NULL;
    if (job->nodes || job->cannot_listen || job->state == DT_JOB_OVER || !dt_agents_folder_is_there(run) ||
        !is_on_other_hosts(job->live))
        return;
    job->nodes = dt_nodes_new(run, job->listen, &problem);
    job->cannot_listen = !job->nodes;
    if (job->cannot_listen && !job->is_screen)
        dt_cli_warn("warning: other nodes are not seen: %s", problem->message);
}

void dt_watch_tell_refused(const DtWatchJob *job)
{
    if (job->nodes && dt_nodes_refused(job->nodes) > 1 && !job->is_screen)
        dt_cli_warn("warning: %u connections were refused in all", dt_nodes_refused(job->nodes));
}

void dt_watch_listen(DtWatchJob *job)
{
    listen_if_needed(job);
    if (job->nodes)
        dt_nodes_meet(job->nodes, job->live, MEET_SECONDS);
}

void dt_watch_wait(const DtWatchJob *job, gdouble seconds)
{
    const gint64 end = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
    for (gint64 now = end - (gint64)(seconds * G_USEC_PER_SEC); now < end; now = g_get_monotonic_time()) {
        if (job->nodes)
            dt_nodes_take(job->nodes, job->live, (gdouble)(end - now) / G_USEC_PER_SEC);
        else
            g_usleep((gulong)(end - now));
    }
}

/* A line that is new is told at once where it cannot be shown. */
static void tell_news(const DtWatchJob *job, const GPtrArray *before)
{
    g_autoptr(GPtrArray) news = job->nodes ? dt_nodes_news(job->nodes) : g_ptr_array_new();
    for (guint i = 0; i < news->len && !job->is_screen; i++)
        dt_cli_warn("warning: %s", (const char *)news->pdata[i]);
    for (guint i = 0; i < job->unseen->len && !job->is_screen && job->ends_if_stuck; i++)
        if (!before || !g_ptr_array_find_with_equal_func((GPtrArray *)before, job->unseen->pdata[i], g_str_equal, NULL))
            dt_cli_warn("warning: %s", (const char *)job->unseen->pdata[i]);
}

static void look_at_nodes(DtWatchJob *job)
{
    g_autoptr(GPtrArray) before = job->unseen;
    listen_if_needed(job);
    if (job->nodes)
        dt_nodes_take(job->nodes, job->live, 0);
    job->unseen = dt_nodes_unseen(job->nodes, job->live);
    tell_news(job, before);
}

static void note_waits(DtWatchJob *job)
{
    const DtWaitFor *waits = job->state == DT_JOB_OVER ? NULL : dt_stuck_waits(job->stuck);
    g_free(job->waits);
    job->waits = waits ? dt_report_live_waits(waits, dt_stuck_for_ever(job->stuck)) : NULL;
}

void dt_watch_look(DtWatchJob *job)
{
    dt_live_refresh(job->live);
    look_at_nodes(job);
    job->state = dt_stuck_look(job->stuck);
    note_waits(job);
}

gboolean dt_watch_is_done(const DtWatchJob *job)
{
    return job->state == DT_JOB_OVER || (job->state == DT_JOB_STUCK && job->ends_if_stuck);
}

DtLiveReport dt_watch_report(const DtWatchJob *job, guint width)
{
    return (DtLiveReport){.run = dt_live_path(job->live),
                          .functions = dt_live_functions(job->live),
                          .classes = dt_live_classes_list(job->classes),
                          .totals = dt_live_classes_totals(job->classes),
                          .waits = job->waits,
                          .stuck_seconds = job->state == DT_JOB_STUCK ? dt_stuck_seconds(job->stuck) : 0,
                          .unseen = job->unseen,
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
