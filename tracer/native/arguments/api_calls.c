/* Calls of MPI, OpenMP, pthreads and those that end the process: recorded whoever makes them, once per outermost call,
 * at the entry of the library's own function, so that every binding and function pointer is seen. */
#include "native/arguments/api_calls.h"

#include <fcntl.h>

#include "native/arguments/calls.h"
#include "native/stack/open_frames.h"
#include "native/stack/open_terminating.h"
#include "native/stack/shadow_stack.h"
#include "native/stack/threads.h"
#include "record/api_rules.h"
#include "record/held_signals.h"
#include "record/switch.h"
#include "record/times.h"
#include "record/unrecorded.h"

static void act_at_entry(struct dt_entry_registers *registers, struct dt_thread_state *thread,
                         const struct dt_hooked_function *function, const struct dt_hooked_function *inside)
{
    switch (function->action) {
    case DT_ACTION_MPI_INIT:
        dt_process.header->flags |= DT_FILE_MPI_INITIALISED;
        break;
    case DT_ACTION_MPI_FINALIZE:
        dt_mpi_finalizing();
        break;
    case DT_ACTION_PTHREAD_CREATE:
        dt_thread_created(registers, dt_api_thread_is_library(thread, dt_api_caller(thread), inside));
        break;
    case DT_ACTION_EXIT:
        if (dt_sys_pid() != dt_process.header->pid)
            break; /* the child of a vfork, in its parent's memory */
        if (thread)
            dt_times_look(thread);
        dt_process.header->end_status = (int32_t)(registers->rdi & 0xff);
        dt_process.header->end_monotonic_ns = dt_clock_fine();
        dt_compiler_barrier();
        dt_process.header->end_state = DT_PROCESS_EXITED;
        break;
    default:
        break;
    }
}

/* The call as execveat() would take it. */
static struct dt_exec_call exec_call(const struct dt_entry_registers *registers, uint32_t action)
{
    const struct dt_entry_registers *r = registers;
    if (action == DT_ACTION_EXEC)
        return (struct dt_exec_call){AT_FDCWD, (const char *)r->rdi, 0, (char *const *)r->rdx};
    if (action == DT_ACTION_EXEC_AT)
        return (struct dt_exec_call){(int)r->rdi, (const char *)r->rsi, (int)r->r8, (char *const *)r->rcx};
    return (struct dt_exec_call){(int)r->rdi, "", AT_EMPTY_PATH, (char *const *)r->rdx};
}

/* The call itself, made here: it comes back only if it fails, and then the program makes it again and learns why. */
static void execute(const struct dt_entry_registers *registers, uint32_t action)
{
    long first = (long)registers->rdi, second = (long)registers->rsi, third = (long)registers->rdx;
    if (action == DT_ACTION_EXEC)
        dt_syscall(SYS_execve, first, second, third, 0, 0, 0);
    else if (action == DT_ACTION_EXEC_AT)
        dt_syscall(SYS_execveat, first, second, third, (long)registers->rcx, (long)registers->r8, 0);
    else
        dt_syscall(SYS_execveat, first, (long)"", second, third, AT_EMPTY_PATH, 0);
}

/* Globs are compared by libc, which may be traced. */
static uint32_t foretell(const struct dt_entry_registers *registers, uint32_t action, char *name)
{
    const struct dt_exec_call call = exec_call(registers, action);
    dt_guard++;
    uint32_t reason = dt_exec_foretell(&call, name);
    dt_guard--;
    return reason;
}

/* The child of a vfork or posix_spawn, in its parent's memory: only if it will leave no file it is told. */
static void act_at_exec_of_child(const struct dt_entry_registers *registers, uint32_t action, uint32_t pid)
{
    char name[DT_EXEC_NAME_BYTES];
    uint32_t reason = foretell(registers, action, name);
    if (reason == DT_UNRECORDED_UNKNOWN || reason == DT_UNRECORDED_ON_PURPOSE)
        return;
    struct dt_unrecorded *record = dt_unrecorded_child(dt_process.header, pid, reason, name);
    execute(registers, action);
    dt_unrecorded_withdraw(record);
}

