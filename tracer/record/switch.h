/**
 * Recording on and off while the program runs; times. While it is off every call takes the slow path, which leaves it
 * alone; a call that was recorded has its return recorded whatever happens meanwhile.
 */
#ifndef DT_RECORD_SWITCH_H
#define DT_RECORD_SWITCH_H

#include "record/functions.h"
#include "record/process.h"
#include "record/recorder.h"

void dt_switch_initialise(void);
/** What the options say of a function of that name. */
void dt_switch_classify(struct dt_hooked_function *function, const char *name);
/** False: recording is off, and the function does not switch it on. */
bool dt_switch_lets_in(uint64_t index);
void dt_switch_before_call(struct dt_thread_state *thread, uint64_t index);
void dt_switch_after_call(struct dt_thread_state *thread, uint64_t index);
/** True if every call of the function has to be seen, not only those of the slow path. */
bool dt_switch_sees(uint64_t index);
/** From here on all that the thread calls takes the slow path. */
static inline void dt_switch_close(struct dt_thread_state *thread)
{
    dt_hot.limit = 0;
    dt_compiler_barrier();
    dt_recorder_pass_places(thread);
}
/** The fast path is open to the thread again, if recording is on. */
static inline void dt_switch_open(struct dt_thread_state *thread)
{
    if (dt_process.off) {
        dt_switch_close(thread);
        return;
    }
    dt_hot.limit = thread->real_limit;
    dt_compiler_barrier();
    if (!dt_terminating_are_watched(thread))
        dt_recorder_come_back(thread);
}

#endif
