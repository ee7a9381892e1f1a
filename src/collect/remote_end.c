#include "collect/remote_end.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/agents_folder.h"

#define OWN_PROGRAM "/proc/self/exe"

/* It tells whom it has asked, or ends. */
static void wait_for_line(gint from)
{
    enum { MOST_MS = 3000 };
    struct pollfd waited = {from, POLLIN, 0};
    (void)poll(&waited, 1, MOST_MS);
}

/* As one that neither the terminal's signals reach nor those that are for the job. */
static void be_agent(const char *what, const char *run)
{
    sigset_t none;
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execl(OWN_PROGRAM, "difftrace", "agent", what, "--", run, (char *)NULL);
    _exit(127);
}

pid_t dt_remote_end_start(const char *run)
{
    g_autoptr(GPtrArray) hosts = dt_agents_folder_hosts(run);
    gint ends[2];
    if (hosts->len == 0)
        return 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    const pid_t pid = fork();
    if (pid != 0) {
        close(ends[1]);
        if (pid > 0)
            wait_for_line(ends[0]);
        close(ends[0]);
        return pid;
    }
    (void)dup2(ends[1], STDOUT_FILENO);
    be_agent("--end", run);
    return -1; /* never */
}

void dt_remote_files_gather(const char *run)
{
    g_autoptr(GPtrArray) hosts = dt_agents_folder_hosts(run);
    if (hosts->len == 0)
        return;
    const pid_t pid = fork();
    if (pid == 0)
        be_agent("--gather", run);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}
