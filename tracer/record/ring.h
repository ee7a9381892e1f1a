/** The file as a ring (--when-full keep-last): new data takes the places of the oldest. */
#ifndef DT_RECORD_RING_H
#define DT_RECORD_RING_H

#include "record/process.h"
#include "record/trace_writer.h"

static inline bool dt_ring_is_used(void)
{
    return dt_process.options.max_bytes && dt_process.options.when_full == DT_FULL_KEEP_LAST;
}
/** Size of all chunks of data and of notes. */
size_t dt_ring_chunk_bytes(void);
/** Where the thread's next data chunk goes: a new place, or that of the oldest data. False: nowhere. */
bool dt_ring_next(struct dt_thread_state *thread, struct dt_extent *extent);
/** A segment of the thread starts at stream_bytes. */
void dt_ring_segment(struct dt_thread_state *thread);
/** The thread has ended: its data may be replaced, oldest threads first. `record`: of struct dt_thread, in the file. */
void dt_ring_end(struct dt_thread_state *thread, uint64_t record);
/** In the child of a fork: all is forgotten. */
void dt_ring_reset(struct dt_thread_state *thread);

#endif
