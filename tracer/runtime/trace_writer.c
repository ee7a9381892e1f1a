/* The process file: its header, and chunks given out to threads and tables. Space is allocated before it is mapped, so
 * that a full disk is an answer here and not a SIGBUS in the program. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "runtime.h"
#include "system.h"

enum { DT_FIRST_DESCRIPTOR = 700 }; /* out of the way of programs that count on the lowest free number */

static char *append_text(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    *to = 0;
    return to;
}

static char *append_number(char *to, uint64_t value)
{
    char digits[24];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        *to++ = digits[--count];
    *to = 0;
    return to;
}

static int open_file(const char *path)
{
    long fd = dt_syscall(SYS_open, (long)path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644, 0, 0, 0);
    if (dt_failed(fd))
        return -1;
    long high = dt_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, DT_FIRST_DESCRIPTOR, 0, 0, 0);
    if (dt_failed(high))
        return (int)fd;
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return (int)high;
}

/* Of whole pages: 0, or the error. */
static long write_zeros(int fd, uint64_t offset, uint64_t bytes)
{
    enum { MOST = 16 };
    static const char page[4096];
    struct iovec pages[MOST];
    for (int i = 0; i < MOST; i++)
        pages[i] = (struct iovec){(void *)page, sizeof page};
    while (bytes > 0) {
        uint64_t count = bytes / sizeof page < MOST ? bytes / sizeof page : MOST;
        long written = dt_syscall(SYS_pwritev, fd, (long)pages, (long)count, (long)offset, 0, 0);
        if (written == -EINTR)
            continue;
        if (written < (long)sizeof page)
            return written < 0 ? written : -EIO;
        offset += (uint64_t)written / sizeof page * sizeof page;
        bytes -= (uint64_t)written / sizeof page * sizeof page;
    }
    return 0;
}

/* Space for sure: 0, or the error. Then zeros: pages that a file has been written to cost a quarter, when they are
 * mapped and touched, of those that are only allocated (ext4). */
static long allocate(int fd, uint64_t offset, uint64_t bytes)
{
    long result;
    do
        result = dt_syscall(SYS_fallocate, fd, 0, (long)offset, (long)bytes, 0, 0);
    while (result == -EINTR);
    return result != 0 && result != -EOPNOTSUPP ? result : write_zeros(fd, offset, bytes);
}

bool dt_writer_create(void)
{
    char path[sizeof dt_process.options.run + 160], *end = path;
    uint64_t now = dt_sys_clock(CLOCK_MONOTONIC);
    const char *host = dt_process.header ? dt_process.header->host : "";
    if (!dt_process.header)
        return false;
    end = append_text(end, dt_process.options.run);
    end = append_text(end, "/processes/");
    end = append_text(end, host);
    end = append_text(end, ".");
    end = append_number(end, dt_sys_pid());
    end = append_text(end, ".");
    end = append_number(end, now);
    append_text(end, ".trace");
    int fd = open_file(path);
    if (fd < 0)
        return false;
    struct dt_file_header *mapped = NULL;
    if (allocate(fd, 0, DT_CHUNK_ALIGN) == 0)
        mapped = dt_sys_mmap(DT_CHUNK_ALIGN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!mapped) {
        dt_syscall(SYS_unlink, (long)path, 0, 0, 0, 0, 0);
        dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
        return false;
    }
    struct dt_file_header head = *dt_process.header;
    head.pid = dt_sys_pid();
    head.ppid = (uint32_t)dt_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
    head.file_bytes = DT_CHUNK_ALIGN;
    head.start_monotonic_ns = now;
    head.start_realtime_ns = dt_sys_clock(CLOCK_REALTIME);
    head.max_bytes = dt_process.options.max_bytes;
    head.when_full = dt_process.options.when_full;
    head.check = dt_file_header_check(&head);
    *mapped = head;
    dt_process.header = mapped;
    dt_process.fd = fd;
    return true;
}

bool dt_writer_is_full(size_t bytes)
{
    uint64_t most = dt_process.options.max_bytes;
    return most && __atomic_load_n(&dt_process.header->file_bytes, __ATOMIC_RELAXED) + bytes > most;
}

/* Beyond it the kernel would send SIGXFSZ. */
static bool is_within_file_limit(uint64_t end)
{
    struct {
        uint64_t soft, hard;
    } limit = {0};
    return dt_failed(dt_syscall(SYS_prlimit64, 0, 1 /* RLIMIT_FSIZE */, 0, (long)&limit, 0, 0)) || end <= limit.soft;
}

bool dt_writer_take(size_t bytes, uint64_t *offset, long *error)
{
    *offset = __atomic_fetch_add(&dt_process.header->file_bytes, bytes, __ATOMIC_RELAXED);
    *error = EFBIG;
    if (!is_within_file_limit(*offset + bytes))
        return false;
    /* A program with a fast interval timer would interrupt the allocation for ever. */
    uint64_t mask = dt_sys_block_signals();
    *error = -allocate(dt_process.fd, *offset, bytes);
    dt_sys_restore_signals(mask);
    uint64_t end = *offset + bytes;
    if (*error) /* given back, unless somebody has taken more since */
        __atomic_compare_exchange_n(&dt_process.header->file_bytes, &end, *offset, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    return *error == 0;
}

struct dt_chunk_header *dt_writer_map(uint32_t type, uint32_t owner, uint32_t sequence, size_t bytes, uint64_t offset)
{
    struct dt_chunk_header *chunk = dt_sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, dt_process.fd, offset);
    if (!chunk) {
        dt_writer_stop(ENOMEM);
        return NULL;
    }
    dt_sys_populate(chunk, bytes);
    chunk->magic = 0; /* it may have been another chunk */
    dt_compiler_barrier();
    chunk->type = type;
    chunk->bytes = (uint32_t)bytes;
    chunk->owner = owner;
    chunk->sequence = sequence;
    chunk->check = dt_chunk_check(chunk);
    return chunk;
}

struct dt_chunk_header *dt_writer_chunk(uint32_t type, uint32_t owner, uint32_t sequence, size_t bytes,
                                        uint64_t *offset)
{
    if (dt_process.header->flags & DT_FILE_STOPPED)
        return NULL;
    long error = EFBIG;
    bool stops = dt_process.options.when_full == DT_FULL_STOP && dt_writer_is_full(bytes);
    if (stops || !dt_writer_take(bytes, offset, &error)) {
        dt_writer_stop(error);
        return NULL;
    }
    return dt_writer_map(type, owner, sequence, bytes, *offset);
}

void dt_writer_publish(struct dt_chunk_header *chunk)
{
    dt_compiler_barrier();
    chunk->magic = DT_CHUNK_MAGIC;
}

void dt_writer_write_at(uint64_t offset, const void *data, size_t bytes)
{
    dt_syscall(SYS_pwrite64, dt_process.fd, (long)data, (long)bytes, (long)offset, 0, 0);
}

void dt_writer_take_ahead(void)
{
}

void dt_writer_stop(long error)
{
    if (!(__atomic_fetch_or(&dt_process.header->flags, DT_FILE_STOPPED, __ATOMIC_RELAXED) & DT_FILE_STOPPED))
        dt_process.header->stop_errno = (uint32_t)error;
}
