/**
 * Threads of the program, as their calls are met: a state is made when a thread makes its first call that is hooked, or
 * before, where its creation was seen. native/threads.c has them.
 */
#ifndef DT_STACK_THREADS_H
#define DT_STACK_THREADS_H

#include "native/x86_64/registers.h"
#include "record/thread.h"

/** The same with the stack that the runtime finds by itself. */
bool dt_thread_begin(uint32_t kind, uint32_t number, uint32_t creator);
/** The calling thread's state, made now if it had none; NULL: it is not traced. */
struct dt_thread_state *dt_this_thread(void);
/** Called at the entry of pthread_create: takes its arguments over so that the child starts with us. */
void dt_thread_created(struct dt_entry_registers *registers, bool by_library);
/** At its return: gives the number back if no thread came to be. */
void dt_thread_creation_done(int result);
void dt_threads_initialise(void);
/** forks.c */
void dt_forks_initialise(void);
/** False: another C library than GNU's has loaded us. Nothing is traced then. */
bool dt_is_gnu_c_library(void);

#endif
