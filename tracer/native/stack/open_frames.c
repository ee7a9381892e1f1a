/* Return addresses of open calls. Runs in signal handlers, maybe where the program has destroyed everything: what is
 * not ours is read by a system call that fails where nothing is. */
#include "native/stack/open_frames.h"

#include <sys/uio.h>

#include "format/checks.h"
#include "native/stack/migrated_calls.h"
#include "native/stack/unwind_info.h"
#include "record/functions.h"
#include "record/loaded_images.h"
#include "record/process.h"

enum {
    MOST_TRIES = 20,      /* of a thread that runs */
    MOST_SEARCHED = 4096, /* words of the stack */
    CALL_BYTES = 8        /* before a return address, more than a call has */
};

bool dt_memory_read(uint64_t from, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)from, bytes};
    return dt_syscall(SYS_process_vm_readv, dt_sys_pid(), (long)&here, 1, (long)&there, 1, 0) == (long)bytes;
}

/* ---- places -------------------------------------------------------------------------------------- */

static void set_place(struct dt_open_frame *frame, uint64_t address)
{
    uint32_t image = dt_image_at(address);
    frame->image = 0;
    frame->address = 0;
    if (image >= UINT16_MAX)
        return;
    dt_function_site_image(image);
    frame->image = (uint16_t)(image + 1);
    frame->address = address - dt_image_bias(image);
}

/* ---- calls on the stack -------------------------------------------------------------------------- */

/* call rel32, to `target` if that is not 0; or one of the forms of call *r/m64. */
static bool follows_call(uint64_t address, uint64_t target)
{
    uint8_t code[CALL_BYTES] = {0};
    int32_t distance;
    if (!dt_memory_read(address - CALL_BYTES, code, CALL_BYTES))
        return false;
    memcpy(&distance, code + CALL_BYTES - sizeof distance, sizeof distance);
    if (code[CALL_BYTES - 5] == 0xe8 && (!target || address + (uint64_t)(int64_t)distance == target))
        return true;
    for (int length = 2; length <= 7; length++)
        if (code[CALL_BYTES - length] == 0xff && (code[CALL_BYTES - length + 1] & 0x38) == 0x10)
            return true;
    return false;
}

/* The first return address into the image on the stack below `end`; 0: none. What functions left there that returned
 * before may look like one, too. */
static uint64_t find_return(uint32_t image, uint64_t sp, uint64_t end, uint64_t target)
{
    uint64_t word = 0;
    sp &= ~(uint64_t)7;
    for (int i = 0; i < MOST_SEARCHED && sp < end; i++, sp += sizeof word) {
        if (!dt_memory_read(sp, &word, sizeof word))
            return 0;
        if (dt_image_has(image, word) && follows_call(word, target))
            return word;
    }
    return 0;
}

/* Of a function that its caller's end has jumped to: there is no return address of its own. */
static bool is_tail_called(const struct dt_frame *frame, uint64_t return_address)
{
    const struct dt_hooked_function *below = &dt_functions[frame[-1].index];
    return frame[-1].slot == frame->slot && below->exit_address == return_address;
}

/* It was opened again when it was found to be going on: its slot is where the stack ended then. */
static uint64_t return_of_terminating(const struct dt_frame *frame)
{
    const struct dt_hooked_function *function = &dt_functions[frame->index];
    uint64_t target = function->import ? 0 : function->terminating_address;
    return find_return(function->image, frame->slot, frame[-1].slot, target);
}

static uint64_t return_address_of(const struct dt_frame *frame)
{
    uint64_t address = frame->return_address;
    if (!address && !dt_memory_read(frame->slot, &address, sizeof address))
        return 0;
    if (dt_functions[frame->index].terminating)
        return return_of_terminating(frame);
    return is_tail_called(frame, address) ? 0 : address;
}

static void keep_frame(struct dt_open_frame *kept, const struct dt_frame *frame)
{
    const struct dt_hooked_function *function = &dt_functions[frame->index];
    set_place(kept, return_address_of(frame));
    kept->function_image = (uint16_t)(function->image + 1);
    kept->function_symbol = function->symbol | (function->import ? DT_OPEN_IMPORT : 0);
}

