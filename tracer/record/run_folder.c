/* Where in the run a process may write, and what keeps it from writing.
 *
 * The run directory belongs to the user who collects. A process that becomes another user cannot make files there. So
 * whoever changes the user, as root, makes a folder for that user before: RUN/users/UID with processes/ and images/,
 * a run of its own, owned by that user, closed to others. Until it is complete and given away it has another name, in
 * a folder where only root can write: nobody can put a link into its way. The user may pass through RUN and RUN/users,
 * but not read them.
 *
 * Nodes may have disks of their own under the run's path: there the first process makes the directory. */
#include <errno.h>
#include <sys/stat.h>

#include "record/process.h"
#include "record/unrecorded.h"

enum {
    SMALLEST_FILE = 2 * DT_CHUNK_ALIGN,
    SMALL_MEMORY = 1 << 30, /* less may not suffice; a file that comes all the same proves it wrong */
    DT_LIMIT_FILE_SIZE = 1,
    DT_LIMIT_DATA = 2,
    DT_LIMIT_ADDRESS_SPACE = 9,
    DT_WRITABLE_FOLDER = 2 | 1 /* W_OK | X_OK */
};

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

char *dt_line_append(char *to, char *end, const char *text)
{
    while (*text && to + 1 < end)
        *to++ = *text++;
    *to = 0;
    return to;
}

char *dt_line_append_number(char *to, char *end, uint64_t value)
{
    char digits[24], *first = digits + sizeof digits - 1;
    *first = 0;
    do
        *--first = (char)('0' + value % 10);
    while (value /= 10);
    return dt_line_append(to, end, first);
}

