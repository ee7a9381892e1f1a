/* Memory that is reserved whole and committed in steps, and the limits that the process has for it. */
#include "system/reserved_memory.h"

#include <sys/resource.h>

#include "system/system.h"

enum { DT_COMMIT_BYTES = 64 << 10, DT_LEAST_LEFT = 32 << 20 };

static uint64_t soft_limit(int resource)
{
    struct {
        uint64_t soft, hard;
    } limit = {UINT64_MAX, UINT64_MAX};
    dt_syscall(SYS_prlimit64, 0, resource, 0, (long)&limit, 0, 0);
    return limit.soft;
}

size_t dt_reservation_bytes(size_t bytes, uint64_t part)
{
    uint64_t limit = soft_limit(RLIMIT_AS), share = limit / part & ~(uint64_t)4095;
    return limit == UINT64_MAX || bytes < share ? bytes : share;
}

bool dt_reserved_commit(void **memory, size_t most, size_t *committed, size_t needed)
{
    if (!*memory)
        *memory = dt_sys_reserve(most);
    if (!*memory || needed > most)
        return false;
    if (needed <= *committed)
        return true;
    size_t end = (needed + DT_COMMIT_BYTES - 1) & ~(size_t)(DT_COMMIT_BYTES - 1);
    end = end < most ? end : (most + 4095) & ~(size_t)4095;
    if (!dt_sys_commit((uint8_t *)*memory + *committed, end - *committed))
        return false;
    *committed = end;
    return true;
}

/* ---- memory that is kept mapped ------------------------------------------------------------------ */

void dt_keep_mapped(void *memory, size_t bytes)
{
    enum { CALL_MSEAL = 462 };
    static bool is_unknown; /* to the kernel */
    if (!is_unknown)
        is_unknown = dt_syscall(CALL_MSEAL, (long)memory, (long)bytes, 0, 0, 0, 0) == -ENOSYS;
}

bool dt_kept_commit(void **memory, size_t most, size_t *committed, size_t needed)
{
    size_t before = *committed;
    if (!dt_reserved_commit(memory, most, committed, needed))
        return false;
    if (*committed > before)
        dt_keep_mapped((uint8_t *)*memory + before, *committed - before);
    return true;
}

/* In the memory itself. */
struct given_back {
    struct given_back *next;
    size_t bytes;
};
enum { DT_LISTS = 16 };
static struct given_back *given_back[DT_LISTS];

static struct given_back **list_of(size_t bytes)
{
    return &given_back[bytes / 4096 % DT_LISTS];
}

/* Puts a chain of blocks before those of the list. */
static void put_back(struct given_back **list, struct given_back *first)
{
    struct given_back *others = NULL, *last = first;
    if (!first || __atomic_compare_exchange_n(list, &others, first, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        return;
    while (last->next)
        last = last->next;
    do
        last->next = others;
    while (!__atomic_compare_exchange_n(list, &others, first, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Takes the whole list for a moment, so that no lock is needed; meanwhile it is empty for others. */
static void *take_again(size_t bytes)
{
    struct given_back **list = list_of(bytes), *first = __atomic_exchange_n(list, NULL, __ATOMIC_ACQUIRE);
    struct given_back **link = &first;
    while (*link && (*link)->bytes != bytes)
        link = &(*link)->next;
    struct given_back *found = *link;
    if (found) {
        *link = found->next;
        *found = (struct given_back){0};
    }
    put_back(list, first);
    return found;
}

void *dt_kept_allocate(size_t bytes)
{
    size_t whole = (bytes + 4095) & ~(size_t)4095;
    void *memory = take_again(whole);
    if (memory)
        return memory;
    memory = dt_sys_allocate(whole);
    if (memory)
        dt_keep_mapped(memory, whole);
    return memory;
}

void dt_kept_free(void *memory, size_t bytes)
{
    size_t whole = (bytes + 4095) & ~(size_t)4095;
    if (!dt_failed(dt_syscall(SYS_munmap, (long)memory, (long)whole, 0, 0, 0, 0)))
        return;
    dt_sys_clear(memory, whole);
    struct given_back *block = memory;
    *block = (struct given_back){.bytes = whole};
    put_back(list_of(whole), block);
}

/* ---- what the process has ------------------------------------------------------------------------ */

enum { SIZE_FIELD = 0, DATA_FIELD = 5, FIELDS };

/* Of /proc/self/statm, bytes; false: it cannot be read. */
static bool read_sizes(uint64_t *sizes)
{
    char text[256] = {0};
    long fd = dt_syscall(SYS_open, (long)"/proc/self/statm", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (dt_failed(fd))
        return false;
    long length = dt_syscall(SYS_read, fd, (long)text, sizeof text, 0, 0, 0);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    const char *at = text, *end = text + (length > 0 ? length : 0);
    for (int i = 0; i < FIELDS; i++) {
        for (sizes[i] = 0; at < end && *at >= '0' && *at <= '9'; at++)
            sizes[i] = sizes[i] * 10 + (uint64_t)(*at - '0') * 4096;
        at++;
    }
    return length > 0;
}

static bool leaves_enough(int resource, uint64_t used)
{
    uint64_t limit = soft_limit(resource);
    return limit == UINT64_MAX || (used < limit && limit - used >= DT_LEAST_LEFT);
}

bool dt_memory_is_enough(void)
{
    uint64_t sizes[FIELDS];
    return !read_sizes(sizes) ||
           (leaves_enough(RLIMIT_AS, sizes[SIZE_FIELD]) && leaves_enough(RLIMIT_DATA, sizes[DATA_FIELD]));
}
