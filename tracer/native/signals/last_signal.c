/* What is noted of a watched signal, and the default action. Runs in signal handlers, maybe where the program has
 * destroyed everything: system calls only, and nothing that is not ours is looked at. */

#include <ucontext.h>

#include "format/checks.h"
#include "native/signals/signals.h"
#include "native/stack/open_frames.h"
#include "native/stack/open_terminating.h"
#include "native/stack/unwind_info.h"
#include "record/debug.h"
#include "record/functions.h"
#include "record/process.h"
#include "record/recorder.h"
#include "record/trace_writer.h"

/* ---- the record --------------------------------------------------------------------------------- */

static uint32_t innermost_function(const struct dt_thread_state *thread)
{
    const struct dt_frame *frame = (const struct dt_frame *)dt_hot.top - 1;
    return frame > thread->frames ? dt_function_ids[frame->index] : 0;
}

/* False: a child of vfork, in its parent's memory, or a thread that shares another one's thread-local memory. */
static bool is_own_record(const struct dt_thread_state *thread)
{
    return thread && thread->shared && dt_process.active && dt_sys_pid() == dt_process.header->pid &&
           dt_sys_tid() == thread->shared->tid;
}

static bool is_there(const struct dt_thread_state *thread, const greg_t *registers)
{
    return dt_relocated_from((uint64_t)registers[REG_RIP]) == thread->signal_place.pc &&
           (uint64_t)registers[REG_RSP] == thread->signal_place.sp;
}

static bool is_fault(int number, const siginfo_t *info)
{
    /* The kernel does not say which address was no address at all. */
    return (number == SIGSEGV || number == SIGBUS) && info && info->si_code > 0 && info->si_code != SI_KERNEL;
}

static void set_place(struct dt_thread_state *thread, int number, const siginfo_t *info, const ucontext_t *context)
{
    thread->signal_place.pc = dt_relocated_from((uint64_t)context->uc_mcontext.gregs[REG_RIP]);
    thread->signal_place.sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
    thread->signal_place.top = dt_hot.top;
    thread->signal_place.is_fault = is_fault(number, info);
    thread->signal_place.fault_address = thread->signal_place.is_fault ? (uint64_t)info->si_addr : 0;
    thread->signal_place.context = context;
}

static void keep_open_frames(const struct dt_thread_state *thread, const ucontext_t *context)
{
    const struct dt_open_hit hit = {context, thread->signal_place.top, thread->signal_place.fault_address};
    dt_open_frames_keep(thread->signal_place.is_fault ? DT_OPEN_FAULT : DT_OPEN_SIGNAL, &hit);
}

/* Of a signal that is not watched. */
static void keep_plain_frames(const ucontext_t *context)
{
    dt_open_frames_keep(DT_OPEN_SIGNAL, &(struct dt_open_hit){context, dt_hot.top, 0});
}

/* Handlers that end the program send the signal once more, for the default action. It comes while the handler is going
 * on, or, where it was blocked until the handler came back, where the first one did. The context that says where that
 * was; NULL: it is another signal. */
static const ucontext_t *first_context(const struct dt_thread_state *thread, int number, const siginfo_t *info,
                                       const ucontext_t *context)
{
    const struct dt_last_signal *last = &thread->shared->last_signal;
    const ucontext_t *first = thread->signal_place.context;
    greg_t kept[NGREG];
    if (last->number != (uint32_t)number || last->fate != DT_SIGNAL_HANDLED || !info || info->si_code > 0 ||
        (uint32_t)info->si_pid != dt_sys_pid() || dt_hot.top < thread->signal_place.top)
        return NULL;
    if (is_there(thread, context->uc_mcontext.gregs))
        return context;
    if (dt_memory_read((uint64_t)first->uc_mcontext.gregs, kept, sizeof kept) && is_there(thread, kept))
        return first;
    return NULL;
}

static void set_fate(struct dt_last_signal *last, uint32_t fate)
{
    last->check = 0;
    dt_compiler_barrier();
    last->fate = fate;
    dt_compiler_barrier();
    last->check = dt_last_signal_check(last);
}

