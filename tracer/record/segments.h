/** The segments of a thread's stream: thread->segment is the one that is open. False: there is no room. */
#ifndef DT_RECORD_SEGMENTS_H
#define DT_RECORD_SEGMENTS_H

#include "record/thread.h"

/** Starts one, and the codec anew. `top` is the shadow stack's top before its first word: the calls open there are
 * written behind the header. */
bool dt_segment_open(struct dt_thread_state *thread, const struct dt_frame *top);
/** Appends so many bytes of thread->staging. */
bool dt_segment_append(struct dt_thread_state *thread, size_t bytes);
/** Ends it. Until the next commit readers go by the commit record, not by the header completed here. */
bool dt_segment_close(struct dt_thread_state *thread);

#endif
