/* Calls known by the entry of the offset table that they go through. */
#include "native/plan/named_calls.h"

#include <string.h>

#include "native/plan/imports.h"

enum { DT_PLT_ENTRY_BYTES = 16 };

void dt_named_calls_find(struct dt_named_calls *calls, const struct dt_loaded_image *loaded,
                         bool (*wanted)(const char *name))
{
    *calls = (struct dt_named_calls){.low = UINT64_MAX};
    for (int i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        uint64_t low = segment->p_vaddr + loaded->bias, high = low + segment->p_memsz;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        calls->low = low < calls->low ? low : calls->low;
        calls->high = high > calls->high ? high : calls->high;
    }
    calls->count = dt_imports_find(loaded, wanted, calls->places, DT_MOST_NAMED_CALLS);
    for (uint32_t i = 0; i < calls->count; i++)
        calls->places[i] += loaded->bias;
}

static uint64_t target_of(const uint8_t *end)
{
    int32_t displacement;
    memcpy(&displacement, end - sizeof displacement, sizeof displacement);
    return (uint64_t)end + (uint64_t)(int64_t)displacement;
}

/* The entry of the offset table that a PLT entry jumps to; 0: it is none. */
static uint64_t table_entry_of(const uint8_t *entry)
{
    static const uint8_t branch_mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    if (memcmp(entry, branch_mark, sizeof branch_mark) == 0)
        entry += sizeof branch_mark;
    entry += *entry == 0xf2; /* bnd */
    return entry[0] == 0xff && entry[1] == 0x25 ? target_of(entry + 6) : 0;
}

bool dt_is_named_call(const void *context, const uint8_t *call)
{
    const struct dt_named_calls *calls = context;
    if (calls->count == 0 || *call != 0xe8)
        return false;
    uint64_t entry = target_of(call + 5), place = 0;
    if (entry >= calls->low && entry < calls->high - DT_PLT_ENTRY_BYTES)
        place = table_entry_of((const uint8_t *)entry);
    for (uint32_t i = 0; place && i < calls->count; i++)
        if (calls->places[i] == place)
            return true;
    return false;
}
