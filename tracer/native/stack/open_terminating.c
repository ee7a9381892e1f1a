/* Terminating functions that are still going on. Runs in signal handlers, maybe where the program has destroyed
 * everything. */
#include "native/stack/open_terminating.h"

#include "native/stack/shadow_stack.h"
#include "native/stack/unwind_info.h"
#include "record/functions.h"
#include "record/held_signals.h"
#include "record/loaded_images.h"
#include "record/recorder.h"
#include "record/timed_functions.h"

enum { MOST_REPORTING_LEAVES = 256 };

/* Those of all images, by index: a call looks for its caller here, so there must not be many. */
static uint32_t reporting[MOST_REPORTING_LEAVES];
static uint32_t reporting_count;

bool dt_terminating_reports(uint32_t index)
{
    if (reporting_count == MOST_REPORTING_LEAVES)
        return false;
    reporting[reporting_count] = index;
    __atomic_store_n(&reporting_count, reporting_count + 1, __ATOMIC_RELEASE);
    return true;
}

/* If the thread is in a terminating function, its call and return are the last word. */
static uint16_t *last_word(const struct dt_thread_state *thread)
{
    uint64_t next = dt_hot.next;
    if (thread->passed_from && next % DT_TAIL_BYTES == 2 * DT_TAIL_WORDS)
        next = thread->passed_from;
    return thread->discarding || next % DT_TAIL_BYTES == 0 ? NULL : (uint16_t *)next - 1;
}

/* Index of the function, or dt_function_count. */
static uint32_t find_function(uint32_t id)
{
    uint32_t index = 0;
    while (index < dt_function_count && dt_function_ids[index] != id)
        index++;
    return index;
}

static bool is_in_terminating(const struct dt_hooked_function *function, uint64_t address)
{
    if (!function->terminating)
        return false;
    if (!function->import)
        return dt_relocated_from(address) - function->terminating_address < function->terminating_bytes;
    uint32_t image = dt_image_at(address);
    return image != UINT32_MAX && image == dt_image_at(*(const uint64_t *)function->terminating_address);
}

/* Nobody puts anything back into the frame's slot: it says what is there. */
static void open_again(struct dt_thread_state *thread, uint16_t *word, uint64_t sp, uint32_t index)
{
    *word &= (uint16_t)~DT_TAIL_CHILDLESS;
    thread->counted = 0;
    dt_compiler_barrier();
    if (!dt_terminating_is_open(thread)) { /* if another one is, this one is above it */
        thread->open_terminating = (const struct dt_frame *)dt_hot.top;
        thread->open_terminating_index = index;
    }
    dt_shadow_push_frame(sp & ~(uint64_t)7, dt_functions[index].exit_address, index);
    dt_recorder_pass_places(thread);
}

void dt_terminating_open_again(struct dt_thread_state *thread, uint64_t address, uint64_t sp)
{
    uint16_t *word = last_word(thread);
    if (!word || !dt_tail_is_childless(*word) || !dt_shadow_has_capacity(thread))
        return;
    uint32_t index = find_function(*word & ~DT_TAIL_CHILDLESS);
    if (index != dt_function_count && is_in_terminating(&dt_functions[index], address))
        open_again(thread, word, sp, index);
}

/* Index of the reporting function, or dt_function_count. */
static uint32_t find_reporting(uint32_t id, uint64_t address)
{
    uint32_t count = __atomic_load_n(&reporting_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (dt_function_ids[reporting[i]] == id)
            return is_in_terminating(&dt_functions[reporting[i]], address) ? reporting[i] : dt_function_count;
    return dt_function_count;
}

/* Puts its frame below that of the call. */
static void open_caller(struct dt_thread_state *thread)
{
    const struct dt_frame call = ((const struct dt_frame *)dt_hot.top)[-1];
    uint16_t *word = last_word(thread);
    if (!word || !dt_tail_is_childless(*word) || !dt_shadow_has_capacity(thread))
        return;
    uint32_t index = find_reporting(*word & ~DT_TAIL_CHILDLESS, call.return_address - 1);
    if (index == dt_function_count)
        return;
    dt_hot.top -= sizeof call;
    open_again(thread, word, call.slot + sizeof(uint64_t), index);
    dt_shadow_push_frame(call.slot, call.return_address, call.index);
}

void dt_record_pushed_call(uint64_t index)
{
    if (dt_functions[index].reports && dt_self) {
        bool held = dt_signals_hold();
        open_caller(dt_self);
        dt_signals_let(held);
    }
    if (dt_function_is_timed(index) && dt_self)
        dt_timed_function_entered(dt_self, index);
    dt_record_call(index);
}
