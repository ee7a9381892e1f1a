/* The process file: its header, and chunks given out to threads and tables.
 *
 * Nothing of it stays open: a descriptor would be one of the program's own numbers, which the program may close, count,
 * or use for a file of its own. The file grows by its path (truncate), after a look whether the path still leads to it;
 * new places of it are mapped from a page that is mapped already (mremap with an old size of 0); and the kernel is
 * asked to make the pages, so that a full disk is an answer here and not a SIGBUS in the program.
 *
 * On a file system of a network what is written here reaches other hosts when the kernel sends it, which may be when
 * the process has ended. So it is asked to begin with that when a chunk is taken: whoever looks meanwhile sees the
 * header, the tables and the chunks before. */
#include "record/trace_writer.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "format/checks.h"
#include "format/remote_file_systems.h"
#include "record/debug.h"
#include "record/process.h"
#include "system/file_memory.h"

enum {
    DT_PAGE = 4096,
    DT_LOCK_SECONDS = 10,
    DT_SIZE_AHEAD = 128 << 20, /* a hole: it takes no space on the disk, and readers bear one of this size */
    DT_CAPACITY_AHEAD = 4 << 20
};

static struct {
    uint32_t lock;
    char path[sizeof dt_process.options.run + 160];
    dev_t device;
    ino_t inode;
    uint64_t size; /* of the file; the header's file_bytes are those given out */
    /* A page of the file, from which what lies behind it is mapped. It may lie behind the end and is never touched. */
    uint8_t *anchor;
    uint64_t anchor_offset;
    /* Capacity behind file_bytes that is mapped and has its pages: dt_writer_take_ahead(). */
    uint8_t *ahead;
    uint64_t ahead_bytes;
    bool is_remote;              /* on a file system of a network */
    struct dt_file_header begin; /* as the file began */
} file;

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

/* ---- the lock ---------------------------------------------------------------------------------- */

/* False: it cannot be had, because whoever held it was killed (a child of vfork), or is this thread (a handler, where
 * signals cannot be blocked). Signals are blocked meanwhile. */
static bool take_lock(uint64_t *mask)
{
    uint64_t since = 0;
    *mask = dt_sys_block_signals();
    while (__atomic_exchange_n(&file.lock, 1, __ATOMIC_ACQUIRE)) {
        dt_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
        uint64_t now = dt_clock_coarse();
        since = since ? since : now;
        if (now - since > DT_LOCK_SECONDS * 1000000000ull) {
            dt_sys_restore_signals(*mask);
            return false;
        }
    }
    return true;
}

static void drop_lock(uint64_t mask)
{
    __atomic_store_n(&file.lock, 0, __ATOMIC_RELEASE);
    dt_sys_restore_signals(mask);
}

/* ---- extents ----------------------------------------------------------------------------------- */

/* Beyond it the kernel would send SIGXFSZ. */
static uint64_t file_limit(void)
{
    struct {
        uint64_t soft, hard;
    } limit = {0};
    bool known = !dt_failed(dt_syscall(SYS_prlimit64, 0, 1 /* RLIMIT_FSIZE */, 0, (long)&limit, 0, 0));
    return known ? limit.soft : UINT64_MAX;
}

/* The path leads somewhere else if the run directory was moved or deleted, or the program has another root directory or
 * another user's rights. */
static long check_path(void)
{
    struct stat found = {0};
    long result = dt_syscall(SYS_stat, (long)file.path, (long)&found, 0, 0, 0, 0);
    if (dt_failed(result))
        return -result;
    return found.st_dev == file.device && found.st_ino == file.inode ? 0 : ENOENT;
}

/* Under the lock, so that the file never becomes shorter: 0, or the error. */
static long grow(uint64_t size)
{
    if (size <= file.size)
        return 0;
    if (size > file_limit())
        return EFBIG;
    long error = check_path();
    if (!error && !dt_writer_is_whole())
        error = EFAULT; /* what was cut off would come again, as noughts */
    if (!error)
        error = -dt_syscall(SYS_truncate, (long)file.path, (long)size, 0, 0, 0, 0);
    if (!error)
        file.size = size;
    return error;
}

/* A page that the disk has no room for is a bad address to a system call that writes there. */
static long populate_by_call(uint8_t *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += DT_PAGE) {
        if (dt_failed(dt_syscall(SYS_getcpu, (long)(memory + i), 0, 0, 0, 0, 0)))
            return ENOSPC;
        memset(memory + i, 0, sizeof(unsigned));
    }
    return 0;
}

