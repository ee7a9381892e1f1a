/* What a process tells of others, and of itself, that will leave no trace file. The same for every engine. */
#include "record/unrecorded.h"

#include <errno.h>
#include <sys/vfs.h>

#include "record/process.h"

/* Behind the header of a mapped file. */
static struct dt_unrecorded *records(struct dt_file_header *header)
{
    return (struct dt_unrecorded *)((uint8_t *)header + DT_UNRECORDED_OFFSET);
}

static void copy_end(char *to, size_t bytes, const char *from)
{
    size_t length = strlen(from);
    dt_line_append(to, to + bytes, length < bytes ? from : from + length + 1 - bytes);
}

/* The pid is there already. */
static void fill(struct dt_unrecorded *record, uint32_t reason, const char *name)
{
    record->check = 0;
    dt_compiler_barrier();
    memset(record->executable, 0, sizeof record->executable);
    record->reason = reason;
    record->monotonic_ns = dt_sys_clock(CLOCK_MONOTONIC);
    copy_end(record->executable, sizeof record->executable, name);
    dt_compiler_barrier();
    record->check = dt_unrecorded_check(record);
}

void dt_unrecorded_executes(uint32_t reason, const char *name)
{
    struct dt_unrecorded *record = records(dt_process.header);
    record->pid = dt_process.header->pid;
    fill(record, reason, name);
}

void dt_unrecorded_withdraw(struct dt_unrecorded *record)
{
    if (!record)
        return;
    record->check = 0;
    dt_compiler_barrier();
    __atomic_store_n(&record->pid, 0, __ATOMIC_RELEASE);
}

void dt_unrecorded_stays(void)
{
    dt_unrecorded_withdraw(records(dt_process.header));
}

/* "host pid reason monotonic_ns executable", with tabs between. */
void dt_unrecorded_log(uint32_t pid, uint32_t reason, const char *name)
{
    char line[256 + DT_EXEC_NAME_BYTES], *to = line;
    char *end = line + sizeof line - 1;
    to = dt_line_append(to, end, dt_process.header->host);
    to = dt_line_append(to, end, "\t");
    to = dt_line_append_number(to, end, pid);
    to = dt_line_append(to, end, "\t");
    to = dt_line_append(to, end, dt_unrecorded_reason_name(reason));
    to = dt_line_append(to, end, "\t");
    to = dt_line_append_number(to, end, dt_sys_clock(CLOCK_MONOTONIC));
    to = dt_line_append(to, end, "\t");
    char *at = to;
    to = dt_line_append(to, end, name);
    for (; at < to; at++)
        if ((uint8_t)*at < ' ' || *at == 0x7f)
            *at = '?';
    *to++ = '\n';
    dt_run_log("/unrecorded.log", line, (size_t)(to - line));
}

struct dt_unrecorded *dt_unrecorded_child(struct dt_file_header *teller, uint32_t pid, uint32_t reason,
                                          const char *name)
{
    struct dt_unrecorded *record = records(teller);
    for (int i = 1; i < DT_UNRECORDED_RECORDS; i++) {
        uint32_t none = 0;
        if (!__atomic_compare_exchange_n(&record[i].pid, &none, pid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        fill(&record[i], reason, name);
        return &record[i];
    }
    dt_unrecorded_log(pid, reason, name);
    return NULL;
}

/* ---- of itself -------------------------------------------------------------------------------- */

static uint32_t open_problem(void)
{
    long fd = dt_syscall(SYS_open, (long)dt_process.options.run, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0, 0);
    if (!dt_failed(fd))
        dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return fd == -EMFILE || fd == -ENFILE ? DT_UNRECORDED_DESCRIPTORS : 0;
}

static uint32_t space_problem(void)
{
    struct statfs status = {0};
    long result = dt_syscall(SYS_statfs, (long)dt_process.options.run, (long)&status, 0, 0, 0, 0);
    return result == 0 && status.f_blocks > 0 && status.f_bavail == 0 ? DT_UNRECORDED_SPACE : 0;
}

/* The file could not be made: why? */
static uint32_t find_problem(void)
{
    uint32_t reason = dt_run_folder_problem(dt_process.options.run);
    if (!reason)
        reason = open_problem();
    if (!reason)
        reason = dt_run_limit_problem();
    if (!reason)
        reason = space_problem();
    return reason ? reason : DT_UNRECORDED_START;
}

void dt_unrecorded_forked(struct dt_file_header *parent)
{
    dt_unrecorded_child(parent, dt_sys_pid(), find_problem(), dt_process.header->executable);
}

void dt_unrecorded_started(void)
{
    dt_unrecorded_log(dt_sys_pid(), find_problem(), dt_process.header->executable);
}
