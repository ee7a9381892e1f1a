/* How children end: whoever waits for them learns it, the launcher of ranks above all. The wait functions of the C
 * library are replaced by ours, which pass on what they get and note it in RUN/ends.log. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/signals/signals.h"
#include "record/process.h"
#include "record/unrecorded.h"

#define DT_EXPORTED __attribute__((visibility("default")))

static bool is_daemon(void)
{
    return dt_process.options.launcher && dt_process.header && dt_is_launcher(dt_process.header->executable);
}

/* A launcher that learns of a death by a closed socket kills the other ranks before it waits for any, and gets them in
 * any order: of those that are dead at the same time nobody knows who was first, and they get the same time. */
static uint64_t time_of_end(void)
{
    static _Atomic uint64_t with_others;
    siginfo_t other = {.si_pid = 0};
    uint64_t now = with_others ? with_others : dt_sys_clock(CLOCK_MONOTONIC);
    bool others = is_daemon() && dt_may_call(SYS_waitid, 0, 0) &&
                  syscall(SYS_waitid, P_ALL, 0, &other, WEXITED | WNOHANG | WNOWAIT, NULL) == 0 && other.si_pid > 0;
    with_others = others ? now : 0;
    return now;
}

static void note(pid_t pid, const char *what, int status)
{
    char host[65] = "", line[160];
    /* The host's name is asked for by a system call. */
    if (pid <= 0 || !dt_process.options.run[0] || !dt_may_call(SYS_uname, 0, 0))
        return;
    int before = errno;
    dt_guard++;
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        snprintf(host, sizeof host, "localhost");
    int bytes = snprintf(line, sizeof line, "%s %d %s %d %llu\n", host, (int)pid, what, status,
                         (unsigned long long)time_of_end());
    dt_run_log("/ends.log", line, (size_t)bytes);
    dt_guard--;
    errno = before;
}

static void note_end(pid_t pid, bool by_signal, int status)
{
    note(pid, by_signal ? "signal" : "exited", status);
}

/* A daemon does not wait for ranks that it kills. Those whose end it has not told end after it has left. */
__attribute__((destructor)) static void note_daemon(void)
{
    if (is_daemon())
        note((pid_t)dt_sys_pid(), "left", 0);
}

static void note_status(pid_t pid, int status)
{
    if (WIFEXITED(status))
        note_end(pid, false, WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        note_end(pid, true, WTERMSIG(status));
}

DT_EXPORTED pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    static pid_t (*next)(pid_t, int *, int, struct rusage *);
    int own = 0, *told = status ? status : &own; /* the kernel answers EFAULT where it cannot write */
    if (!next)
        *(void **)&next = dt_hidden_function("wait4");
    pid_t ended = next(pid, told, options, usage);
    if (ended > 0)
        note_status(ended, *told);
    return ended;
}

DT_EXPORTED pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait4(-1, status, options, usage);
}

DT_EXPORTED pid_t waitpid(pid_t pid, int *status, int options)
{
    static pid_t (*next)(pid_t, int *, int);
    int own = 0, *told = status ? status : &own;
    if (!next)
        *(void **)&next = dt_hidden_function("waitpid");
    pid_t ended = next(pid, told, options);
    if (ended > 0)
        note_status(ended, *told);
    return ended;
}

DT_EXPORTED pid_t wait(int *status)
{
    return waitpid(-1, status, 0);
}

DT_EXPORTED int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    static int (*next)(idtype_t, id_t, siginfo_t *, int);
    siginfo_t own;
    memset(&own, 0, sizeof own);
    if (!next)
        *(void **)&next = dt_hidden_function("waitid");
    int result = next(type, id, info ? info : &own, options);
    const siginfo_t *seen = info ? info : &own;
    if (result == 0 && (options & WEXITED) && !(options & WNOWAIT)) {
        if (seen->si_code == CLD_EXITED)
            note_end(seen->si_pid, false, seen->si_status & 0xff);
        else if (seen->si_code == CLD_KILLED || seen->si_code == CLD_DUMPED)
            note_end(seen->si_pid, true, seen->si_status);
    }
    return result;
}
