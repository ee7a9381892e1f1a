#include "agent/ending.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/rights.h"
#include "base/running.h"
#include "store/ends.h"

enum {
    JUST_GONE_US =
        2 * G_USEC_PER_SEC,         /* before the ending: a launcher has ended its ranks, as one on another node went */
    KILLED_US = 2 * G_USEC_PER_SEC, /* for them to go after SIGKILL */
    OTHERS_TELL_US = 300 * 1000     /* for whoever waits for them to note how they ended */
};

/* A process that is to go. */
typedef struct {
    pid_t pid;
    guint64 start; /* in the kernel's ticks: with the pid it names the process */
    gboolean is_recorded, is_killed;
    guint64 start_ns; /* of the recorded one, as its file has it */
    gint64 gone_us;   /* 0: it is there */
} Target;

struct DtEnding {
    DtLive *live;
    GArray *targets; /* (element-type Target) */
    gint64 kill_us;
};

static gboolean is_alive(const DtRunning *process)
{
    return process->state != 'Z' && process->state != 'X';
}

/* The number may be another process's by now: a recorded one has its file mapped. */
static gboolean has_mapped(guint pid, const char *file)
{
    g_autofree char *path = g_strdup_printf("/proc/%u/maps", pid), *name = g_path_get_basename(file);
    g_autofree char *maps = NULL;
    return g_file_get_contents(path, &maps, NULL, NULL) && strstr(maps, name);
}

static Target *find_target(const DtEnding *ending, const DtRunning *process)
{
    for (guint i = 0; i < ending->targets->len; i++) {
        Target *target = &g_array_index(ending->targets, Target, i);
        if (target->pid == process->pid && target->start == process->start)
            return target;
    }
    return NULL;
}

static void add_target(DtEnding *ending, const DtRunning *process, const DtLiveProcess *recorded)
{
    const Target added = {process->pid, process->start, FALSE, FALSE, 0, 0};
    Target *target = find_target(ending, process);
    if (process->pid == getpid() || !is_alive(process))
        return;
    if (!target) {
        g_array_append_val(ending->targets, added);
        target = &g_array_index(ending->targets, Target, ending->targets->len - 1);
    }
    target->is_recorded = target->is_recorded || recorded;
    target->start_ns = recorded ? recorded->start_ns : target->start_ns;
}

static void find_targets(DtEnding *ending)
{
    guint ended;
    for (guint i = 0; i < dt_live_process_count(ending->live, &ended); i++) {
        const DtLiveProcess *recorded = dt_live_process(ending->live, i);
        DtRunning process;
        if (!recorded->is_here || recorded->ended || !dt_running_find((pid_t)recorded->pid, &process) ||
            !has_mapped(recorded->pid, recorded->file))
            continue;
        add_target(ending, &process, recorded);
        g_autoptr(GArray) descendants = dt_running_descendants(process.pid);
        for (guint d = 0; d < descendants->len; d++)
            add_target(ending, &g_array_index(descendants, DtRunning, d), NULL);
    }
}

static gboolean is_target(const DtEnding *ending, const DtLiveProcess *recorded)
{
    for (guint i = 0; i < ending->targets->len; i++) {
        const Target *target = &g_array_index(ending->targets, Target, i);
        if (target->is_recorded && target->pid == (pid_t)recorded->pid && target->start_ns == recorded->start_ns)
            return TRUE;
    }
    return FALSE;
}

/* A launcher's daemon may be quicker than this agent's message: Hydra's sends SIGKILL to its ranks when one on another
 * node has gone. Nobody waits for them who tells, so they are told of here: those that are no targets, as they have
 * ended or have no memory any more. */
static void find_just_gone(DtEnding *ending)
{
    guint ended;
    const gint64 now = g_get_monotonic_time();
    for (guint i = 0; i < dt_live_process_count(ending->live, &ended); i++) {
        const DtLiveProcess *recorded = dt_live_process(ending->live, i);
        const gint64 gone_us = recorded->ended ? recorded->ended_us : now;
        const Target gone = {(pid_t)recorded->pid, 0, TRUE, TRUE, recorded->start_ns, gone_us};
        if (recorded->is_here && !recorded->told_end && now - gone_us < JUST_GONE_US && !is_target(ending, recorded))
            g_array_append_val(ending->targets, gone);
    }
}

