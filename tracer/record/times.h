/**
 * Times: when calls of MPI, OpenMP and pthreads began and returned, and when batches ended.
 *
 * A stamp is a reading of the processor's time stamp counter and the place in the raw tail of the word that it is of.
 * It is stored beside the tail before that word is, so that it survives as the word does. A batch makes rows of bytes
 * of a tail's stamps: docs/trace-format.md, section 16.
 */
#ifndef DT_RECORD_TIMES_H
#define DT_RECORD_TIMES_H

#include "record/recorder.h"

/** Of the processor that we are on; some ns, and not ordered with what is around it. */
static inline uint64_t dt_tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/** Of the word that the calling thread records next; nothing, and 0, where no times are recorded. As STAMP in
 * api_stubs.S. */
static inline uint64_t dt_stamp(void)
{
    uint64_t at = sizeof(uint64_t), *place = &dt_hot.stamp;
    if (!*(volatile uint64_t *)place)
        return 0;
    uint64_t ticks = dt_tsc(), stamp = ticks << DT_STAMP_PLACE_BITS | (dt_hot.next >> 1 & DT_STAMP_PLACE);
    __asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(*place) : : "memory");
    *(uint64_t *)at = stamp;
    return ticks;
}

/** dt_times_look() is due: some 10 ms. */
enum { DT_LOOK_TICKS = 1 << 25 };
/** dt_times_look_at_call() reads the clocks: some 0.4 ms. */
enum { DT_CALL_LOOK_TICKS = 1 << 20 };

/** False if reading the counter ends the calling thread by SIGSEGV (PR_SET_TSC). */
bool dt_counter_is_allowed(void);
/** The calling thread is about to lose the counter: its times end here, and threads that begin later have none. */
void dt_times_forbid(void);
/** False: times cannot be told by the counter of this processor. */
bool dt_times_are_possible(void);
/** A thread's first word is about to be recorded; its raw tails are there. */
void dt_times_begin(struct dt_thread_state *thread);
/** Words go to the other tail, `tail`, from now on, and so do stamps. Gives where those of the tail before end. */
uint64_t dt_times_turn(struct dt_thread_state *thread, uint32_t tail);
/** Stamps up to `end` are of `tail`, of which `used` places count; `words` were recorded before it. */
void dt_times_batch(struct dt_thread_state *thread, uint32_t tail, size_t used, uint64_t end, uint64_t words);
/** Words go where nobody reads them: so do the stamps since the last batch. */
void dt_times_lose(struct dt_thread_state *thread);
/** The clocks are read once more: now and then, and when the process is about to end. */
void dt_times_look(struct dt_thread_state *thread);
/** The same, as an item of its row. */
void dt_times_tell_clocks(struct dt_thread_state *thread);
/** The same at the ends of calls that take long, where a stamp has just been made: then what each of them used of the
 * processor is told, however long others had it meanwhile. Two readings lie some 0.4 ms apart at least. True: they were
 * read. */
static inline bool dt_times_look_at_call(struct dt_thread_state *thread, uint64_t ticks)
{
    if (!ticks || ticks - thread->times.anchor <= DT_CALL_LOOK_TICKS)
        return false;
    dt_times_tell_clocks(thread);
    return true;
}
/** No stamps from now on. */
void dt_times_stop(void);
/** The same, and the last ones are written; before the thread's record is. */
void dt_times_end(struct dt_thread_state *thread);
/** Stops the calling thread's stamps and frees what they need. `thread` is its state. */
void dt_times_release(struct dt_thread_state *thread);

#endif
