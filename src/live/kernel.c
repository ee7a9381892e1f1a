#include "live/kernel.h"

#include <string.h>
#include <unistd.h>

static char *read_file(guint pid, guint tid, const char *file)
{
    char *text = NULL;
    g_autofree char *path = g_strdup_printf("/proc/%u/task/%u/%s", pid, tid, file);
    return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

/* Of user and system time, in ticks: fields 14 and 15 of the row, of which the third comes behind the name. */
static guint64 ticks_in(const char *behind_name)
{
    enum { BETWEEN = 11 };
    const char *at = behind_name + 1;
    for (guint field = 0; at && field <= BETWEEN; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return 0;
    char *end = NULL;
    guint64 user = g_ascii_strtoull(at, &end, 10);
    return user + g_ascii_strtoull(end, NULL, 10);
}

/* "TIME WAITED TIMES": nanoseconds on a processor, nanoseconds in its queue, times that it got it. */
static void read_schedule(const char *schedule, DtKernelThread *thread)
{
    char *end = NULL;
    thread->microseconds = g_ascii_strtoull(schedule, &end, 10) / 1000;
    thread->queued_us = g_ascii_strtoull(end, &end, 10) / 1000;
    thread->slices = g_ascii_strtoull(end, NULL, 10);
}

DtKernelThread dt_kernel_thread(guint pid, guint tid)
{
    g_autofree char *stat = read_file(pid, tid, "stat");
    g_autofree char *schedule = read_file(pid, tid, "schedstat");
    const char *behind_name = stat ? strrchr(stat, ')') : NULL;
    if (!behind_name || strlen(behind_name) < 3)
        return (DtKernelThread){0};
    const guint64 ticks = (guint64)MAX(sysconf(_SC_CLK_TCK), 1);
    DtKernelThread thread = {.is_known = TRUE, .sleeps = behind_name[2] == 'S', .state = behind_name[2]};
    if (schedule)
        read_schedule(schedule, &thread);
    else
        thread.microseconds = ticks_in(behind_name) * G_USEC_PER_SEC / ticks;
    return thread;
}
