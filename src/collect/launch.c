/* Launching: fork, exec, and one loop over the signals that come meanwhile. The command stays in our process group, as
 * it would be without us, so that the terminal's Ctrl-C and Ctrl-Z reach it directly. */
#include "collect/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/collect.h"
#include "collect/descendants.h"
#include "collect/looks.h"
#include "collect/untraced.h"
#include "text/text.h"

enum { GRACE_SECONDS = 5, KILL_ROUNDS = 50 };
/* Between the looks: this part of the time limit, but at least the other, if the limit has as much. */
static const double LOOKED_PART = 0.1, LOOKED_SECONDS = 1;
static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* What the command must find as we found it. */
typedef struct {
    sigset_t mask;
    struct sigaction child_action;
} SignalState;

typedef enum { PHASE_RUNNING, PHASE_TERMINATING } Phase;

void dt_launched_clear(DtLaunched *launched)
{
    g_clear_pointer(&launched->ended, g_array_unref);
    g_clear_pointer(&launched->untraced, g_ptr_array_unref);
    g_clear_pointer(&launched->looks, g_array_unref);
}

static void take_signals(SignalState *before, sigset_t *waited)
{
    sigemptyset(waited);
    sigaddset(waited, SIGCHLD);
    for (guint i = 0; i < G_N_ELEMENTS(passed_on); i++)
        sigaddset(waited, passed_on[i]);
    sigprocmask(SIG_BLOCK, waited, &before->mask);
    /* An ignored SIGCHLD, inherited, would take the exit statuses from us. */
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &standard, &before->child_action);
}

static void give_signals_back(const SignalState *before)
{
    sigaction(SIGCHLD, &before->child_action, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* Returns the pid, or -1 with errno. An exec that fails tells its errno through the pipe, which a good one closes. */
static pid_t start(char *const *arguments, char *const *environment, const SignalState *before)
{
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        give_signals_back(before);
        execvpe(arguments[0], arguments, environment);
        int problem = errno;
        gssize written = write(pipe_ends[1], &problem, sizeof problem);
        _exit(written == (gssize)sizeof problem ? 127 : 126);
    }
    int problem = pid < 0 ? errno : 0;
    close(pipe_ends[1]);
    gssize got = 0;
    while (pid > 0 && (got = read(pipe_ends[0], &problem, sizeof problem)) < 0 && errno == EINTR) {
    }
    close(pipe_ends[0]);
    if (got == (gssize)sizeof problem) {
        waitpid(pid, NULL, 0);
        pid = -1;
    }
    errno = problem;
    return pid;
}

/* The next that ended, which stays; 0: there is none. */
static pid_t find_ended(void)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
}

/* Before it is reaped. */
static void read_name(DtEndedChild *child)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/comm", child->pid);
    g_autofree char *name = NULL;
    if (g_file_get_contents(path, &name, NULL, NULL))
        g_strlcpy(child->name, g_strchomp(name), sizeof child->name);
}

/* Reaps all that ended; TRUE once the command is among them. */
static gboolean reap(DtLaunched *launched)
{
    gboolean command_ended = FALSE;
    int status;
    for (pid_t pid; (pid = find_ended()) > 0;) {
        DtEndedChild child = {.pid = pid, .time_us = g_get_monotonic_time()};
        read_name(&child);
        g_strlcpy(child.host, g_get_host_name(), sizeof(child.host));
        if (waitpid(pid, &status, WNOHANG) != pid)
            break;
        child.by_signal = WIFSIGNALED(status);
        child.status = child.by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
        g_array_append_val(launched->ended, child);
        if (pid != launched->pid)
            continue;
        command_ended = TRUE;
        launched->signal_number = child.by_signal ? child.status : 0;
        launched->exit_status = child.by_signal ? 128 + child.status : child.status;
    }
    return command_ended;
}

/* A signal from the terminal has reached the command too; one sent to us alone has not. */
static void pass_on(const siginfo_t *info, DtLaunched *launched)
{
    if (info->si_signo != SIGUSR1 && info->si_signo != SIGUSR2 && launched->ending_us == 0)
        launched->ending_us = g_get_real_time();
    if (info->si_code <= 0)
        (void)kill(launched->pid, info->si_signo);
}

