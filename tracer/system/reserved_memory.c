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