static void act_at_exec(const struct dt_entry_registers *registers, const struct dt_hooked_function *function)
{
    char name[DT_EXEC_NAME_BYTES];
    struct dt_file_header *header = dt_process.header;
    uint32_t pid = dt_sys_pid();
    dt_signal_faults_pass_on(true);
    if (pid != header->pid) {
        act_at_exec_of_child(registers, function->action, pid);
        return;
    }
    dt_unrecorded_executes(foretell(registers, function->action, name), name);
    header->end_monotonic_ns = dt_clock_fine();
    dt_compiler_barrier();
    header->end_state = DT_PROCESS_EXEC;
    execute(registers, function->action);
    header->end_state = DT_PROCESS_RUNNING;
    header->end_monotonic_ns = 0;
    dt_unrecorded_stays();
    dt_signal_faults_pass_on(false);
}

static void record_entry(struct dt_thread_state *thread, struct dt_entry_registers *registers,
                         const struct dt_hooked_function *function)
{
    if (function->timed)
        dt_stamp();
    dt_call_enter(thread, registers);
    if (dt_process.switched)
        dt_switch_after_call(thread, registers->index);
}

static int enter_api_call(struct dt_entry_registers *registers)
{
    if (dt_guard || !dt_process_is_recorded())
        return 1;
    dt_guard++;
    bool traced = false;
    struct dt_thread_state *thread = dt_this_thread();
    if (thread) {
        const struct dt_hooked_function *function = &dt_functions[registers->index];
        dt_shadow_pop_stale(thread, (uint64_t)&registers->return_address, registers->return_address, true);
        const struct dt_hooked_function *inside = dt_api_enclosing_call(thread);
        act_at_entry(registers, thread, function, inside);
        if (dt_switch_lets_in(registers->index))
            dt_switch_before_call(thread, registers->index);
        traced = !dt_process.off && !dt_api_is_inner(function, inside, registers->return_address) &&
                 !dt_binding_asks(function, registers->return_address);
        if (traced && function->api_class == DT_CALL_END)
            dt_terminating_open_again(thread, registers->return_address - 1,
                                      (uint64_t)(&registers->return_address + 1));
        traced = traced && dt_shadow_push(thread, &registers->return_address, registers->index);
        if (traced)
            record_entry(thread, registers, function);
        else
            dt_call_seen(thread, registers, inside);
        if (function->action == DT_ACTION_EXIT || function->api_class == DT_CALL_END)
            dt_open_frames_keep(DT_OPEN_END, NULL);
    }
    dt_guard--;
    return !traced;
}

static enum dt_answer enter_with_care(struct dt_entry_registers *registers)
{
    bool held = dt_signals_hold();
    enum dt_answer answer = enter_api_call(registers) ? DT_LEFT_ALONE : DT_TRACED;
    dt_signals_let(held);
    if (dt_functions[registers->index].action >= DT_ACTION_EXEC && dt_process.active && !dt_guard)
        act_at_exec(registers, &dt_functions[registers->index]);
    return answer;
}

int dt_api_entry(struct dt_entry_registers *registers)
{
    enum dt_answer answer = dt_call_enter_quickly(registers);
    if (answer == DT_UNCLEAR)
        answer = enter_with_care(registers);
    return answer == DT_LEFT_ALONE;
}

enum dt_api_return dt_api_returns(const struct dt_hooked_function *function)
{
    if (function->timed || dt_function_acts(function) || dt_call_leaves(function) || dt_process.can_jump)
        return DT_RETURN_ASKS;
    return function->tells_failure ? DT_RETURN_FAILED : DT_RETURN_PLAIN;
}

void dt_api_exit(struct dt_exit_registers *registers)
{
    bool held = dt_signals_hold();
    uint64_t index = dt_shadow_leaving_index(registers);
    if (index == DT_NO_FUNCTION) {
        dt_slow_exit(registers);
        dt_signals_let(held);
        return;
    }
    const struct dt_hooked_function *function = &dt_functions[index];
    uint64_t ticks = function->timed ? dt_stamp() : 0;
    if (ticks && dt_self && ticks - dt_self->times.looked > DT_LOOK_TICKS)
        dt_times_look(dt_self);
    if (dt_self && dt_process.options.arguments)
        dt_call_leave(registers, function);
    if (!dt_leave_top(registers))
        dt_slow_exit(registers);
    if (function->action == DT_ACTION_PTHREAD_CREATE)
        dt_thread_creation_done((int)registers->rax);
    else if (function->action == DT_ACTION_MPI_FINALIZE)
        dt_process.header->flags |= DT_FILE_MPI_FINALIZED;
    dt_signals_let(held);
}
