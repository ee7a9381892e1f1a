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
#include "collect/remote_end.h"
#include "collect/untraced.h"
#include "collect/watcher.h"
#include "text/text.h"

enum { GRACE_SECONDS = 5, KILL_ROUNDS = 500, MOST_REMOTE_SECONDS = 15, MOST_ON_STUCK_SECONDS = 60 };
/* Between the looks: this part of the time limit, but at least the other, if the limit has as much. */
static const double LOOKED_PART = 0.1, LOOKED_SECONDS = 1;
static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* What the command must find as we found it. */
typedef struct {
    sigset_t mask;
    struct sigaction child_action;
} SignalState;

typedef enum { PHASE_RUNNING, PHASE_TERMINATING } Phase;

/* A command that runs. */
typedef struct {
    const char *run;
    const DtLaunchLimits *limits;
    DtLaunched *launched;
    GPtrArray *warnings;
    SignalState before;
    sigset_t waited;
    DtWatcher watcher;
    pid_t remote_end;             /* the child that ends processes on other nodes; 0: none */
    gint64 remote_deadline;       /* of it */
    gint64 begin, deadline, look; /* monotonic; the next look at how far the job has come */
    Phase phase;
    gboolean command_ended;
    GArray *ranks; /* of a launcher that has ended, those that are still there (element-type pid_t); NULL: not looked */
} Job;

