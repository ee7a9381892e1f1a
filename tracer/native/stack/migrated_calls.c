/* Calls that are entered on one kernel thread and return on another: those of fibers that migrate while calls are open.
 *
 * A thread's frames are its own to push and pop. Two things are done with those of others, both under one lock: a call
 * that returns without a frame of its thread's is looked for among the frames of the others, and its frame loses its
 * slot there; and a thread that forgets a frame on a stack that is not its own puts the return address back and keeps a
 * note, because the call may be returning at this moment. */
#include "native/stack/migrated_calls.h"

#include "record/functions.h"

enum { DT_FORGOTTEN_BITS = 12 };

static struct {
    uint32_t lock;
    struct dt_thread_state *threads;
    struct dt_frame forgotten[1 << DT_FORGOTTEN_BITS]; /* by slot; the last one of it */
} migrated;

uint64_t dt_migrated_lock(void)
{
    uint64_t mask = dt_sys_block_signals();
    while (__atomic_exchange_n(&migrated.lock, 1, __ATOMIC_ACQUIRE))
        dt_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    return mask;
}

bool dt_migrated_try_lock(uint64_t *mask)
{
    enum { MOST_YIELDS = 10000 };
    *mask = dt_sys_block_signals();
    for (int i = 0; __atomic_exchange_n(&migrated.lock, 1, __ATOMIC_ACQUIRE); i++) {
        if (i == MOST_YIELDS) {
            dt_sys_restore_signals(*mask);
            return false;
        }
        dt_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    }
    return true;
}

struct dt_thread_state *dt_migrated_threads(void)
{
    return migrated.threads;
}

void dt_migrated_unlock(uint64_t mask)
{
    __atomic_store_n(&migrated.lock, 0, __ATOMIC_RELEASE);
    dt_sys_restore_signals(mask);
}

/* ---- threads --------------------------------------------------------------------------------- */

void dt_migrated_join(struct dt_thread_state *thread)
{
    uint64_t mask = dt_migrated_lock();
    thread->hot = &dt_hot;
    thread->next_live = migrated.threads;
    migrated.threads = thread;
    dt_migrated_unlock(mask);
}

void dt_migrated_leave(struct dt_thread_state *thread)
{
    uint64_t mask = dt_migrated_lock();
    struct dt_thread_state **at = &migrated.threads;
    while (*at && *at != thread)
        at = &(*at)->next_live;
    if (*at)
        *at = thread->next_live;
    dt_migrated_unlock(mask);
}

void dt_migrated_reset(struct dt_thread_state *thread)
{
    migrated.lock = 0;
    migrated.threads = NULL;
    if (thread && thread->hot)
        dt_migrated_join(thread);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static struct dt_frame *note_of(uint64_t slot)
{
    return &migrated.forgotten[slot * 0x9e3779b97f4a7c15u >> (64 - DT_FORGOTTEN_BITS)];
}

void dt_migrated_forget(const struct dt_frame *frame)
{
    *note_of(frame->slot) = *frame;
}

/* What is on the stack in the slot's place: the index, or what the thread that entered has put back meanwhile. */
static bool fits(const struct dt_frame *frame, uint64_t slot, uint64_t content)
{
    return frame->slot == slot && (content == frame->index || content == frame->return_address ||
                                   content == dt_functions[frame->index].exit_address);
}

/* The topmost frame that fits, as it was at one moment: the thread may be using the place again. */
static struct dt_frame *find_frame(const struct dt_thread_state *thread, uint64_t slot, uint64_t content,
                                   struct dt_frame *found)
{
    uint64_t top = __atomic_load_n(&thread->hot->top, __ATOMIC_ACQUIRE);
    for (struct dt_frame *frame = (struct dt_frame *)top - 1; frame > thread->frames; frame--) {
        found->slot = __atomic_load_n(&frame->slot, __ATOMIC_ACQUIRE);
        found->index = __atomic_load_n(&frame->index, __ATOMIC_ACQUIRE);
        found->return_address = __atomic_load_n(&frame->return_address, __ATOMIC_ACQUIRE);
        if (found->slot == slot && fits(found, slot, content) &&
            __atomic_load_n(&frame->slot, __ATOMIC_ACQUIRE) == slot)
            return frame;
    }
    return NULL;
}

/* None, if two threads have frames that fit and do not agree. */
static bool take_open(uint64_t slot, uint64_t content, uint64_t *return_address)
{
    struct dt_frame *place = NULL, found;
    for (const struct dt_thread_state *thread = migrated.threads; thread; thread = thread->next_live) {
        struct dt_frame *here = find_frame(thread, slot, content, &found);
        if (here && place && found.return_address != *return_address)
            return false;
        if (here) {
            place = here;
            *return_address = found.return_address;
        }
    }
    return place && __atomic_compare_exchange_n(&place->slot, &slot, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool take_forgotten(uint64_t slot, uint64_t content, uint64_t *return_address)
{
    struct dt_frame *note = note_of(slot);
    if (!fits(note, slot, content))
        return false;
    *return_address = note->return_address;
    note->slot = 0;
    return true;
}

bool dt_migrated_take(uint64_t slot, uint64_t content, uint64_t *return_address)
{
    uint64_t mask = dt_migrated_lock();
    bool taken = take_open(slot, content, return_address) || take_forgotten(slot, content, return_address);
    dt_migrated_unlock(mask);
    return taken;
}