static uint32_t effective_user(void)
{
    return (uint32_t)dt_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

/* By the effective user, who makes the files. */
static long access_folder(const char *path)
{
    long result = dt_syscall(SYS_faccessat2, AT_FDCWD, (long)path, DT_WRITABLE_FOLDER, AT_EACCESS, 0, 0);
    if (result == -ENOSYS || result == -EPERM)
        result = dt_syscall(SYS_access, (long)path, DT_WRITABLE_FOLDER, 0, 0, 0, 0);
    return result;
}

static long access_processes(const char *run)
{
    char path[sizeof dt_process.options.run + 32];
    char *end = path + sizeof path;
    dt_line_append(dt_line_append(path, end, run), end, "/processes");
    return access_folder(path);
}

static void append_user(char *run, char *end, uint32_t user)
{
    while (*run)
        run++;
    dt_line_append_number(dt_line_append(run, end, "/users/"), end, user);
}

static bool make_folder(const char *path, long mode)
{
    return !dt_failed(dt_syscall(SYS_mkdir, (long)path, mode, 0, 0, 0, 0));
}

/* What is made in a run is its owner's alone, or as the umask says. */
static long mode_of(long mode)
{
    return dt_process.options.shared ? mode : mode & 0700;
}

/* It is ours: later collections may replace it, and commands take it for a run. */
static void mark_run(const char *path)
{
    static const char kind[] = "run\n";
    long fd =
        dt_syscall(SYS_open, (long)path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_of(0666), 0, 0, 0);
    if (dt_failed(fd))
        return;
    dt_syscall(SYS_write, fd, (long)kind, sizeof kind - 1, 0, 0, 0);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* And what it is in, as far as that is missing. */
static void make_run(const char *run)
{
    static const char *const inside[] = {"/processes", "/images"};
    char path[sizeof dt_process.options.run + 32];
    char *end = path + sizeof path, *to = path;
    for (; *run; run++) {
        if (*run == '/' && to > path)
            make_folder(path, 0777);
        char letter[2] = {*run, 0};
        to = dt_line_append(to, end, letter);
    }
    make_folder(path, mode_of(0777));
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        dt_line_append(to, end, inside[i]);
        make_folder(path, mode_of(0777));
    }
    dt_line_append(to, end, "/.difftrace");
    mark_run(path);
}

void dt_run_folder_choose(char *run, size_t bytes)
{
    char own[sizeof dt_process.options.run + 32];
    long result = access_processes(run);
    if (result == -ENOENT && dt_process.options.elsewhere) {
        make_run(run);
        result = access_processes(run);
    }
    if (result == 0)
        return;
    dt_line_append(own, own + sizeof own, run);
    append_user(own, own + sizeof own, effective_user());
    if (strlen(own) < bytes && access_processes(own) == 0)
        dt_line_append(run, run + bytes, own);
}

/* Capabilities that this process has kept are gone when it executes something. */
static bool is_of_user(const char *run)
{
    struct stat status = {0};
    char path[sizeof dt_process.options.run + 32];
    char *end = path + sizeof path;
    uint32_t user = effective_user();
    dt_line_append(dt_line_append(path, end, run), end, "/processes");
    return user == 0 || dt_failed(dt_syscall(SYS_stat, (long)path, (long)&status, 0, 0, 0, 0)) ||
           status.st_uid == user || (status.st_mode & (S_IWGRP | S_IWOTH));
}

uint32_t dt_run_folder_problem(const char *run)
{
    char chosen[sizeof dt_process.options.run];
    dt_line_append(chosen, chosen + sizeof chosen, run);
    dt_run_folder_choose(chosen, sizeof chosen);
    long result = access_processes(chosen);
    if (result == -ENOENT || result == -ENOTDIR)
        return DT_UNRECORDED_NO_RUN;
    return result == 0 && is_of_user(chosen) ? 0 : DT_UNRECORDED_NOT_WRITABLE;
}

static uint64_t soft_limit(int resource)
{
    uint64_t limit[2] = {UINT64_MAX, UINT64_MAX};
    dt_syscall(SYS_prlimit64, 0, resource, 0, (long)limit, 0, 0);
    return limit[0];
}

uint32_t dt_run_limit_problem(void)
{
    if (soft_limit(DT_LIMIT_FILE_SIZE) < SMALLEST_FILE)
        return DT_UNRECORDED_FILE_SIZE;
    if (soft_limit(DT_LIMIT_ADDRESS_SPACE) < SMALL_MEMORY || soft_limit(DT_LIMIT_DATA) < SMALL_MEMORY)
        return DT_UNRECORDED_MEMORY;
    return 0;
}

/* ---- logs ------------------------------------------------------------------------------------ */

/* Beyond the limit of files' size the kernel would send SIGXFSZ. */
static bool has_space(long fd, size_t bytes)
{
    struct stat status = {0};
    return !dt_failed(dt_syscall(SYS_fstat, fd, (long)&status, 0, 0, 0, 0)) && S_ISREG(status.st_mode) &&
           (uint64_t)status.st_size + bytes <= soft_limit(DT_LIMIT_FILE_SIZE);
}

void dt_run_log(const char *log, const char *line, size_t bytes)
{
    char path[sizeof dt_process.options.run + 32];
    char *end = path + sizeof path;
    dt_line_append(path, end, dt_process.options.run);
    dt_run_folder_choose(path, sizeof dt_process.options.run);
    dt_line_append(path + strlen(path), end, log);
    long fd = dt_syscall(SYS_open, (long)path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                         mode_of(0644), 0, 0, 0);
    if (dt_failed(fd))
        return;
    if (has_space(fd, bytes))
        dt_syscall(SYS_write, fd, (long)line, (long)bytes, 0, 0, 0); /* one call: lines of others do not mix with it */
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* ---- another user ------------------------------------------------------------------------------ */

static bool is_own_folder(const char *path, uint32_t user)
{
    struct stat status = {0};
    return !dt_failed(dt_syscall(SYS_lstat, (long)path, (long)&status, 0, 0, 0, 0)) && S_ISDIR(status.st_mode) &&
           status.st_uid == user && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static bool give(const char *path, uint32_t user)
{
    return !dt_failed(dt_syscall(SYS_lchown, (long)path, user, -1, 0, 0, 0));
}

/* `path`, complete and the user's; what is inside first. */
static bool make_user_folder(const char *path, uint32_t user)
{
    static const char *const inside[] = {"/processes", "/images"};
    char inner[sizeof dt_process.options.run + 64];
    char *end = inner + sizeof inner;
    if (!make_folder(path, 0700))
        return false;
    for (size_t i = 0; i < 2; i++) {
        dt_line_append(dt_line_append(inner, end, path), end, inside[i]);
        if (!make_folder(inner, 0700) || !give(inner, user))
            return false;
    }
    return give(path, user);
}

static void remove_user_folder(const char *path)
{
    static const char *const inside[] = {"/processes", "/images", ""};
    char inner[sizeof dt_process.options.run + 64];
    char *end = inner + sizeof inner;
    for (size_t i = 0; i < 3; i++) {
        dt_line_append(dt_line_append(inner, end, path), end, inside[i]);
        dt_syscall(SYS_rmdir, (long)inner, 0, 0, 0, 0, 0);
    }
}

/* Others may pass through, to the folder of which they know the name. */
static void let_pass(const char *path)
{
    struct stat status = {0};
    long fd = dt_syscall(SYS_open, (long)path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0, 0);
    if (dt_failed(fd))
        return;
    if (!dt_failed(dt_syscall(SYS_fstat, fd, (long)&status, 0, 0, 0, 0)) && !(status.st_mode & S_IXOTH))
        dt_syscall(SYS_fchmod, fd, (long)(status.st_mode & 07777) | S_IXGRP | S_IXOTH, 0, 0, 0, 0);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

void dt_run_folder_prepare(uint32_t user)
{
    char users[sizeof dt_process.options.run + 32], path[sizeof users + 32], unfinished[sizeof users + 32];
    const char *run = dt_process.options.run;
    uint32_t self = effective_user();
    if (!*run || self != 0 || user == self || !is_own_folder(run, self))
        return;
    dt_line_append(dt_line_append(users, users + sizeof users, run), users + sizeof users, "/users");
    make_folder(users, mode_of(0755));
    if (!is_own_folder(users, self))
        return;
    let_pass(run);
    let_pass(users);
    dt_line_append(path, path + sizeof path, run);
    append_user(path, path + sizeof path, user);
    char *to = dt_line_append(dt_line_append(unfinished, unfinished + sizeof unfinished, path),
                              unfinished + sizeof unfinished, ".");
    dt_line_append_number(to, unfinished + sizeof unfinished, dt_sys_tid());
    if (dt_syscall(SYS_access, (long)path, 0, 0, 0, 0, 0) == 0)
        return;
    if (!make_user_folder(unfinished, user) ||
        dt_failed(dt_syscall(SYS_rename, (long)unfinished, (long)path, 0, 0, 0, 0)))
        remove_user_folder(unfinished);
}