void dt_launched_clear(DtLaunched *launched)
{
    g_clear_pointer(&launched->ended, g_array_unref);
    g_clear_pointer(&launched->untraced, g_ptr_array_unref);
    g_clear_pointer(&launched->looks, g_array_unref);
    g_clear_pointer(&launched->stuck, g_free);
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

/* Reaps all that ended, the command among them in the end. */
static void reap(Job *job)
{
    DtLaunched *launched = job->launched;
    int status;
    for (pid_t pid; (pid = find_ended()) > 0;) {
        if (pid == job->watcher.pid) {
            job->watcher.has_ended = waitpid(pid, &job->watcher.status, WNOHANG) == pid;
            continue;
        }
        if (pid == job->remote_end) {
            (void)waitpid(pid, &status, WNOHANG);
            job->remote_end = 0;
            continue;
        }
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
        job->command_ended = TRUE;
        launched->signal_number = child.by_signal ? child.status : 0;
        launched->exit_status = child.by_signal ? 128 + child.status : child.status;
    }
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
static void kill_all(Job *job)
{
    for (guint round = 0; round < KILL_ROUNDS && dt_descendants_signal(job->remote_end, SIGKILL) > 0; round++) {
        g_usleep(20 * 1000);
        reap(job);
    }
    reap(job);
}

/* A launcher may end before its ranks are gone. What else is left, a daemon say, is not waited for. */
static gboolean are_ranks_gone(Job *job)
{
    if (!job->ranks)
        job->ranks = dt_ranks_of(job->run);
    g_autoptr(GArray) alive = dt_descendants(0);
    for (guint i = 0; i < alive->len; i++)
        for (guint k = 0; k < job->ranks->len; k++)
            if (g_array_index(alive, pid_t, i) == g_array_index(job->ranks, pid_t, k))
                return FALSE;
    return TRUE;
}

/* After a timeout all descendants have to be gone, not only the command. */
static gboolean is_over(Job *job)
{
    if (job->phase == PHASE_RUNNING)
        return job->command_ended && (!job->limits->waits_for_ranks || are_ranks_gone(job));
    g_autoptr(GArray) alive = dt_descendants(job->remote_end);
    return alive->len == 0 && job->remote_end == 0;
}

/* When to look first at how far the job has come. */
static gint64 first_look(gint64 begin, gdouble timeout)
{
    gdouble before = MIN(MAX(LOOKED_PART * timeout, LOOKED_SECONDS), timeout / 2);
    return timeout > 0 ? begin + (gint64)((timeout - before) * G_USEC_PER_SEC) : G_MAXINT64;
}

static gint64 seconds_from(gint64 begin, gdouble seconds)
{
    return seconds > 0 ? begin + (gint64)(seconds * G_USEC_PER_SEC) : G_MAXINT64;
}

static void end_all(Job *job)
{
    DtLaunched *launched = job->launched;
    dt_watcher_stop(&job->watcher);
    job->phase = PHASE_TERMINATING;
    g_ptr_array_unref(launched->untraced);
    launched->untraced = dt_untraced_descendants();
    if (launched->timed_out || launched->told_to_end > 0)
        dt_look(job->run, launched->looks, TRUE);
    if (launched->ending_us == 0)
        launched->ending_us = g_get_real_time();
    job->remote_end = dt_remote_end_start(job->run);
    if (job->remote_end < 0)
        g_ptr_array_add(job->warnings, g_strdup_printf("processes on other nodes may be left: %s", g_strerror(errno)));
    job->remote_end = MAX(job->remote_end, 0);
    dt_descendants_terminate(job->remote_end);
    job->deadline = seconds_from(g_get_monotonic_time(), GRACE_SECONDS);
    job->remote_deadline = seconds_from(job->deadline, MOST_REMOTE_SECONDS);
}

/* ---- a job that is stuck ------------------------------------------------------------------ */

/* What the user wants to see of the job before it is ended. */
static void run_on_stuck(Job *job)
{
    char *const shell[] = {"/bin/sh", "-c", (char *)job->limits->on_stuck, NULL};
    g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "DIFFTRACE_RUN", job->run, TRUE);
    const gint64 deadline = seconds_from(g_get_monotonic_time(), MOST_ON_STUCK_SECONDS);
    int status = 0;
    pid_t pid = start(shell, environment, &job->before);
    while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
        g_usleep(10 * 1000);
        if (g_get_monotonic_time() > deadline)
            (void)kill(pid, SIGKILL);
    }
    if (pid < 0)
        g_ptr_array_add(job->warnings, g_strdup_printf("--on-stuck: cannot start /bin/sh: %s", g_strerror(errno)));
    else if (WIFSIGNALED(status))
        g_ptr_array_add(job->warnings, g_strdup_printf("--on-stuck: the command was ended by signal %d (%s)",
                                                       WTERMSIG(status), g_strsignal(WTERMSIG(status))));
    else if (WEXITSTATUS(status) != 0)
        g_ptr_array_add(job->warnings,
                        g_strdup_printf("--on-stuck: the command ended with status %d", WEXITSTATUS(status)));
}

/* The watcher has found the job stuck. It is asked once more right before the end: a job may go on, or end by itself.
 */
static void answer_watcher(Job *job)
{
    if (job->phase != PHASE_RUNNING || job->command_ended)
        return;
    if (job->limits->on_stuck)
        run_on_stuck(job);
    g_autofree char *verdict = dt_watcher_confirm(&job->watcher);
    reap(job);
    if (!verdict || job->command_ended)
        return;
    job->launched->stuck = g_steal_pointer(&verdict);
    end_all(job);
}

/* It ends by itself when the job is over. */
static void hear_watcher(Job *job)
{
    const int status = job->watcher.status;
    dt_watcher_stop(&job->watcher);
    if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        g_ptr_array_add(job->warnings,
                        g_strdup("--until-stuck: what watched the job has failed; from then on nobody did"));
}

/* ---- waiting ------------------------------------------------------------------------------ */

/* TRUE if the signal was for us alone and asks for the end: that comes when it has been seen who gets on. */
static gboolean is_asked_to_end(Job *job, const siginfo_t *info)
{
    DtLaunched *launched = job->launched;
    if (info->si_signo != SIGTERM || info->si_code > 0)
        return FALSE;
    if (launched->told_to_end == 0 && job->phase == PHASE_RUNNING) {
        gint64 now = g_get_monotonic_time();
        launched->told_to_end = info->si_signo;
        launched->ending_us = g_get_real_time();
        job->look = MIN(job->look, now);
        job->deadline = MIN(job->deadline, seconds_from(now, LOOKED_SECONDS));
    }
    return TRUE;
}

