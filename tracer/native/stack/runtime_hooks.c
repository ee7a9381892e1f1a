/* Functions that are not traced but watched: unwinders, which must see the program's own return addresses; and the
 * loader, when images come and go. */
#include <ucontext.h>

#include "native/stack/shadow_stack.h"
#include "native/stack/unwind_info.h"
#include "native/x86_64/try_load.h"
#include "record/held_signals.h"
#include "record/loaded_images.h"
#include "record/switch.h"

/* ---- backtraces ------------------------------------------------------------------------------ */

typedef int backtrace_callback(void *context, void *argument);
typedef int backtrace_function(backtrace_callback *callback, void *argument);

struct backtrace {
    backtrace_callback *callback;
    void *argument;
    int own_frames; /* still to come: of walk_stack(), dt_runtime_hook() and the stub */
};

static int pass_on(void *context, void *argument)
{
    struct backtrace *backtrace = argument;
    if (backtrace->own_frames > 0) {
        backtrace->own_frames--;
        return 0; /* _URC_NO_REASON */
    }
    return backtrace->callback(context, backtrace->argument);
}

/* In the unwinder's stead, as it returns: until then the program's return addresses are on the stack, afterwards ours
 * again, so that a signal handler that looks at the stack leaves everything as it found it. */
static __attribute__((noinline)) void walk_stack(struct dt_entry_registers *registers, struct dt_thread_state *thread)
{
    /* The relocated instructions and all that follows them: behind the call in its stub. */
    backtrace_function *walk = (backtrace_function *)registers->stub;
    struct backtrace backtrace = {(backtrace_callback *)registers->rdi, (void *)registers->rsi, 3};
    bool nested = thread->unwinding;
    bool closed = !dt_hot.limit;
    uint64_t outer_sp = thread->unwind_sp;
    dt_shadow_put_back(thread, (uint64_t)&registers->return_address);
    registers->rax = (uint64_t)(int64_t)walk(pass_on, &backtrace);
    if (nested)
        thread->unwind_sp = outer_sp;
    else if (thread->unwinding)
        dt_shadow_divert(thread);
    if (closed)
        dt_switch_close(thread);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Not a library on its own account, inside a call of MPI's or another of its own. */
static bool is_program_calling(const struct dt_thread_state *thread)
{
    const struct dt_frame *frame = (const struct dt_frame *)dt_hot.top - 1;
    return thread && frame > thread->frames && dt_functions[frame->index].own_image &&
           !dt_functions[frame->index].import;
}

static bool answer_for_arenas(struct dt_entry_registers *registers)
{
    struct dt_unwind_bases bases;
    const uint8_t *description = dt_unwind_info_find(registers->rdi, &bases);
    if (!description)
        return false;
    *(struct dt_unwind_bases *)registers->rsi = bases;
    registers->rax = (uint64_t)description;
    return true;
}

static void look_at_images(const struct dt_thread_state *thread)
{
    dt_guard++;
    dt_images_changed(is_program_calling(thread));
    dt_guard--;
}

static void divert_again(struct dt_thread_state *thread, const uint64_t *slot)
{
    dt_guard++;
    dt_recorder_come_back(thread);
    dt_shadow_pop_left(thread, slot);
    dt_shadow_divert(thread);
    dt_guard--;
}

/* The calls that it leaves return now: terminating functions do not look for them. */
static void jump(struct dt_thread_state *thread, uint64_t stack)
{
    if (!thread || dt_guard)
        return;
    bool held = dt_signals_hold();
    dt_guard++;
    dt_shadow_pop_stale(thread, stack, 0, false);
    dt_guard--;
    dt_signals_let(held);
}

/* What the C library keeps in a jmp_buf: encrypted, see PTR_MANGLE there. A bad address is left to the C library. */
static void jump_by_buffer(struct dt_thread_state *thread, uint64_t buffer)
{
    enum { STACK = 6, TURNED_BY = 17 };
    uint64_t key, kept;
    __asm__("mov %%fs:0x30, %0" : "=r"(key));
    if (dt_try_load(&kept, buffer + STACK * sizeof kept))
        jump(thread, (kept >> TURNED_BY | kept << (64 - TURNED_BY)) ^ key);
}

/* The C library answers EFAULT where no context can be read. */
static void jump_by_context(struct dt_thread_state *thread, uint64_t context)
{
    uint64_t stack;
    if (dt_try_load(&stack, context + offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP])))
        jump(thread, stack);
}

int dt_runtime_hook(struct dt_entry_registers *registers)
{
    struct dt_thread_state *thread = dt_self;
    uint64_t slot = (uint64_t)&registers->return_address;
    switch (registers->index) {
    case DT_HOOK_UNWIND:
        if (thread)
            dt_shadow_put_back(thread, slot);
        return 0;
    case DT_HOOK_BACKTRACE:
        if (thread)
            walk_stack(registers, thread);
        return thread != NULL;
    case DT_HOOK_FIND_FDE:
        return answer_for_arenas(registers);
    case DT_HOOK_CATCH:
        if (thread && thread->unwinding && !dt_guard)
            divert_again(thread, &registers->return_address);
        return 0;
    case DT_HOOK_JUMP:
        jump_by_buffer(thread, registers->rdi);
        return 0;
    case DT_HOOK_CONTEXT:
        jump_by_context(thread, registers->rdi);
        return 0;
    case DT_HOOK_SWAP:
        jump_by_context(thread, registers->rsi);
        return 0;
    case DT_HOOK_LOADER:
        look_at_images(thread);
        return 0;
    default:
        return 0;
    }
}
