/* Calls after which the path of the trace file may lead nowhere, or to a file that the process may not change: another
 * user, another root directory. Once a process has made one it cannot make the file larger, so that it is made larger
 * before. And for another user, such as of setpriv and su, a folder is made in the run where that user's next program
 * may write. */
#include <errno.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/types.h>
#include <unistd.h>

#include "native/signals/signals.h"
#include "record/trace_writer.h"
#include "record/unrecorded.h"

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

/* The same, and the user's folder. */
static bool prepare_user(uid_t user)
{
    static uid_t last; /* programs that change to and fro */
    bool other = is_other_user(user);
    if (other && user != 0 && user != last) {
        int before = errno;
        last = user;
        dt_run_folder_prepare(user);
        errno = before;
    }
    return other;
}

/* Defines `result name parameters`, which prepares if `changes` and calls the C library's.
 * NOLINTBEGIN(bugprone-macro-parentheses): a type and a list of parameters stand without */
#define DT_CHANGE(result, name, changes, parameters, arguments)                                                        \
    DT_EXPORTED result name parameters                                                                                 \
    {                                                                                                                  \
        static result(*next) parameters;                                                                               \
        if (!next)                                                                                                     \
            *(void **)&next = dt_hidden_function(#name);                                                               \
        prepare(changes);                                                                                              \
        return next arguments;                                                                                         \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

DT_CHANGE(int, setuid, prepare_user(user), (uid_t user), (user))
DT_CHANGE(int, seteuid, prepare_user(user), (uid_t user), (user))
DT_CHANGE(int, setreuid, prepare_user(effective), (uid_t real, uid_t effective), (real, effective))
DT_CHANGE(int, setresuid, prepare_user(effective), (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))
DT_CHANGE(int, setfsuid, prepare_user(user), (uid_t user), (user))
DT_CHANGE(int, chroot, true, (const char *path), (path))
DT_CHANGE(int, unshare, flags &(CLONE_NEWNS | CLONE_NEWUSER), (int flags), (flags))
DT_CHANGE(int, setns, true, (int fd, int type), (fd, type))
