/* A hash table of handles, open addressing; entries behind a removed one move up, so that it needs no marks. */
#include "native/arguments/calls.h"
#include "system/reserved_memory.h"

/* Times dt_process.options.arguments_scale. */
enum { DT_HANDLE_PLACES = 1 << 16, DT_MOST_HANDLES = DT_HANDLE_PLACES / 4 * 3 };

struct dt_handle_entry {
    uint64_t handle, value;
};

static uint32_t last_place(void)
{
    return DT_HANDLE_PLACES * dt_process.options.arguments_scale - 1;
}

static uint32_t home(uint64_t handle)
{
    return (uint32_t)(handle * 0x9e3779b97f4a7c15u >> 32) & last_place();
}

/* Where the handle is, or would be put. */
static uint32_t find_handle_place(const struct dt_handles *handles, uint64_t handle)
{
    uint32_t at = home(handle), last = last_place();
    while (handles->entries[at].handle && handles->entries[at].handle != handle)
        at = (at + 1) & last;
    return at;
}

bool dt_handles_get(const struct dt_handles *handles, uint64_t handle, uint64_t *value)
{
    if (!handles->entries || !handle)
        return false;
    const struct dt_handle_entry *entry = &handles->entries[find_handle_place(handles, handle)];
    *value = entry->value;
    return entry->handle != 0;
}

bool dt_handles_put(struct dt_handles *handles, uint64_t handle, uint64_t value)
{
    if (!handles->entries)
        handles->entries = dt_kept_allocate(((size_t)last_place() + 1) * sizeof *handles->entries);
    if (!handles->entries || !handle)
        return false;
    struct dt_handle_entry *entry = &handles->entries[find_handle_place(handles, handle)];
    if (!entry->handle && handles->count == DT_MOST_HANDLES * dt_process.options.arguments_scale)
        return false;
    handles->count += !entry->handle;
    *entry = (struct dt_handle_entry){handle, value};
    return true;
}

static void remove_at(struct dt_handles *handles, uint32_t hole)
{
    uint32_t last = last_place();
    for (uint32_t at = hole;;) {
        at = (at + 1) & last;
        if (!handles->entries[at].handle)
            break;
        /* It may move into the hole unless its home lies behind the hole. */
        uint32_t from_home = (at - home(handles->entries[at].handle)) & last;
        if (from_home >= ((at - hole) & last)) {
            handles->entries[hole] = handles->entries[at];
            hole = at;
        }
    }
    handles->entries[hole].handle = 0;
    handles->count--;
}

void dt_handles_remove_if(struct dt_handles *handles, uint64_t handle, uint64_t first, uint64_t last)
{
    if (!handles->entries || !handle)
        return;
    uint32_t at = find_handle_place(handles, handle);
    const struct dt_handle_entry *entry = &handles->entries[at];
    if (entry->handle && entry->value >= first && entry->value <= last)
        remove_at(handles, at);
}

void dt_handles_remove(struct dt_handles *handles, uint64_t handle)
{
    dt_handles_remove_if(handles, handle, 0, UINT64_MAX);
}
