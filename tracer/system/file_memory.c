/* Extents of the trace file that are mapped, by a hash of their start. Threads add and remove their own without a lock;
 * all of them are looked through after a fault alone. */
#include "system/file_memory.h"

#include "system/system.h"

enum {
    PLACE_BITS = 16,
    PLACES = 1 << PLACE_BITS,
    MOST_TRIES = 64, /* then the extent is not known, and a fault there is the program's */
    BEING_FILLED = 1,
    PAGE_BYTES = 4096
};

struct extent {
    uint64_t start; /* 0: a free place; BEING_FILLED */
    uint64_t bytes;
};
static struct extent extents[PLACES];

static struct extent *find_place(uint64_t start, unsigned attempt)
{
    return &extents[((start * 0x9e3779b97f4a7c15u >> (64 - PLACE_BITS)) + attempt) % PLACES];
}

void dt_file_memory_add(const void *memory, size_t bytes)
{
    uint64_t start = (uint64_t)memory;
    for (unsigned attempt = 0; attempt < MOST_TRIES; attempt++) {
        struct extent *extent = find_place(start, attempt);
        uint64_t none = 0;
        if (!__atomic_compare_exchange_n(&extent->start, &none, BEING_FILLED, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        extent->bytes = bytes;
        __atomic_store_n(&extent->start, start, __ATOMIC_RELEASE);
        return;
    }
}

void dt_file_memory_unmap(void *memory, size_t bytes)
{
    for (unsigned attempt = 0; attempt < MOST_TRIES; attempt++) {
        struct extent *extent = find_place((uint64_t)memory, attempt);
        if (__atomic_load_n(&extent->start, __ATOMIC_RELAXED) != (uint64_t)memory)
            continue;
        __atomic_store_n(&extent->start, 0, __ATOMIC_RELEASE);
        break;
    }
    dt_sys_munmap(memory, bytes);
}

static bool find_end(uint64_t address, uint64_t *end)
{
    for (unsigned i = 0; i < PLACES; i++) {
        uint64_t start = __atomic_load_n(&extents[i].start, __ATOMIC_ACQUIRE);
        *end = start + extents[i].bytes;
        if (start > BEING_FILLED && address >= start && address < *end)
            return true;
    }
    return false;
}

static bool replace(uint64_t start, uint64_t end)
{
    return !dt_failed(dt_syscall(SYS_mmap, (long)start, (long)(end - start), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

bool dt_file_memory_replace(uint64_t address, bool is_cut)
{
    uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1), end;
    return find_end(address, &end) && ((is_cut && replace(page, end)) || replace(page, page + PAGE_BYTES));
}