/* False: there is nobody to note it of. `info` is NULL if the program's handler has none. */
static bool note_signal(int number, const siginfo_t *info, const ucontext_t *context, uint32_t fate)
{
    struct dt_thread_state *thread = dt_self;
    if (!is_own_record(thread))
        return false;
    struct dt_last_signal *last = &thread->shared->last_signal;
    dt_terminating_open_again(thread, (uint64_t)context->uc_mcontext.gregs[REG_RIP],
                              (uint64_t)context->uc_mcontext.gregs[REG_RSP]);
    const ucontext_t *first = first_context(thread, number, info, context);
    if (first) {
        set_fate(last, fate);
        keep_open_frames(thread, first); /* what the handler called has put its own there */
        return true;
    }
    set_place(thread, number, info, context);
    last->check = 0;
    dt_compiler_barrier();
    last->number = (uint32_t)number;
    last->fate = fate;
    last->code = info ? info->si_code : 0;
    last->sender = info && info->si_code <= 0 ? (uint32_t)info->si_pid : 0;
    last->monotonic_ns = dt_clock_fine();
    last->words = thread->discarding ? thread->words : dt_record_position(thread);
    last->function = innermost_function(thread);
    dt_compiler_barrier();
    last->check = dt_last_signal_check(last);
    keep_open_frames(thread, context);
    dt_debug(DT_DEBUG_SIGNALS, "noted, signal", (uint64_t)number, NULL);
    return true;
}

bool dt_signal_is_watched(int number)
{
    static const uint64_t watched =
        1ull << SIGSEGV | 1ull << SIGBUS | 1ull << SIGFPE | 1ull << SIGILL | 1ull << SIGABRT;
    return number > 0 && number < 64 && (watched >> number & 1);
}

bool dt_signal_ends(int number)
{
    return number == SIGTERM || dt_signal_is_watched(number);
}

static void come_again(int number)
{
    (void)number;
}

/* What it calls meets the raised guard. */
static void count_unseen(void)
{
    if (dt_guard)
        __atomic_fetch_add(&dt_process.header->unseen_handlers, 1, __ATOMIC_RELAXED);
}

uint64_t dt_signal_seen(int number, siginfo_t *info, void *context)
{
    if (dt_own_fault(number, info, context) || dt_signal_comes_later(number, info, context))
        return (uint64_t)come_again;
    if (dt_signal_is_kept_open(number, context)) { /* of a fault that the program has blocked the kernel makes an end */
        dt_signal_default(number, info, context);
        return (uint64_t)come_again;
    }
    dt_interrupted_word_finish(context);
    if (!dt_signal_is_taken_at_once(number) && dt_signal_defer(number, info, context))
        return (uint64_t)come_again;
    dt_signal_put_in_order(number, info);
    uint64_t handler = dt_signal_handler(number, info);
    if (!handler)
        return (uint64_t)come_again;
    count_unseen();
    if (dt_signal_is_watched(number))
        note_signal(number, info, context, DT_SIGNAL_HANDLED);
    else if (number == SIGTERM)
        keep_plain_frames(context);
    dt_fault_place_show(number, info, context);
    return handler;
}

static void note_end(int number)
{
    struct dt_file_header *header = dt_process.header;
    header->end_status = number;
    header->end_monotonic_ns = dt_clock_fine();
    dt_compiler_barrier();
    header->end_state = DT_PROCESS_SIGNAL;
}

/* All signals are blocked meanwhile: the one sent here comes when we have returned, where the first one did. */
void dt_signal_default(int number, siginfo_t *info, void *context)
{
    static const uint64_t default_action[4];
    if (dt_own_fault(number, info, context) || dt_signal_comes_later(number, info, context))
        return;
    dt_interrupted_word_finish(context);
    if (!dt_writer_is_whole())
        dt_writer_lost();
    else if (!dt_signal_is_watched(number))
        keep_plain_frames(context);
    else if (note_signal(number, info, context, DT_SIGNAL_FATAL))
        note_end(number);
    dt_syscall(SYS_rt_sigaction, number, (long)default_action, 0, sizeof(uint64_t), 0, 0);
    dt_signal_send_again(number, info);
}
