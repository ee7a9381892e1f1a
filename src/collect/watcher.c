#include "collect/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program is replaced by a new one while it runs only if somebody installs it: then nobody watches. */
#define OWN_PROGRAM "/proc/self/exe"
enum { STUCK = 1 }; /* its exit status */

DtWatcher dt_watcher_start(const char *run, gdouble seconds, const sigset_t *mask)
{
    DtWatcher watcher = {.output = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return watcher;
    char option[64], number[G_ASCII_DTOSTR_BUF_SIZE];
    g_snprintf(option, sizeof(option), "--until-stuck=%s", g_ascii_dtostr(number, sizeof(number), seconds));
    const pid_t collector = getpid();
    watcher.pid = fork();
    if (watcher.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != collector || dup2(ends[1], STDOUT_FILENO) < 0)
            _exit(127);
        sigprocmask(SIG_SETMASK, mask, NULL);
        execl(OWN_PROGRAM, "difftrace", "watch", "--quiet", option, "--", run, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    watcher.output = ends[0];
    if (watcher.pid > 0)
        return watcher;
    close(ends[0]);
    return (DtWatcher){.output = -1};
}

char *dt_watcher_verdict(DtWatcher *watcher)
{
    GString *text = g_string_new(NULL);
    char part[4096];
    gssize bytes;
    while ((bytes = read(watcher->output, part, sizeof(part))) > 0 || (bytes < 0 && errno == EINTR))
        g_string_append_len(text, part, MAX(bytes, 0));
    gboolean is_stuck = WIFEXITED(watcher->status) && WEXITSTATUS(watcher->status) == STUCK;
    return g_string_free(text, !is_stuck);
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
    watcher->output = -1;
}
