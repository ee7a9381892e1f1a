/**
 * The Pin engine without Pin: what a tool that watches a program from outside tells, recorded by the same code as the
 * preloaded runtime's events and written to the same files. pin_tool.cpp is the only file that knows Pin; everything
 * here is C, knows no engine, and is tested without one.
 *
 * A call is told at a function's first instruction, a return at each return instruction, both with the stack pointer
 * found there, which is where the return address lies. The call stack is corrected by that alone, as ParLOT does it:
 * a call or return at a stack pointer shows that whatever was called below it is over, however it ended (longjmp, an
 * exception, a tail call, a return in code that is not watched), and the missing returns are recorded then. A call at
 * the very stack pointer of another one replaces it.
 *
 * Threads: the functions below that take no thread speak of the calling one, dt_own().
 */
#ifndef DT_PIN_ENGINE_H
#define DT_PIN_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- process --------------------------------------------------------------------------------- */

/** Reads DIFFTRACE_* from the environment and makes the process's file; false: this process is not to be traced. */
bool dt_engine_start(void);
/** In the child of a fork, by its only thread: a file of its own, which starts with the calls that are open. */
void dt_engine_forked(void);
/** The process ends itself with this status, or by this signal. */
void dt_engine_exits(int status);
void dt_engine_killed(int signal_number);

/* ---- threads --------------------------------------------------------------------------------- */

/** What dt_own() gives from now on in a new thread; NULL: no memory. */
struct dt_own *dt_engine_own_new(void);
void dt_engine_own_free(struct dt_own *own);

/** The calling thread is about to make another: its number and whose it is are settled here, so that threads that do
 * nothing count too. Threads that start take them in this order. */
void dt_engine_thread_creating(void);
/** It could not. */
void dt_engine_thread_not_created(void);
/** The calling thread starts, its stack pointer at `sp`. The first one of a process is its main thread. */
void dt_engine_thread_starts(uint64_t sp);
/** It ends before its process does. */
void dt_engine_thread_ends(void);

/* ---- images ---------------------------------------------------------------------------------- */

/** An image was mapped: its functions are known from here on. `bias`: what is added to addresses in the file. */
void dt_engine_image_loaded(const char *path, uint64_t bias, bool main_image);
void dt_engine_image_unloaded(uint64_t bias);

#define DT_ENGINE_NONE UINT64_MAX
/** The index of the recorded function whose first instruction is at the address, or DT_ENGINE_NONE. */
uint64_t dt_engine_function_at(uint64_t address);
/** True if the address is in a recorded function: its returns are to be told. */
bool dt_engine_in_function(uint64_t address);

/* ---- events ---------------------------------------------------------------------------------- */

void dt_engine_call(uint64_t function, uint64_t sp, uint64_t return_address);
void dt_engine_return(uint64_t sp);

#ifdef __cplusplus
}
#endif

#endif
