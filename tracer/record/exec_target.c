/* Whether a program that is about to be executed will be recorded: by its file, as the kernel and the loader look at
 * it, by its environment, and by what this process may do. What is said here is a guess that a file of that program's
 * proves wrong; so where it is not sure it guesses that there will be none. */
#include <elf.h>
#include <errno.h>
#include <sys/stat.h>

#include "record/process.h"
#include "record/unrecorded.h"

enum { MOST_INTERPRETERS = 4, MOST_SEGMENTS = 64, START_BYTES = 256 };

/* ---- the environment ------------------------------------------------------------------------- */

/* What `entry` says behind "name=", or NULL. */
static const char *value_of(const char *entry, const char *name)
{
    while (*name && *entry == *name)
        entry++, name++;
    return *name == 0 && *entry == '=' ? entry + 1 : NULL;
}

static const char *find_value(char *const *environment, const char *name)
{
    for (; environment && *environment; environment++) {
        const char *value = value_of(*environment, name);
        if (value)
            return value;
    }
    return NULL;
}

bool dt_exec_has_rank(char *const *environment)
{
    for (const struct dt_rank_name *each = dt_rank_names; each->name; each++)
        if (find_value(environment, each->name) && (!each->needs || find_value(environment, each->needs)))
            return true;
    return false;
}

static bool is_separator(char letter)
{
    return letter == ':' || letter == ' ' || letter == '\t' || letter == '\n';
}

/* The tracer's own path among those to be preloaded: its bytes, or 0. */
static size_t find_tracer(const char *list, const char **path)
{
    static const char name[] = "/libdifftrace_runtime.so";
    while (*list) {
        size_t length = 0;
        while (list[length] && !is_separator(list[length]))
            length++;
        *path = list;
        if (length >= sizeof name - 1 && memcmp(list + length - (sizeof name - 1), name, sizeof name - 1) == 0)
            return length;
        list += length + (list[length] != 0);
    }
    return 0;
}

static uint32_t environment_problem(char *const *environment)
{
    const char *list = find_value(environment, "LD_PRELOAD"), *path;
    char tracer[DT_EXEC_NAME_BYTES];
    if (!find_value(environment, "DIFFTRACE_RUN"))
        return DT_UNRECORDED_ENVIRONMENT;
    if (dt_process.options.launcher && !dt_exec_has_rank(environment))
        return DT_UNRECORDED_ON_PURPOSE;
    size_t length = list ? find_tracer(list, &path) : 0;
    if (length == 0 || length >= sizeof tracer)
        return DT_UNRECORDED_PRELOAD;
    memcpy(tracer, path, length);
    tracer[length] = 0;
    return dt_failed(dt_syscall(SYS_access, (long)tracer, 4 /* R_OK */, 0, 0, 0, 0)) ? DT_UNRECORDED_NO_TRACER : 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool read_at(long fd, void *to, size_t bytes, uint64_t offset)
{
    return dt_syscall(SYS_pread64, fd, (long)to, (long)bytes, (long)offset, 0, 0) == (long)bytes;
}

static uint32_t elf_problem(long fd)
{
    Elf64_Ehdr header = {0};
    if (!read_at(fd, &header, sizeof header, 0) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != EM_X86_64)
        return DT_UNRECORDED_ARCHITECTURE;
    for (uint64_t i = 0; i < header.e_phnum && i < MOST_SEGMENTS; i++) {
        Elf64_Phdr segment = {0};
        if (!read_at(fd, &segment, sizeof segment, header.e_phoff + i * header.e_phentsize))
            return 0;
        if (segment.p_type == PT_INTERP)
            return 0;
    }
    return DT_UNRECORDED_STATIC;
}

/* The loader preloads nothing where the user or group that counts is not the real one. */
static uint32_t privilege_problem(long fd)
{
    static const char capabilities[] = "security.capability";
    long user = dt_syscall(SYS_getuid, 0, 0, 0, 0, 0, 0), group = dt_syscall(SYS_getgid, 0, 0, 0, 0, 0, 0);
    long effective = dt_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0);
    long effective_group = dt_syscall(SYS_getegid, 0, 0, 0, 0, 0, 0);
    struct stat status = {0};
    if (dt_failed(dt_syscall(SYS_fstat, fd, (long)&status, 0, 0, 0, 0)))
        return 0;
    if (status.st_mode & S_ISUID)
        effective = status.st_uid;
    if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
        effective_group = status.st_gid;
    if (effective != user || effective_group != group)
        return DT_UNRECORDED_PRIVILEGED;
    return user != 0 && dt_syscall(SYS_fgetxattr, fd, (long)capabilities, 0, 0, 0, 0) > 0 ? DT_UNRECORDED_PRIVILEGED
                                                                                          : 0;
}