static gboolean is_there(const Target *target)
{
    DtRunning process;
    return dt_running_find(target->pid, &process) && process.start == target->start && is_alive(&process);
}

static void signal_targets(DtEnding *ending, int number)
{
    for (guint i = 0; i < ending->targets->len; i++) {
        Target *target = &g_array_index(ending->targets, Target, i);
        if (target->gone_us != 0 || !is_there(target))
            continue;
        target->is_killed = target->is_killed || number == SIGKILL;
        (void)kill(target->pid, number);
    }
}

DtEnding *dt_ending_new(DtLive *live, guint grace_ms)
{
    DtEnding *ending = g_new0(DtEnding, 1);
    ending->live = live;
    ending->targets = g_array_new(FALSE, FALSE, sizeof(Target));
    ending->kill_us = g_get_monotonic_time() + (gint64)grace_ms * 1000;
    find_targets(ending);
    find_just_gone(ending);
    signal_targets(ending, SIGTERM);
    signal_targets(ending, SIGCONT); /* a stopped process sees it only then */
    return ending;
}

void dt_ending_free(DtEnding *ending)
{
    if (!ending)
        return;
    g_array_unref(ending->targets);
    g_free(ending);
}

/* ---- how they ended ---------------------------------------------------------------------------------- */

static gboolean is_told_by_others(const GArray *ends, const Target *target)
{
    for (guint i = 0; i < ends->len; i++) {
        const DtSeenEnd *seen = &g_array_index(ends, DtSeenEnd, i);
        if (seen->pid == (guint)target->pid && g_strcmp0(seen->host, g_get_host_name()) == 0)
            return TRUE;
    }
    return FALSE;
}

static gboolean is_told_by_file(const DtEnding *ending, const Target *target)
{
    guint ended;
    for (guint i = 0; i < dt_live_process_count(ending->live, &ended); i++) {
        const DtLiveProcess *process = dt_live_process(ending->live, i);
        if (process->pid == (guint)target->pid && process->start_ns == target->start_ns)
            return process->told_end;
    }
    return FALSE;
}

static void clear_seen(gpointer data)
{
    g_free(((DtSeenEnd *)data)->host);
}

static void note_ends(const DtEnding *ending)
{
    const char *run = dt_live_path(ending->live);
    g_autofree char *path = g_build_filename(run, "ends.log", NULL);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(DtSeenEnd));
    g_array_set_clear_func(ends, clear_seen);
    dt_ends_load(run, ends, problems);
    const gint log =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, dt_mode_beside(path, 0644));
    for (guint i = 0; log >= 0 && i < ending->targets->len; i++) {
        const Target *target = &g_array_index(ending->targets, Target, i);
        if (!target->is_recorded || target->gone_us == 0 || is_told_by_file(ending, target) ||
            is_told_by_others(ends, target))
            continue;
        g_autofree char *line =
            g_strdup_printf("%s %d signal %d %" G_GINT64_FORMAT "\n", g_get_host_name(), target->pid,
                            target->is_killed ? SIGKILL : SIGTERM, target->gone_us * 1000);
        if (write(log, line, strlen(line)) < 0)
            break;
    }
    if (log >= 0)
        close(log);
}

/* ---- until they are gone ------------------------------------------------------------------------------ */

static guint count_left(DtEnding *ending, gint64 now, gint64 *last_gone_us)
{
    guint left = 0;
    for (guint i = 0; i < ending->targets->len; i++) {
        Target *target = &g_array_index(ending->targets, Target, i);
        if (target->gone_us == 0 && !is_there(target))
            target->gone_us = now;
        left += target->gone_us == 0 ? 1 : 0;
        *last_gone_us = MAX(*last_gone_us, target->gone_us);
    }
    return left;
}

gboolean dt_ending_go_on(DtEnding *ending, guint *ended, guint *left)
{
    const gint64 now = g_get_monotonic_time();
    gint64 last_gone_us = 0;
    if (now >= ending->kill_us) {
        find_targets(ending); /* those that came meanwhile */
        signal_targets(ending, SIGKILL);
    }
    *left = count_left(ending, now, &last_gone_us);
    *ended = ending->targets->len - *left;
    if (*left > 0 ? now < ending->kill_us + KILLED_US : now < last_gone_us + OTHERS_TELL_US)
        return FALSE;
    note_ends(ending);
    return TRUE;
}