/* ---- where a signal hit -------------------------------------------------------------------------- */

/* The image of the innermost open function that is the program's own; UINT32_MAX: there is none. */
static uint32_t own_image(const struct dt_thread_state *thread, uint64_t top, const struct dt_frame **frame)
{
    for (*frame = (const struct dt_frame *)top - 1; *frame > thread->frames; --*frame) {
        const struct dt_hooked_function *function = &dt_functions[(*frame)->index];
        if (function->own_image && !function->import)
            return function->image;
    }
    return UINT32_MAX;
}

static void keep_hit(struct dt_open_frames *kept, const struct dt_thread_state *thread, const struct dt_open_hit *hit)
{
    const struct dt_frame *frame;
    const greg_t *registers = hit->context->uc_mcontext.gregs;
    uint64_t at = dt_relocated_from((uint64_t)registers[REG_RIP]);
    uint32_t image = own_image(thread, hit->top, &frame);
    kept->hit = (struct dt_open_frame){0};
    if (image == UINT32_MAX)
        return;
    if (dt_image_has(image, at)) {
        set_place(&kept->hit, at);
        return;
    }
    /* A library that is not traced was called from there. Calls that are recorded have their return addresses. */
    if (frame != (const struct dt_frame *)hit->top - 1)
        return;
    uint64_t caller = find_return(image, (uint64_t)registers[REG_RSP], frame->slot, 0);
    if (caller)
        set_place(&kept->hit, caller - 1);
}

/* ---- threads ------------------------------------------------------------------------------------- */

static void copy_frames(struct dt_open_frames *kept, const struct dt_thread_state *thread, uint64_t top)
{
    kept->depth = kept->count = 0;
    for (const struct dt_frame *frame = (const struct dt_frame *)top - 1; frame > thread->frames; frame--) {
        kept->depth++;
        if (kept->count < DT_OPEN_FRAMES && frame->index < dt_function_count)
            keep_frame(&kept->frames[kept->count++], frame);
    }
}

static void keep_thread(struct dt_thread_state *thread, enum dt_open_cause cause, const struct dt_open_hit *hit)
{
    struct dt_open_frames *kept = &thread->shared->open_frames;
    const struct dt_hot *hot = thread->hot ? thread->hot : &dt_hot;
    uint64_t top, next;
    int tries = 0;
    kept->check = 0;
    dt_compiler_barrier();
    do {
        top = hit ? hit->top : __atomic_load_n(&hot->top, __ATOMIC_ACQUIRE);
        next = __atomic_load_n(&hot->next, __ATOMIC_ACQUIRE);
        copy_frames(kept, thread, top);
        tries++;
    } while (
        thread != dt_self && tries < MOST_TRIES &&
        (__atomic_load_n(&hot->top, __ATOMIC_ACQUIRE) != top || __atomic_load_n(&hot->next, __ATOMIC_ACQUIRE) != next));
    kept->cause = cause;
    kept->fault_address = hit ? hit->fault_address : 0;
    kept->hit = (struct dt_open_frame){0};
    if (hit)
        keep_hit(kept, thread, hit);
    dt_compiler_barrier();
    kept->check = dt_open_frames_check(kept);
}

void dt_open_frames_keep(enum dt_open_cause cause, const struct dt_open_hit *hit)
{
    uint64_t mask;
    struct dt_thread_state *own = dt_self;
    if (!dt_process.active || dt_sys_pid() != dt_process.header->pid)
        return;
    if (own && own->shared)
        keep_thread(own, cause, hit);
    if (!dt_migrated_try_lock(&mask))
        return;
    for (struct dt_thread_state *thread = dt_migrated_threads(); thread; thread = thread->next_live)
        if (thread != own && thread->shared)
            keep_thread(thread, cause == DT_OPEN_FAULT ? DT_OPEN_SIGNAL : cause, NULL);
    dt_migrated_unlock(mask);
}
