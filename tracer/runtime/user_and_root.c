/* Calls after which the path of the trace file may lead nowhere, or to a file that the process may not change: another
 * user, another root directory. Once a process has made one it cannot make the file larger, so that it is made larger
 * before. */
#include <errno.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/types.h>
#include <unistd.h>

#include "signals.h"
#include "system.h"

#define DT_EXPORTED __attribute__((visibility("default")))

static void prepare(bool changes)
{
    int before = errno;
    dt_guard++;
    if (changes)
        dt_writer_size_ahead();
    dt_guard--;
    errno = before;
}

/* -1 stands for "as it is". */
static bool is_other_user(uid_t user)
{
    return user != (uid_t)-1 && user != (uid_t)dt_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

/* Defines `result name parameters`, which prepares if `changes` and calls the C library's. */
#define DT_CHANGE(result, name, changes, parameters, arguments)                                                        \
    DT_EXPORTED result name parameters                                                                                 \
    {                                                                                                                  \
        static result(*next) parameters;                                                                               \
        if (!next)                                                                                                     \
            *(void **)&next = dt_hidden_function(#name);                                                               \
        prepare(changes);                                                                                              \
        return next arguments;                                                                                         \
    }

DT_CHANGE(int, setuid, is_other_user(user), (uid_t user), (user))
DT_CHANGE(int, seteuid, is_other_user(user), (uid_t user), (user))
DT_CHANGE(int, setreuid, is_other_user(effective), (uid_t real, uid_t effective), (real, effective))
DT_CHANGE(int, setresuid, is_other_user(effective), (uid_t real, uid_t effective, uid_t saved),
          (real, effective, saved))
DT_CHANGE(int, setfsuid, is_other_user(user), (uid_t user), (user))
DT_CHANGE(int, chroot, true, (const char *path), (path))
DT_CHANGE(int, unshare, flags &(CLONE_NEWNS | CLONE_NEWUSER), (int flags), (flags))
DT_CHANGE(int, setns, true, (int fd, int type), (fd, type))
