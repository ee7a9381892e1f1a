/**
 * Functions whose calls have times at both ends, because they take long: `collect --times=functions`.
 *
 * Every function is on trial for its first calls: they are timed, and its stub asks C. If they take DT_TIMED_NS on the
 * average the function stays timed; else its stub gets its word and records by itself. Where much time has passed that
 * no stamp tells of, what was called then is on trial again, less and less often.
 */
#ifndef DT_RECORD_TIMED_FUNCTIONS_H
#define DT_RECORD_TIMED_FUNCTIONS_H

#include "record/thread.h"

/** In place of the return address that a function keeps which is hooked at both ends: its return is for C, too. */
enum { DT_TIMED_RETURN = 1 };

/** A call takes as long on the average. */
enum { DT_TIMED_NS = 10000 };

/** Index -> whether calls have times now; also stubs.S reads it. NULL: no function's have. */
extern uint8_t *dt_timed_functions;

static inline bool dt_function_is_timed(uint64_t index)
{
    return dt_timed_functions && dt_timed_functions[index];
}

/** Capacity for the functions below `needed`; there will be `most` at most. False: there is none. */
bool dt_timed_functions_reserve(uint32_t most, uint32_t needed);
/** The function, which has just been hooked, is on trial if times of functions are recorded. */
void dt_timed_function_begin(uint64_t index);
/** The topmost frame's function was entered; its word comes next. */
void dt_timed_function_entered(struct dt_thread_state *thread, uint64_t index);
/** The topmost frame's function returns; the word comes next. */
void dt_timed_function_left(struct dt_thread_state *thread, uint64_t index);
/** Words of a tail between two stamps that lie far apart. */
void dt_timed_functions_suspect(const uint16_t *from, const uint16_t *end, uint64_t now);

#endif
