#include "attach/hold.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/running.h"
#include "text/text.h"

enum { LONGEST_WAIT_US = 1000 * 1000, FIRST_PAUSE_US = 20, LONGEST_PAUSE_US = 2000, MOST_ROUNDS = 16 };

/* ---- why it cannot be done ----------------------------------------------------------------------- */

/* A number behind `key` in a file of /proc; -1: none. */
static gint64 number_in(const char *path, const char *key)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return -1;
    const char *at = strstr(text, key);
    return at ? g_ascii_strtoll(at + strlen(key), NULL, 10) : -1;
}

static char *name_of(pid_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/comm", (int)pid);
    char *name = NULL;
    if (!g_file_get_contents(path, &name, NULL, NULL))
        return g_strdup("?");
    return g_strchomp(name);
}

static char *why_forbidden(pid_t pid)
{
    g_autofree char *status = g_strdup_printf("/proc/%d/status", (int)pid);
    g_autofree char *folder = g_strdup_printf("/proc/%d", (int)pid);
    gint64 tracer = number_in(status, "TracerPid:\t");
    gint64 scope = number_in("/proc/sys/kernel/yama/ptrace_scope", "");
    struct stat owner;
    if (tracer > 0) {
        g_autofree char *name = name_of((pid_t)tracer);
        return dt_text_printf("process %d (%s) is already at it, and only one may: end that first", (int)tracer, name);
    }
    if (geteuid() != 0 && stat(folder, &owner) == 0 && owner.st_uid != geteuid()) {
        const struct passwd *user = getpwuid(owner.st_uid);
        if (owner.st_uid == 0) /* its own, or one whose own user may not look into it */
            return g_strdup("only root may look into it: run as root");
        return dt_text_printf("it is another user's: run as %s or as root", user ? user->pw_name : "its user");
    }
    if (scope == 3)
        return g_strdup("the kernel forbids ptrace to all (kernel.yama.ptrace_scope is 3)");
    if (scope > 0)
        return dt_text_printf("the kernel lets only %s look into it: run as root, or set kernel.yama.ptrace_scope to 0",
                              scope == 1 ? "its ancestors" : "root");
    return g_strdup("ptrace is not permitted: run as root, in a container with --cap-add=SYS_PTRACE");
}

static char *why_not(pid_t pid, int reason)
{
    DtRunning running;
    if (reason == ESRCH || !dt_running_find(pid, &running))
        return g_strdup("it is gone");
    if (running.state == 'Z' || running.state == 'X')
        return g_strdup("it has ended, and its parent has not yet asked how (a zombie)");
    if (reason == EPERM || reason == EACCES)
        return why_forbidden(pid);
    return dt_text_printf("it cannot be stopped: %s", g_strerror(reason));
}

/* ---- stopping -------------------------------------------------------------------------------------- */

static gboolean is_held(const DtHold *hold, pid_t tid)
{
    for (guint i = 0; i < hold->threads->len; i++)
        if (g_array_index(hold->threads, DtHeldThread, i).tid == tid)
            return TRUE;
    return FALSE;
}

static char state_of(pid_t pid, pid_t tid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/stat", (int)pid, (int)tid), *text = NULL;
    const char *end = g_file_get_contents(path, &text, NULL, NULL) ? strrchr(text, ')') : NULL;
    return end && strlen(end) > 2 ? end[2] : '\0';
}

/* 0, or the error number. What has ended meanwhile is nothing to be told. */
static int seize(DtHold *hold, pid_t tid)
{
    DtHeldThread thread = {.tid = tid, .state = state_of(hold->pid, tid)};
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0) {
        int reason = errno;
        char state = state_of(hold->pid, tid);
        return state == '\0' || state == 'Z' || state == 'X' ? 0 : reason;
    }
    thread.is_asked = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
    g_array_append_val(hold->threads, thread);
    return 0;
}

/* Those that are not held yet; how many there were of these, -1 and *reason if one may not be held. */
static int seize_new_threads(DtHold *hold, int *reason)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)hold->pid);
    g_autoptr(GDir) tasks = g_dir_open(path, 0, NULL);
    int found = 0;
    if (!tasks) {
        *reason = ESRCH;
        return -1;
    }
    for (const char *name; (name = g_dir_read_name(tasks));) {
        pid_t tid = (pid_t)g_ascii_strtoll(name, NULL, 10);
        if (is_held(hold, tid))
            continue;
        guint before = hold->threads->len;
        *reason = seize(hold, tid);
        if (*reason != 0)
            return -1;
        found += (int)(hold->threads->len - before);
    }
    return found;
}

/* TRUE once nothing more is to come of it. */
static gboolean has_stopped(DtHeldThread *thread)
{
    int status;
    pid_t got = waitpid(thread->tid, &status, __WALL | WNOHANG);
    if (got == 0)
        return FALSE;
    thread->is_asked = FALSE;
    thread->is_stopped = got == thread->tid && WIFSTOPPED(status);
    if (thread->is_stopped && status >> 16 != PTRACE_EVENT_STOP)
        thread->signal = WSTOPSIG(status);
    return TRUE;
}

static guint still_asked(DtHold *hold)
{
    guint asked = 0;
    for (guint i = 0; i < hold->threads->len; i++) {
        DtHeldThread *thread = &g_array_index(hold->threads, DtHeldThread, i);
        asked += thread->is_asked && !has_stopped(thread) ? 1 : 0;
    }
    return asked;
}

static void wait_for_stops(DtHold *hold)
{
    gint64 end = g_get_monotonic_time() + LONGEST_WAIT_US;
    gulong pause = FIRST_PAUSE_US;
    while (still_asked(hold) > 0 && g_get_monotonic_time() < end) {
        g_usleep(pause);
        pause = MIN(2 * pause, LONGEST_PAUSE_US);
    }
}

/* Threads that were not yet stopped may have made new ones. */
static int stop_all(DtHold *hold)
{
    int reason = 0, found = 1;
    for (guint round = 0; found > 0 && round < MOST_ROUNDS; round++) {
        found = seize_new_threads(hold, &reason);
        wait_for_stops(hold);
    }
    return found < 0 ? reason : hold->threads->len == 0 ? ESRCH : 0;
}

DtHold *dt_hold_new(pid_t pid, char **problem)
{
    g_autoptr(DtHold) hold = g_new0(DtHold, 1);
    hold->pid = pid;
    hold->threads = g_array_new(FALSE, FALSE, sizeof(DtHeldThread));
    int reason = stop_all(hold);
    if (reason == 0)
        return g_steal_pointer(&hold);
    g_clear_pointer(&hold, dt_hold_free);
    *problem = why_not(pid, reason);
    return NULL;
}

/* One that is in uninterruptible sleep cannot be let go before it wakes: the kernel does that when we end. */
void dt_hold_free(DtHold *hold)
{
    if (!hold)
        return;
    for (guint i = 0; i < hold->threads->len; i++) {
        DtHeldThread *thread = &g_array_index(hold->threads, DtHeldThread, i);
        if (thread->is_stopped || (thread->is_asked && has_stopped(thread) && thread->is_stopped))
            (void)ptrace(PTRACE_DETACH, thread->tid, NULL, GINT_TO_POINTER(thread->signal));
    }
    g_array_unref(hold->threads);
    g_free(hold);
}
