/* Memory within a jump's reach of images. Finding a free place means reading the process's map, so that images near
 * each other share a stretch found for the first of them. */
#include <stdio.h>
#include <stdlib.h>

#include "native/patch/arena.h"
#include "system/reserved_memory.h"
#include "system/system.h"

enum {
    DT_REACH = 0x7f000000, /* a little less than a 32-bit displacement */
    DT_GUARD = 0x10000,    /* stays free on both sides */
    DT_FIXED_BELOW = 0x40000000,
    DT_BELOW_2_GIB = 0x78000000,
    DT_STRETCH_BYTES = 8 << 20, /* what no arena takes is never committed */
    DT_STRETCH_PART = 64        /* of RLIMIT_AS, at most */
};

/* A free place for `bytes`, as near to low..high as can be, or 0. Not right above a fixed-address executable, where the
 * heap grows. */
static uint64_t find_place(FILE *maps, uint64_t low, uint64_t high, size_t bytes)
{
    char line[8192];
    uint64_t previous_end = DT_GUARD, best = 0, best_distance = DT_REACH;
    bool fixed_address = low < DT_FIXED_BELOW;
    while (fgets(line, sizeof line, maps)) {
        char *rest;
        uint64_t start = strtoul(line, &rest, 16), end = *rest == '-' ? strtoul(rest + 1, NULL, 16) : 0;
        if (end <= start)
            continue;
        uint64_t places[2] = {(start - bytes - DT_GUARD) & ~0xfffful, (previous_end + 2 * DT_GUARD) & ~0xfffful};
        for (int i = 0; i < 2 && start > previous_end + bytes + 4 * DT_GUARD; i++) {
            uint64_t place = places[i];
            if (fixed_address && place > low) {
                place = DT_BELOW_2_GIB;
                if (place < previous_end + DT_GUARD || place + bytes + DT_GUARD > start)
                    continue;
            } else if (i == 1 && place > high) {
                continue; /* just above an image: the heap's place */
            }
            uint64_t distance = place < low ? high - place : place + bytes - low;
            if (distance < best_distance) {
                best = place;
                best_distance = distance;
            }
        }
        previous_end = end > previous_end ? end : previous_end;
        if (start > high && start - high > DT_REACH)
            break;
    }
    return best;
}

static bool is_near(uint64_t low, uint64_t high, uint64_t start, uint64_t end)
{
    return (end <= low || end - low < DT_REACH) && (start >= high || high - start < DT_REACH);
}

static uint8_t *map_at(uint64_t place, size_t bytes)
{
    void *memory =
        mmap((void *)place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Without the map: the first place below the image, or below 2 GiB, where the kernel finds nothing. */
static uint8_t *map_by_trial(uint64_t low, uint64_t high, size_t bytes)
{
    enum { STEP = 16 << 20 };
    uint64_t first = low < DT_FIXED_BELOW ? DT_BELOW_2_GIB : (low - bytes - DT_GUARD) & ~0xfffful;
    uint8_t *memory = NULL;
    for (uint64_t place = first; !memory && is_near(low, high, place, place + bytes) && place > STEP; place -= STEP)
        memory = map_at(place, bytes);
    return memory;
}

static uint8_t *map_near(uint64_t low, uint64_t high, size_t bytes)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return map_by_trial(low, high, bytes);
    uint64_t place = find_place(maps, low, high, bytes);
    fclose(maps);
    return place ? map_at(place, bytes) : NULL;
}

static uint8_t *reserve_near(uint64_t low, uint64_t high, size_t bytes)
{
    static uint8_t *next;
    static size_t left;
    if (low < DT_FIXED_BELOW)
        return map_near(low, high, bytes);
    if (bytes > left || !is_near(low, high, (uint64_t)next, (uint64_t)next + bytes)) {
        size_t stretch_bytes = dt_reservation_bytes(DT_STRETCH_BYTES, DT_STRETCH_PART);
        uint8_t *stretch = bytes < stretch_bytes ? map_near(low, high, stretch_bytes) : NULL;
        if (!stretch)
            return map_near(low, high, bytes);
        next = stretch;
        left = stretch_bytes;
    }
    uint8_t *memory = next;
    next += bytes;
    left -= bytes;
    return memory;
}

uint8_t *dt_memory_near(uint64_t low, uint64_t high, size_t bytes)
{
    uint8_t *memory = reserve_near(low, high, bytes);
    return memory && dt_sys_commit(memory, bytes) ? memory : NULL;
}

/* Asked first: whoever forbids it may have a filter that ends the process for trying. */
static bool is_forbidden(void)
{
    enum { PR_GET_MDWE = 66, REFUSE_EXEC_GAIN = 1 }; /* since Linux 6.3 */
    long bits = dt_syscall(SYS_prctl, PR_GET_MDWE, 0, 0, 0, 0, 0);
    return !dt_failed(bits) && (bits & REFUSE_EXEC_GAIN);
}

bool dt_memory_may_change_as_code(void)
{
    if (is_forbidden())
        return false;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return false;
    bool may = mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
    munmap(page, 4096);
    return may;
}