static void wait_for_signal(Job *job)
{
    /* Descendants that are not our children end without a signal to us. */
    const gboolean sees_ends = job->phase == PHASE_RUNNING && !job->command_ended;
    gint64 wake = sees_ends ? MIN(job->look, job->deadline) : MIN(job->deadline, g_get_monotonic_time() + 50 * 1000);
    struct timespec left = until(wake);
    siginfo_t info;
    int signal_number = sigtimedwait(&job->waited, &info, wake == G_MAXINT64 ? NULL : &left);
    if (signal_number == SIGCHLD)
        reap(job);
    else if (signal_number > 0 && !is_asked_to_end(job, &info))
        pass_on(&info, job->launched);
}

/* What ends processes on other nodes takes longer than ours did; it is not waited for without end. */
static void await_remote_end(Job *job)
{
    const gint64 now = g_get_monotonic_time();
    if (now > job->remote_deadline)
        (void)kill(job->remote_end, SIGKILL);
    job->deadline = now + 50 * 1000;
}

static void wait_for_end(Job *job)
{
    reap(job);
    while (!is_over(job)) {
        wait_for_signal(job);
        if (dt_watcher_asks(&job->watcher))
            answer_watcher(job);
        if (job->watcher.has_ended && job->watcher.output >= 0)
            hear_watcher(job);
        if (g_get_monotonic_time() >= job->look) {
            dt_look(job->run, job->launched->looks, FALSE);
            job->look = G_MAXINT64;
        }
        if (g_get_monotonic_time() < job->deadline || is_over(job))
            continue;
        if (job->phase == PHASE_TERMINATING) {
            kill_all(job);
            if (job->remote_end == 0)
                return;
            await_remote_end(job);
            continue;
        }
        job->launched->timed_out = job->launched->told_to_end == 0;
        end_all(job);
    }
    reap(job);
}

static void start_watcher(Job *job)
{
    if (job->limits->until_stuck <= 0)
        return;
    job->watcher = dt_watcher_start(job->run, job->limits->until_stuck, &job->before.mask);
    if (job->watcher.pid == 0)
        g_ptr_array_add(job->warnings, g_strdup_printf("--until-stuck: nobody watches the job: %s", g_strerror(errno)));
}

gboolean dt_launch(const char *run, char *const *arguments, char *const *environment, const DtLaunchLimits *limits,
                   DtLaunched *launched, GPtrArray *warnings, GError **error)
{
    *launched = (DtLaunched){.ended = g_array_new(FALSE, FALSE, sizeof(DtEndedChild)),
                             .untraced = g_ptr_array_new(),
                             .looks = g_array_new(FALSE, FALSE, sizeof(DtLookedAt))};
    Job job = {.run = run,
               .limits = limits,
               .launched = launched,
               .warnings = warnings,
               .watcher = {.input = -1, .output = -1}};
    take_signals(&job.before, &job.waited);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    job.begin = g_get_monotonic_time();
    job.deadline = seconds_from(job.begin, limits->timeout);
    job.look = first_look(job.begin, limits->timeout);
    launched->pid = start(arguments, environment, &job.before);
    if (launched->pid < 0) {
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_COMMAND, "cannot start '%s': %s", arguments[0],
                     g_strerror(errno));
    } else {
        start_watcher(&job);
        wait_for_end(&job);
        launched->seconds = (gdouble)(g_get_monotonic_time() - job.begin) / G_USEC_PER_SEC;
    }
    dt_watcher_stop(&job.watcher);
    g_clear_pointer(&job.ranks, g_array_unref);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    give_signals_back(&job.before);
    return launched->pid > 0;
}
