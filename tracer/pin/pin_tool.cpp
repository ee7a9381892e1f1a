/* The Pin tool: what Pin sees of the program, told to the engine (engine.h). C++ because Pin is; nothing else is here.
 *
 * All functions are found by the engine in the images' files, so that they are the same as those of the preloaded
 * runtime; Pin's own symbols are not used. */
#include <sys/syscall.h>

#include "pin.H"

#include "engine.h"

namespace {

TLS_KEY own_key;

const UINT64 clone_thread = 0x10000; // CLONE_THREAD

// ---- events

VOID PIN_FAST_ANALYSIS_CALL on_call(UINT64 function, const ADDRINT* sp)
{
    dt_engine_call(function, reinterpret_cast<ADDRINT>(sp), *sp);
}

VOID PIN_FAST_ANALYSIS_CALL on_return(ADDRINT sp)
{
    dt_engine_return(sp);
}

VOID instrument(INS instruction)
{
    ADDRINT address = INS_Address(instruction);
    UINT64 function = dt_engine_function_at(address);
    if (function != DT_ENGINE_NONE)
        INS_InsertCall(instruction, IPOINT_BEFORE, AFUNPTR(on_call), IARG_FAST_ANALYSIS_CALL, IARG_UINT64, function,
                       IARG_REG_VALUE, REG_STACK_PTR, IARG_CALL_ORDER, CALL_ORDER_FIRST, IARG_END);
    if (INS_IsRet(instruction) && dt_engine_in_function(address))
        INS_InsertCall(instruction, IPOINT_BEFORE, AFUNPTR(on_return), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE,
                       REG_STACK_PTR, IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_END);
}

VOID on_trace(TRACE trace, VOID*)
{
    for (BBL block = TRACE_BblHead(trace); BBL_Valid(block); block = BBL_Next(block))
        for (INS instruction = BBL_InsHead(block); INS_Valid(instruction); instruction = INS_Next(instruction))
            instrument(instruction);
}

// ---- images

VOID on_image_loaded(IMG image, VOID*)
{
    if (!IMG_IsVDSO(image))
        dt_engine_image_loaded(IMG_Name(image).c_str(), IMG_LoadOffset(image), IMG_IsMainExecutable(image));
}

VOID on_image_unloaded(IMG image, VOID*)
{
    dt_engine_image_unloaded(IMG_LoadOffset(image));
}

// ---- threads and processes

VOID on_thread_start(THREADID thread, CONTEXT* context, INT32, VOID*)
{
    PIN_SetThreadData(own_key, dt_engine_own_new(), thread);
    dt_engine_thread_starts(PIN_GetContextReg(context, REG_STACK_PTR));
}

VOID free_own(VOID* own)
{
    dt_engine_own_free(static_cast<dt_own*>(own));
}

bool makes_thread(const CONTEXT* context, SYSCALL_STANDARD standard)
{
    UINT64 flags = PIN_GetSyscallArgument(context, standard, 0);
    switch (PIN_GetSyscallNumber(context, standard)) {
    case SYS_clone:
        return flags & clone_thread;
    case __NR_clone3: // its first argument points to a structure that starts with the flags
        return PIN_SafeCopy(&flags, reinterpret_cast<VOID*>(flags), sizeof flags) == sizeof flags &&
               (flags & clone_thread);
    default:
        return false;
    }
}

// A thread's own end is a system call; at the end of the process Pin ends them all.
VOID on_syscall_entry(THREADID, CONTEXT* context, SYSCALL_STANDARD standard, VOID*)
{
    switch (PIN_GetSyscallNumber(context, standard)) {
    case SYS_exit:
        dt_engine_thread_ends();
        break;
    case SYS_exit_group:
        dt_engine_exits(static_cast<int>(PIN_GetSyscallArgument(context, standard, 0)));
        break;
    default:
        if (makes_thread(context, standard))
            dt_engine_thread_creating();
    }
}

VOID on_syscall_exit(THREADID, CONTEXT* context, SYSCALL_STANDARD standard, VOID*)
{
    if (PIN_GetSyscallErrno(context, standard) != 0 && makes_thread(context, standard))
        dt_engine_thread_not_created();
}

VOID on_fork(THREADID, const CONTEXT*, VOID*)
{
    dt_engine_forked();
}

VOID on_context_change(THREADID, CONTEXT_CHANGE_REASON reason, const CONTEXT*, CONTEXT*, INT32 info, VOID*)
{
    if (reason == CONTEXT_CHANGE_REASON_FATALSIGNAL)
        dt_engine_killed(info);
}

BOOL follow_child(CHILD_PROCESS, VOID*)
{
    return TRUE;
}

} // namespace

extern "C" struct dt_own* dt_own(void)
{
    return static_cast<struct dt_own*>(PIN_GetThreadData(own_key, PIN_ThreadId()));
}

// Whatever is wrong here leaves the program untraced, and its children traced if they are to be.
int main(int argc, char* argv[])
{
    if (PIN_Init(argc, argv))
        return 1;
    PIN_AddFollowChildProcessFunction(follow_child, nullptr);
    own_key = PIN_CreateThreadDataKey(free_own);
    if (own_key != INVALID_TLS_KEY && dt_engine_start()) {
        IMG_AddInstrumentFunction(on_image_loaded, nullptr);
        IMG_AddUnloadFunction(on_image_unloaded, nullptr);
        TRACE_AddInstrumentFunction(on_trace, nullptr);
        PIN_AddThreadStartFunction(on_thread_start, nullptr);
        PIN_AddSyscallEntryFunction(on_syscall_entry, nullptr);
        PIN_AddSyscallExitFunction(on_syscall_exit, nullptr);
        PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, on_fork, nullptr);
        PIN_AddContextChangeFunction(on_context_change, nullptr);
    }
    PIN_StartProgram();
    return 0;
}
