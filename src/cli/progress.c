#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"

enum { BAR_WIDTH = 30, PERIOD_US = 100000, DELAY_SECONDS = 2 };

struct DtProgress {
    const char *work;
    gint64 begin; /* monotonic microseconds */
    GThread *thread;
    GMutex mutex; /* for what follows */
    GCond ended;
    guint64 done, all;
    gboolean end;
};

static gint64 delay_us(void)
{
    const char *seconds = g_getenv("DIFFTRACE_PROGRESS_DELAY");
    return seconds ? (gint64)(g_ascii_strtod(seconds, NULL) * 1e6) : (gint64)DELAY_SECONDS * 1000000;
}

static void show(const DtProgress *progress)
{
    double taken = (double)(g_get_monotonic_time() - progress->begin) / 1e6;
    if (progress->all == 0 || progress->done > progress->all) {
        fprintf(stderr, DT_CLI_NEW_LINE "%s, %.0f s", progress->work, taken);
        return;
    }
    double share = (double)progress->done / (double)progress->all;
    char bar[BAR_WIDTH + 1] = {0};
    for (guint i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < share * BAR_WIDTH ? '#' : '.';
    fprintf(stderr, DT_CLI_NEW_LINE "%s [%s] %.0f %%", progress->work, bar, 100 * share);
    if (progress->done > 0)
        fprintf(stderr, ", %.0f s left", taken * (1 - share) / share + 0.5);
}

static gpointer show_until_end(gpointer data)
{
    DtProgress *progress = data;
    gint64 wake = progress->begin + delay_us();
    gboolean shown = FALSE;
    g_mutex_lock(&progress->mutex);
    while (!progress->end) {
        if (g_cond_wait_until(&progress->ended, &progress->mutex, wake))
            continue;
        show(progress);
        shown = TRUE;
        wake = g_get_monotonic_time() + PERIOD_US;
    }
    g_mutex_unlock(&progress->mutex);
    if (shown)
        fputs(DT_CLI_NEW_LINE, stderr);
    return NULL;
}

DtProgress *dt_progress_new(const char *work)
{
    if (!isatty(STDERR_FILENO) || dt_cli_is_quiet())
        return NULL;
    DtProgress *progress = g_new0(DtProgress, 1);
    progress->work = work;
    progress->begin = g_get_monotonic_time();
    g_mutex_init(&progress->mutex);
    g_cond_init(&progress->ended);
    progress->thread = g_thread_new("progress", show_until_end, progress);
    return progress;
}

void dt_progress_set(DtProgress *progress, guint64 done, guint64 all)
{
    if (!progress)
        return;
    g_mutex_lock(&progress->mutex);
    progress->done = done;
    progress->all = all;
    g_mutex_unlock(&progress->mutex);
}

void dt_progress_free(DtProgress *progress)
{
    if (!progress)
        return;
    g_mutex_lock(&progress->mutex);
    progress->end = TRUE;
    g_cond_signal(&progress->ended);
    g_mutex_unlock(&progress->mutex);
    g_thread_join(progress->thread);
    g_mutex_clear(&progress->mutex);
    g_cond_clear(&progress->ended);
    g_free(progress);
}
