/* The first process of the run on a node starts the node's agent: neither a child of the program's that it could wait
 * for, nor a signal to it, nor a descriptor that it has. */
#include "native/agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/process.h"
#include "record/unrecorded.h"

enum { MOST_VARIABLES = 4096, PATH_BYTES = sizeof dt_process.options.run + 128 };

static bool begins_with(const char *text, const char *begin)
{
    while (*begin && *text == *begin)
        text++, begin++;
    return !*begin;
}

/* Nothing that would have the agent recorded, or other than who starts it by hand. False: there are too many. */
static bool choose_environment(const char **chosen)
{
    size_t count = 0;
    for (char **variable = environ; variable && *variable; variable++) {
        if (begins_with(*variable, "LD_PRELOAD=") || begins_with(*variable, "DIFFTRACE_"))
            continue;
        if (count + 1 == MOST_VARIABLES)
            return false;
        chosen[count++] = *variable;
    }
    chosen[count] = NULL;
    return true;
}

/* Where the run is on this node's own disk, the way to the agents' folder is made here. An earlier run of the same name
 * may have left one. */
static void make_way(void)
{
    const char *folder = getenv("DIFFTRACE_AGENTS_FOLDER");
    char way[PATH_BYTES], there[PATH_BYTES];
    char *end = way + sizeof way;
    if (!folder || !*folder)
        return;
    dt_line_append(dt_line_append(way, end, dt_process.options.run), end, "/agents");
    if (dt_syscall(SYS_symlink, (long)folder, (long)way, 0, 0, 0, 0) != -EEXIST)
        return;
    long bytes = dt_syscall(SYS_readlink, (long)way, (long)there, sizeof there - 1, 0, 0, 0);
    if (dt_failed(bytes))
        return;
    there[bytes] = 0;
    if (strcmp(there, folder) == 0)
        return;
    dt_syscall(SYS_unlink, (long)way, 0, 0, 0, 0, 0);
    dt_syscall(SYS_symlink, (long)folder, (long)way, 0, 0, 0, 0);
}

/* RUN/agents/HOST.agent: only one process makes it. */
static bool is_first(char *path)
{
    char host[65] = "", *end = path + PATH_BYTES;
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        return false;
    char *to = dt_line_append(path, end, dt_process.options.run);
    to = dt_line_append(to, end, "/agents/");
    to = dt_line_append(to, end, host);
    dt_line_append(to, end, ".agent");
    long fd = dt_syscall(SYS_open, (long)path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0, 0);
    if (dt_failed(fd))
        return false;
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return true;
}

/* As fork() does it, without what the C library does, and without a signal when the child ends. */
static long make_child(void)
{
    return dt_syscall(SYS_clone, 0, 0, 0, 0, 0, 0);
}

static void leave(void)
{
    dt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* All descriptors go: who waits until the program has closed its output must not wait for the agent. */
static void take_null(void)
{
    enum { MOST = 65536 }; /* where the kernel is older than Linux 5.9 */
    if (dt_failed(dt_syscall(SYS_close_range, 0, ~0u, 0, 0, 0, 0)))
        for (int fd = 0; fd < MOST; fd++)
            dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    dt_syscall(SYS_open, (long)"/dev/null", O_RDWR, 0, 0, 0, 0);
    dt_syscall(SYS_dup2, 0, 1, 0, 0, 0, 0);
    dt_syscall(SYS_dup2, 0, 2, 0, 0, 0, 0);
}

static void be_agent(const char *program, const char *place, const char *const *environment)
{
    const char *const arguments[] = {"difftrace", "agent", "--quiet", "--", dt_process.options.run, NULL};
    const uint64_t none = 0;
    take_null();
    dt_syscall(SYS_chdir, (long)"/", 0, 0, 0, 0, 0);
    dt_syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)&none, 0, sizeof none, 0, 0);
    dt_syscall(SYS_execve, (long)program, (long)arguments, (long)environment, 0, 0, 0);
    dt_syscall(SYS_unlink, (long)place, 0, 0, 0, 0, 0);
    leave();
}

void dt_agent_start(void)
{
    static const char *environment[MOST_VARIABLES];
    char place[PATH_BYTES];
    const char *program = getenv("DIFFTRACE_AGENT");
    if (!program || !*program || !dt_process.options.elsewhere || !choose_environment(environment))
        return;
    make_way();
    if (!is_first(place))
        return;
    long child = make_child();
    if (child == 0) {
        dt_syscall(SYS_setsid, 0, 0, 0, 0, 0, 0);
        if (make_child() == 0)
            be_agent(program, place, environment);
        leave();
    }
    /* The agent's parent is whoever takes orphans. */
    while (!dt_failed(child) && dt_syscall(SYS_wait4, child, 0, __WALL, 0, 0, 0) == -EINTR) {
    }
}
