#include "collect/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program is replaced by a new one while it runs only if somebody installs it: then nobody watches. */
#define OWN_PROGRAM "/proc/self/exe"
#define QUESTION    "stuck?\n"
#define NO          "no\n"

static void become_watcher(const char *run, gdouble seconds, const gint to[2], const gint from[2], const sigset_t *mask)
{
    char option[64], number[G_ASCII_DTOSTR_BUF_SIZE];
    g_snprintf(option, sizeof(option), "--until-stuck=%s", g_ascii_dtostr(number, sizeof(number), seconds));
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0)
        _exit(127);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execl(OWN_PROGRAM, "difftrace", "watch", "--quiet", option, "--confirm", "--", run, (char *)NULL);
    _exit(127);
}

/* What it writes wakes us as its end does. */
static void ask_for_signals(gint descriptor)
{
    (void)fcntl(descriptor, F_SETOWN, getpid());
    (void)fcntl(descriptor, F_SETSIG, SIGCHLD);
    (void)fcntl(descriptor, F_SETFL, O_ASYNC | O_NONBLOCK);
}

static void close_both(const gint ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

DtWatcher dt_watcher_start(const char *run, gdouble seconds, const sigset_t *mask)
{
    DtWatcher watcher = {.input = -1, .output = -1};
    gint to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0)
        return watcher;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close_both(to);
        return watcher;
    }
    const pid_t collector = getpid();
    watcher.pid = fork();
    if (watcher.pid == 0 && getppid() == collector)
        become_watcher(run, seconds, to, from, mask);
    if (watcher.pid == 0)
        _exit(127);
    if (watcher.pid < 0) {
        close_both(to);
        close_both(from);
        return (DtWatcher){.input = -1, .output = -1};
    }
    close(to[0]);
    close(from[1]);
    watcher.input = to[1];
    watcher.output = from[0];
    ask_for_signals(watcher.output);
    return watcher;
}

/* Up to the end of a line that is `until`, or of all. Waits for it. */
static char *read_until(gint descriptor, const char *until)
{
    GString *text = g_string_new(NULL);
    char part[4096];
    gssize bytes;
    while (!g_str_has_suffix(text->str, until) &&
           ((bytes = read(descriptor, part, sizeof(part))) > 0 || (bytes < 0 && (errno == EINTR || errno == EAGAIN)))) {
        struct pollfd waited = {descriptor, POLLIN, 0};
        if (bytes > 0)
            g_string_append_len(text, part, bytes);
        else if (errno == EAGAIN)
            (void)poll(&waited, 1, -1);
    }
    return g_string_free(text, FALSE);
}

gboolean dt_watcher_asks(DtWatcher *watcher)
{
    struct pollfd ready = {watcher->output, POLLIN, 0};
    if (watcher->output < 0 || poll(&ready, 1, 0) <= 0 || !(ready.revents & POLLIN))
        return FALSE;
    g_autofree char *text = read_until(watcher->output, QUESTION);
    return g_str_has_suffix(text, QUESTION);
}

char *dt_watcher_confirm(DtWatcher *watcher)
{
    if (write(watcher->input, "\n", 1) != 1)
        return NULL;
    g_autofree char *text = read_until(watcher->output, NO);
    return *text == '\0' || g_str_has_suffix(text, NO) ? NULL : g_steal_pointer(&text);
}

void dt_watcher_stop(DtWatcher *watcher)
{
    if (watcher->pid > 0 && !watcher->has_ended) {
        (void)kill(watcher->pid, SIGKILL);
        while (waitpid(watcher->pid, &watcher->status, 0) < 0 && errno == EINTR) {
        }
        watcher->has_ended = TRUE;
    }
    if (watcher->output >= 0)
        close(watcher->output);
    if (watcher->input >= 0)
        close(watcher->input);
    watcher->input = watcher->output = -1;
}