/* Pages that are there for sure when they are touched: 0, or the error. */
static long populate(uint8_t *memory, size_t bytes)
{
    long result;
    do
        result = dt_syscall(SYS_madvise, (long)memory, (long)bytes, MADV_POPULATE_WRITE, 0, 0, 0);
    while (result == -EINTR || result == -EAGAIN);
    if (result == -EINVAL) /* Linux before 5.14 */
        return populate_by_call(memory, bytes);
    return result == -EFAULT ? ENOSPC : -result;
}

/* Part of the file, and a page more if it is to be the new anchor; under the lock. */
static uint8_t *map(uint64_t offset, size_t bytes)
{
    bool is_last = offset >= file.anchor_offset;
    uint8_t *from = is_last ? file.anchor : (uint8_t *)dt_process.header;
    size_t before = offset - (is_last ? file.anchor_offset : 0), behind = is_last ? DT_PAGE : 0;
    long result = dt_syscall(SYS_mremap, (long)from, 0, (long)(before + bytes + behind), MREMAP_MAYMOVE, 0, 0);
    if (dt_failed(result))
        return NULL;
    uint8_t *memory = (uint8_t *)result + before;
    if (before)
        dt_sys_munmap((void *)result, before);
    if (is_last) {
        if (file.anchor != (uint8_t *)dt_process.header)
            dt_sys_munmap(file.anchor, DT_PAGE);
        file.anchor = memory + bytes;
        file.anchor_offset = offset + bytes;
    }
    return memory;
}

/* Behind all that was given out; under the lock. */
static long map_new(size_t bytes, struct dt_extent *extent)
{
    long error = grow(extent->offset + bytes);
    if (error)
        return error;
    extent->memory = map(extent->offset, bytes);
    return extent->memory ? 0 : ENOMEM;
}

static long take_extent(size_t bytes, struct dt_extent *extent, bool *is_ahead)
{
    extent->offset = dt_process.header->file_bytes;
    *is_ahead = bytes <= file.ahead_bytes;
    if (*is_ahead) {
        extent->memory = file.ahead;
        file.ahead += bytes;
        file.ahead_bytes -= bytes;
    } else {
        long error = map_new(bytes, extent);
        if (error)
            return error;
        file.ahead_bytes = 0;
    }
    __atomic_store_n(&dt_process.header->file_bytes, extent->offset + bytes, __ATOMIC_RELAXED);
    return 0;
}

