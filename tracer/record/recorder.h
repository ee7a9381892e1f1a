/**
 * Recording: words into the calling thread's raw tail, batches of them into its stream.
 *
 * At every instruction the file says the same events, whatever ends the process there. All of it is for the calling
 * thread alone, which has a state (dt_self) and its guard raised, or is on the fast path.
 */
#ifndef DT_RECORD_RECORDER_H
#define DT_RECORD_RECORDER_H

#include "record/thread.h"

void dt_recorder_begin(struct dt_thread_state *thread);
/** Compresses the full tail and commits; called when `next` has passed `last`. */
void dt_recorder_batch(void);
enum {
    DT_TAIL_CAPACITY = DT_TAIL_WORDS + DT_TAIL_SLACK,
    DT_TAIL_BYTES = 2 * DT_TAIL_CAPACITY /* also their alignment */
};
static inline bool dt_batch_is_due(void)
{
    return (dt_hot.next & (DT_TAIL_BYTES - 1)) >= 2 * DT_TAIL_WORDS;
}
/** Gives its place, which one instruction has taken: what a signal's handler records meanwhile comes behind it. */
static inline uint64_t dt_place_word(uint16_t word)
{
    uint64_t at = 2;
    uint64_t *next = &dt_hot.next;
    __asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(*next) : : "memory");
    *(uint16_t *)at = word;
    return at;
}
static inline void dt_record_word(uint16_t word)
{
    dt_place_word(word);
    if (dt_batch_is_due())
        dt_recorder_batch();
}
/** An id that does not fit into a word of a tail. */
void dt_record_large_id(uint32_t id);
static inline void dt_record_id(uint32_t id)
{
    if (id <= DT_TAIL_LAST_ID)
        dt_record_word((uint16_t)id);
    else
        dt_record_large_id(id);
}
void dt_record_call(uint64_t index);
/** Its call and its return. */
void dt_record_terminating(uint64_t index);
static inline void dt_record_return(void)
{
    dt_record_word(DT_WORD_RETURN);
}
/** More of the calling thread's shadow stack can be written; false: that is all there is. Safe in signal handlers. */
bool dt_shadow_grow(struct dt_thread_state *thread);
/** True if another frame can be pushed. */
static inline bool dt_shadow_has_capacity(struct dt_thread_state *thread)
{
    return dt_hot.top < thread->real_limit || dt_shadow_grow(thread);
}
/** Gives up the chunks that the thread writes to; what it can record with again stays. */
void dt_recorder_end(struct dt_thread_state *thread);
/** All of it. */
void dt_recorder_release(struct dt_thread_state *thread);
static inline bool dt_terminating_is_open(const struct dt_thread_state *thread)
{
    const struct dt_frame *open = thread->open_terminating;
    return open && (uint64_t)open < dt_hot.top && open->index == thread->open_terminating_index;
}
/** True if the stubs of terminating functions must not record by themselves. */
static inline bool dt_terminating_are_watched(const struct dt_thread_state *thread)
{
    return !dt_hot.limit || dt_terminating_is_open(thread);
}
/** They ask only whether a batch is due: moves dt_hot.next on to where one is, and the places between stay unwritten.
 * NULL: the thread is not traced, and has that from the start. */
void dt_recorder_pass_places(struct dt_thread_state *thread);
/** Back again, if nothing has been recorded since. */
void dt_recorder_come_back(struct dt_thread_state *thread);
/** Words that the thread has recorded so far: the position of what is noted now. Places that signal handlers
 * interrupted and have yet to be filled count. */
uint64_t dt_record_position(struct dt_thread_state *thread);

#endif
