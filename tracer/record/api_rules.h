/**
 * Calls of MPI, OpenMP, pthreads and those that end the process: what is done at them, and when one is a
 * library's own business.
 */
#ifndef DT_RECORD_API_RULES_H
#define DT_RECORD_API_RULES_H

#include "record/functions.h"
#include "record/thread.h"

/** What is done at a call of ours beside recording it. */
enum dt_api_action dt_api_action(const char *name);
/** True for calls that end the process for an error and never come back. */
bool dt_api_fails(const char *name);
/** The function on top of the shadow stack, or NULL. */
const struct dt_hooked_function *dt_api_caller(const struct dt_thread_state *thread);
/** The call of ours that a library is working for, or NULL: the nearest below which only functions of libraries are. */
const struct dt_hooked_function *dt_api_enclosing_call(const struct dt_thread_state *thread);
/** A call that a library makes on its own account, `inside` another call of ours or from within its own code; or the
 * loader, which locks a mutex whenever it does anything. */
bool dt_api_is_inner(const struct dt_hooked_function *function, const struct dt_hooked_function *inside,
                     uint64_t return_address);
/** Threads of OpenMP are the application's; those made inside MPI calls, by threads of libraries, or before any traced
 * function runs are not. */
bool dt_api_thread_is_library(const struct dt_thread_state *thread, const struct dt_hooked_function *by,
                              const struct dt_hooked_function *inside);

#endif