/* The file itself, where the kernel can tell, else as the program names it. */
static void find_name(long fd, const char *path, char *name)
{
    char link[32];
    char *end = link + sizeof link;
    dt_line_append_number(dt_line_append(link, end, "/proc/self/fd/"), end, (uint64_t)fd);
    long length = dt_syscall(SYS_readlink, (long)link, (long)name, DT_EXEC_NAME_BYTES - 1, 0, 0, 0);
    if (dt_failed(length))
        dt_line_append(name, name + DT_EXEC_NAME_BYTES, path);
    else
        name[length] = 0;
}

/* What "#!" names, into `start` itself; false: it is no script. */
static bool find_interpreter(char *start)
{
    char *to = start;
    const char *from = start + 2;
    if (start[0] != '#' || start[1] != '!')
        return false;
    while (*from == ' ' || *from == '\t')
        from++;
    while (*from && *from != ' ' && *from != '\t' && *from != '\n')
        *to++ = *from++;
    *to = 0;
    return to > start;
}

static long open_target(const struct dt_exec_call *call)
{
    char link[32];
    char *end = link + sizeof link;
    const char *path = call->path;
    if ((call->flags & AT_EMPTY_PATH) && path && !*path) {
        dt_line_append_number(dt_line_append(link, end, "/proc/self/fd/"), end, (uint64_t)call->directory);
        path = link;
    }
    return dt_syscall(SYS_openat, call->directory, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
}

static bool is_wanted(const char *name)
{
    const char *base = name;
    for (; *name; name++)
        if (*name == '/')
            base = name + 1;
    if (dt_process.options.launcher && dt_is_launcher(base))
        return false;
    return !*dt_process.options.only || dt_glob_list_has(dt_process.options.only, base);
}

/* Of the file that is open, or what interprets it; closes it. */
static uint32_t file_problem(long fd, char *name)
{
    char start[START_BYTES], interpreter_name[DT_EXEC_NAME_BYTES], *last = name;
    for (int depth = 0; depth < MOST_INTERPRETERS; depth++) {
        memset(start, 0, sizeof start);
        dt_syscall(SYS_pread64, fd, (long)start, sizeof start - 1, 0, 0, 0);
        if (!find_interpreter(start))
            break;
        long interpreter = dt_syscall(SYS_open, (long)start, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0, 0);
        if (dt_failed(interpreter))
            break;
        dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
        fd = interpreter;
        last = interpreter_name;
        find_name(fd, start, last);
    }
    uint32_t reason = is_wanted(last) ? 0 : DT_UNRECORDED_ON_PURPOSE;
    if (!reason && memcmp(start, ELFMAG, SELFMAG) == 0)
        reason = elf_problem(fd);
    if (!reason)
        reason = privilege_problem(fd);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return reason;
}

/* Where the program has pointed to nothing the kernel answers EFAULT, and nothing is executed. */
static bool can_read(const struct dt_exec_call *call)
{
    char *const *entry = call->environment;
    if (!call->path || !dt_sys_can_read(call->path))
        return false;
    while (entry && dt_sys_can_read(entry) && *entry && dt_sys_can_read(*entry))
        entry++;
    return !entry || (dt_sys_can_read(entry) && !*entry);
}

uint32_t dt_exec_foretell(const struct dt_exec_call *call, char *name)
{
    *name = 0;
    if (!can_read(call))
        return DT_UNRECORDED_UNKNOWN;
    uint32_t reason = 0;
    long fd = open_target(call);
    if (dt_failed(fd)) {
        dt_line_append(name, name + DT_EXEC_NAME_BYTES, call->path ? call->path : "");
        reason = fd == -EMFILE || fd == -ENFILE ? DT_UNRECORDED_DESCRIPTORS : 0;
    } else {
        find_name(fd, call->path, name);
        reason = file_problem(fd, name);
    }
    if (!reason)
        reason = environment_problem(call->environment);
    if (!reason)
        reason = dt_run_folder_problem(dt_process.options.run);
    return reason ? reason : dt_run_limit_problem();
}