/* Nothing was written there, unless somebody has taken more since. */
static void give_back(size_t bytes, struct dt_extent *extent)
{
    uint64_t end = extent->offset + bytes;
    dt_file_memory_unmap(extent->memory, bytes);
    extent->memory = NULL;
    __atomic_compare_exchange_n(&dt_process.header->file_bytes, &end, extent->offset, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

bool dt_writer_take(size_t bytes, struct dt_extent *extent, long *error)
{
    bool is_ahead;
    uint64_t mask;
    extent->memory = NULL;
    *error = EAGAIN;
    if (!take_lock(&mask))
        return false;
    *error = take_extent(bytes, extent, &is_ahead);
    drop_lock(mask);
    if (!*error)
        dt_file_memory_add(extent->memory, bytes);
    if (*error || is_ahead)
        return *error == 0;
    *error = populate(extent->memory, bytes);
    if (*error)
        give_back(bytes, extent);
    return *error == 0;
}

bool dt_writer_find(uint64_t offset, size_t bytes, struct dt_extent *extent)
{
    uint64_t mask;
    extent->offset = offset;
    extent->memory = NULL;
    if (!take_lock(&mask))
        return false;
    extent->memory = map(offset, bytes);
    drop_lock(mask);
    if (!extent->memory)
        return false;
    dt_file_memory_add(extent->memory, bytes);
    dt_sys_populate(extent->memory, bytes); /* a fault for each page costs more */
    return true;
}

/* ---- for other hosts --------------------------------------------------------------------------- */

static bool is_remote(long fd)
{
    struct statfs status = {0};
    return !dt_failed(dt_syscall(SYS_fstatfs, fd, (long)&status, 0, 0, 0, 0)) &&
           dt_is_remote_file_system((uint32_t)status.f_type);
}

void dt_writer_show(void)
{
    if (!file.is_remote || !dt_may_call(SYS_sync_file_range, 0, 0) || check_path() != 0)
        return;
    long fd = dt_syscall(SYS_open, (long)file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0, 0, 0, 0);
    if (dt_failed(fd))
        return;
    dt_syscall(SYS_sync_file_range, fd, 0, 0, 2 /* SYNC_FILE_RANGE_WRITE: it begins, and is not waited for */, 0, 0);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* ---- extents ahead ----------------------------------------------------------------------------- */

static bool may_grow(void)
{
    return dt_process.active && !(dt_process.header->flags & DT_FILE_STOPPED);
}

static uint64_t size_ahead(void)
{
    uint64_t size = dt_process.header->file_bytes + DT_SIZE_AHEAD, limit = file_limit() & ~(uint64_t)(DT_PAGE - 1);
    return size < limit ? size : limit;
}

void dt_writer_size_ahead(void)
{
    uint64_t mask;
    if (!may_grow() || !take_lock(&mask))
        return;
    grow(size_ahead());
    drop_lock(mask);
}

/* Under the lock, in place of what there is of it. */
static void take_room_ahead(void)
{
    struct dt_extent extent = {.offset = dt_process.header->file_bytes};
    if (file.ahead_bytes == DT_CAPACITY_AHEAD || map_new(DT_CAPACITY_AHEAD, &extent) != 0)
        return;
    if (populate(extent.memory, DT_CAPACITY_AHEAD) != 0) {
        dt_sys_munmap(extent.memory, DT_CAPACITY_AHEAD);
        return;
    }
    if (file.ahead_bytes)
        dt_sys_munmap(file.ahead, file.ahead_bytes);
    file.ahead = extent.memory;
    file.ahead_bytes = DT_CAPACITY_AHEAD;
}

void dt_writer_take_ahead(void)
{
    uint64_t mask;
    if (!may_grow() || !take_lock(&mask))
        return;
    grow(size_ahead());
    take_room_ahead();
    drop_lock(mask);
}

/* ---- the file ---------------------------------------------------------------------------------- */

static void find_path(const char *host, uint64_t now)
{
    char *end = append_text(file.path, dt_process.options.run);
    end = append_text(end, "/processes/");
    end = append_text(end, host);
    end = append_text(end, ".");
    end = append_number(end, dt_sys_pid());
    end = append_text(end, ".");
    end = append_number(end, now);
    append_text(end, ".trace");
}

/* Its first page, mapped; NULL: it cannot be had. */
static struct dt_file_header *map_header(long fd)
{
    struct stat made = {0};
    if (dt_failed(dt_syscall(SYS_fstat, fd, (long)&made, 0, 0, 0, 0)) ||
        dt_failed(dt_syscall(SYS_ftruncate, fd, DT_CHUNK_ALIGN, 0, 0, 0, 0)))
        return NULL;
    file.device = made.st_dev;
    file.inode = made.st_ino;
    uint8_t *mapped = dt_sys_mmap(DT_CHUNK_ALIGN, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    if (!mapped || populate(mapped, DT_CHUNK_ALIGN) == 0)
        return (struct dt_file_header *)mapped;
    dt_sys_munmap(mapped, DT_CHUNK_ALIGN);
    return NULL;
}

/* Before the program runs, or in the child of a fork, where no other thread sees which number is taken. */
static struct dt_file_header *make_file(void)
{
    if (file_limit() < DT_CHUNK_ALIGN)
        return NULL;
    long mode = dt_process.options.shared ? 0644 : 0600;
    long fd = dt_syscall(SYS_open, (long)file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode, 0, 0, 0);
    if (dt_failed(fd))
        return NULL;
    struct dt_file_header *mapped = map_header(fd);
    file.is_remote = is_remote(fd);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    if (!mapped)
        dt_syscall(SYS_unlink, (long)file.path, 0, 0, 0, 0, 0);
    return mapped;
}

bool dt_writer_create(void)
{
    uint64_t now = dt_sys_clock(CLOCK_MONOTONIC);
    if (!dt_process.header)
        return false;
    find_path(dt_process.header->host, now);
    struct dt_file_header *mapped = make_file();
    if (!mapped)
        return false;
    struct dt_file_header head = *dt_process.header;
    head.pid = dt_sys_pid();
    head.ppid = (uint32_t)dt_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
    head.file_bytes = DT_CHUNK_ALIGN;
    head.start_monotonic_ns = now;
    head.start_realtime_ns = dt_sys_clock(CLOCK_REALTIME);
    head.max_bytes = dt_process.options.max_bytes;
    head.arguments_scale = dt_process.options.arguments_scale;
    head.when_full = dt_process.options.when_full;
    head.check = dt_file_header_check(&head);
    file.begin = *mapped = head;
    dt_file_memory_add(mapped, DT_CHUNK_ALIGN);
    dt_process.header = mapped;
    file.lock = 0;
    file.size = DT_CHUNK_ALIGN;
    file.anchor = (uint8_t *)mapped;
    file.anchor_offset = 0;
    file.ahead_bytes = 0;
    dt_writer_show();
    return true;
}

bool dt_writer_is_full(size_t bytes)
{
    uint64_t most = dt_process.options.max_bytes;
    return most && __atomic_load_n(&dt_process.header->file_bytes, __ATOMIC_RELAXED) + bytes > most;
}

struct dt_chunk_header *dt_writer_begin(uint32_t type, uint32_t owner, uint32_t sequence, size_t bytes,
                                        const struct dt_extent *extent)
{
    struct dt_chunk_header *chunk = extent->memory;
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
    struct dt_extent extent;
    bool stops = dt_process.options.when_full == DT_FULL_STOP && dt_writer_is_full(bytes);
    if (stops || !dt_writer_take(bytes, &extent, &error)) {
        dt_writer_stop(error);
        return NULL;
    }
    *offset = extent.offset;
    return dt_writer_begin(type, owner, sequence, bytes, &extent);
}

void dt_writer_publish(struct dt_chunk_header *chunk)
{
    dt_compiler_barrier();
    chunk->magic = DT_CHUNK_MAGIC;
    if (__builtin_expect(file.is_remote, 0))
        dt_writer_show();
}

void dt_writer_write_at(uint64_t offset, const void *data, size_t bytes)
{
    uint64_t low = offset & ~(uint64_t)(DT_PAGE - 1);
    size_t mapped = ((offset + bytes + DT_PAGE - 1) & ~(uint64_t)(DT_PAGE - 1)) - low;
    struct dt_extent extent;
    if (bytes == 0 || !dt_writer_find(low, mapped, &extent))
        return;
    uint8_t *place = (uint8_t *)extent.memory + (offset - low);
    if (bytes == sizeof(uint64_t) && offset % sizeof(uint64_t) == 0)
        *(volatile uint64_t *)place = *(const uint64_t *)data; /* whole, whenever the process dies */
    else
        memcpy(place, data, bytes);
    dt_file_memory_unmap(extent.memory, mapped);
}

void dt_writer_stop(long error)
{
    if (!(__atomic_fetch_or(&dt_process.header->flags, DT_FILE_STOPPED, __ATOMIC_RELAXED) & DT_FILE_STOPPED))
        dt_process.header->stop_errno = (uint32_t)error;
    dt_debug(DT_DEBUG_RECORD, "recording stops, errno", (uint64_t)error, NULL);
}

/* ---- a file that is lost ----------------------------------------------------------------------- */

bool dt_writer_is_whole(void)
{
    struct stat found = {0};
    return dt_failed(dt_syscall(SYS_stat, (long)file.path, (long)&found, 0, 0, 0, 0)) || found.st_dev != file.device ||
           found.st_ino != file.inode || (uint64_t)found.st_size >= file.size;
}

static bool is_header(const struct dt_file_header *header)
{
    return dt_sys_can_read(header) && memcmp(header->magic, DT_FILE_MAGIC, sizeof header->magic) == 0;
}

/* What the file says of itself goes there again if it can, with the reason; and into the memory from which it is read
 * and changed in any case. */
static void restore_header(void)
{
    union {
        struct dt_file_header header;
        uint8_t bytes[DT_CHUNK_ALIGN];
    } first;
    bool own = check_path() == 0;
    long fd = own ? dt_syscall(SYS_open, (long)file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0, 0, 0, 0) : -ENOENT;
    memset(&first, 0, sizeof first);
    if (!dt_failed(fd))
        dt_syscall(SYS_pread64, fd, (long)&first, sizeof first, 0, 0, 0);
    if (!is_header(&first.header))
        first.header = file.begin;
    first.header.flags |= DT_FILE_STOPPED;
    first.header.stop_errno = EFAULT;
    if (!dt_failed(fd)) {
        dt_syscall(SYS_pwrite64, fd, (long)&first, sizeof first, 0, 0, 0);
        dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    }
    if (!is_header(dt_process.header)) {
        dt_syscall(SYS_mmap, (long)dt_process.header, DT_CHUNK_ALIGN, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        memcpy(dt_process.header, &first, sizeof first);
    }
}

void dt_writer_lost(void)
{
    if (!is_header(dt_process.header))
        restore_header();
    dt_writer_stop(EFAULT);
}
