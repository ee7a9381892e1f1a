#include "attach/motion.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread that polls has looked whether it can go on if it had a processor for so long, or so often: each stop of ours
 * gives it a turn as well. */
static const guint64 FEWEST_NS = 20 * 1000 * 1000, FEWEST_TURNS = 40;

static gboolean read_times(pid_t pid, pid_t tid, guint64 *ran, guint64 *turns)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/schedstat", (int)pid, (int)tid), *text = NULL;
    char *end = NULL;
    *ran = *turns = 0;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return FALSE;
    *ran = g_ascii_strtoull(text, &end, 10);
    (void)g_ascii_strtoull(end, &end, 10);
    *turns = g_ascii_strtoull(end, NULL, 10);
    return TRUE;
}

static int count_at(pid_t tid, guint64 address)
{
    struct perf_event_attr wanted = {.type = PERF_TYPE_BREAKPOINT,
                                     .size = sizeof wanted,
                                     .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .bp_type = HW_BREAKPOINT_X,
                                     .bp_addr = address,
                                     .bp_len = sizeof(long)};
    return (int)syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void dt_motion_begin(DtMotionStart *start, pid_t pid, pid_t tid, guint64 return_address)
{
    start->counter = return_address != 0 ? count_at(tid, return_address) : -1;
    (void)read_times(pid, tid, &start->ran_ns, &start->turns);
}

gboolean dt_motion_has_returned(const DtMotionStart *start, gboolean *certain)
{
    struct {
        guint64 value, enabled, running;
    } count;
    gboolean is_read = start->counter >= 0 && read(start->counter, &count, sizeof count) == sizeof count;
    *certain = is_read && (count.value > 0 || count.enabled == count.running);
    return is_read && count.value > 0;
}

gboolean dt_motion_is_starved(const DtMotionStart *start, pid_t pid, pid_t tid)
{
    guint64 ran, turns;
    return read_times(pid, tid, &ran, &turns) && ran < start->ran_ns + FEWEST_NS && turns < start->turns + FEWEST_TURNS;
}

void dt_motion_end(DtMotionStart *start)
{
    if (start->counter >= 0)
        (void)close(start->counter);
    start->counter = -1;
}