static struct timespec until(gint64 deadline)
{
    gint64 left = MAX(deadline - g_get_monotonic_time(), 0);
    return (struct timespec){.tv_sec = left / G_USEC_PER_SEC, .tv_nsec = left % G_USEC_PER_SEC * 1000};
}

/* A process may fork while we look: until none is left, or those left cannot be killed. */
static void kill_all(DtLaunched *launched)
{
    for (guint round = 0; round < KILL_ROUNDS && dt_descendants_signal(SIGKILL) > 0; round++) {
        g_usleep(20 * 1000);
        reap(launched);
    }
    reap(launched);
}

/* After a timeout all descendants have to be gone, not only the command. */
static gboolean is_over(Phase phase, gboolean command_ended)
{
    if (phase == PHASE_RUNNING)
        return command_ended;
    g_autoptr(GArray) alive = dt_descendants();
    return alive->len == 0;
}

/* When to look first at how far the job has come. */
static gint64 first_look(gint64 begin, gdouble timeout)
{
    gdouble before = MIN(MAX(LOOKED_PART * timeout, LOOKED_SECONDS), timeout / 2);
    return timeout > 0 ? begin + (gint64)((timeout - before) * G_USEC_PER_SEC) : G_MAXINT64;
}

static void end_all(const char *run, DtLaunched *launched)
{
    launched->timed_out = TRUE;
    g_ptr_array_unref(launched->untraced);
    launched->untraced = dt_untraced_descendants();
    dt_look(run, launched->looks, TRUE);
    launched->ending_us = g_get_real_time();
    dt_descendants_terminate();
}

static void wait_for_end(const char *run, DtLaunched *launched, const sigset_t *waited, gint64 begin, gdouble timeout)
{
    gint64 deadline = timeout > 0 ? begin + (gint64)(timeout * G_USEC_PER_SEC) : G_MAXINT64;
    gint64 look = first_look(begin, timeout);
    Phase phase = PHASE_RUNNING;
    gboolean command_ended = reap(launched);
    while (!is_over(phase, command_ended)) {
        /* Descendants that are not our children end without a signal to us. */
        gint64 wake = phase == PHASE_RUNNING ? MIN(look, deadline) : MIN(deadline, g_get_monotonic_time() + 50 * 1000);
        struct timespec left = until(wake);
        siginfo_t info;
        int signal_number = sigtimedwait(waited, &info, deadline == G_MAXINT64 ? NULL : &left);
        if (signal_number == SIGCHLD)
            command_ended = reap(launched) || command_ended;
        else if (signal_number > 0)
            pass_on(&info, launched);
        if (g_get_monotonic_time() >= look) {
            dt_look(run, launched->looks, FALSE);
            look = G_MAXINT64;
        }
        if (g_get_monotonic_time() < deadline || is_over(phase, command_ended))
            continue;
        if (phase == PHASE_TERMINATING) {
            kill_all(launched);
            return;
        }
        phase = PHASE_TERMINATING;
        end_all(run, launched);
        deadline = g_get_monotonic_time() + GRACE_SECONDS * G_USEC_PER_SEC;
    }
    reap(launched);
}

gboolean dt_launch(const char *run, char *const *arguments, char *const *environment, gdouble timeout,
                   DtLaunched *launched, GError **error)
{
    *launched = (DtLaunched){.ended = g_array_new(FALSE, FALSE, sizeof(DtEndedChild)),
                             .untraced = g_ptr_array_new(),
                             .looks = g_array_new(FALSE, FALSE, sizeof(DtLookedAt))};
    SignalState before;
    sigset_t waited;
    take_signals(&before, &waited);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    gint64 begin = g_get_monotonic_time();
    launched->pid = start(arguments, environment, &before);
    if (launched->pid < 0) {
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_COMMAND, "cannot start '%s': %s", arguments[0],
                     g_strerror(errno));
    } else {
        wait_for_end(run, launched, &waited, begin, timeout);
        launched->seconds = (gdouble)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    give_signals_back(&before);
    return launched->pid > 0;
}
