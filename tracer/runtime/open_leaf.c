/* Leaves that are still going on. Runs in signal handlers, maybe where the program has destroyed everything. */
#include "open_leaf.h"

#include "unwind_info.h"

/* If the thread is in a leaf, its call and return are the last word. */
static uint16_t *last_word(const struct dt_thread_state *thread)
{
    bool none = thread->discarding || dt_hot.next % sizeof thread->shared->tail[0] == 0;
    return none ? NULL : (uint16_t *)dt_hot.next - 1;
}

/* Index of the function, or dt_function_count. */
static uint32_t find_function(uint32_t id)
{
    uint32_t index = 0;
    while (index < dt_function_count && dt_function_ids[index] != id)
        index++;
    return index;
}

static bool is_in_leaf(const struct dt_hooked_function *function, uint64_t address)
{
    if (!function->leaf)
        return false;
    if (!function->import)
        return dt_moved_from(address) - function->leaf_address < function->leaf_bytes;
    uint32_t image = dt_image_at(address);
    return image != UINT32_MAX && image == dt_image_at(*(const uint64_t *)function->leaf_address);
}

void dt_leaf_open_again(struct dt_thread_state *thread, uint64_t address, uint64_t sp)
{
    uint16_t *word = last_word(thread);
    if (!word || !dt_tail_is_childless(*word) || dt_hot.top >= thread->real_limit)
        return;
    uint32_t index = find_function(*word & ~DT_TAIL_CHILDLESS);
    if (index == dt_function_count || !is_in_leaf(&dt_functions[index], address))
        return;
    *word &= (uint16_t)~DT_TAIL_CHILDLESS;
    thread->counted = 0;
    dt_compiler_barrier();
    *(struct dt_frame *)dt_hot.top = (struct dt_frame){UINT64_MAX, sp & ~(uint64_t)7, index};
    dt_compiler_barrier();
    dt_hot.top += sizeof(struct dt_frame);
}
