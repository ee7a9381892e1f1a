/** Threads that have ended leave their states and chunks to the next ones. */
#ifndef DT_RECORD_ENDED_THREADS_H
#define DT_RECORD_ENDED_THREADS_H

#include "record/thread.h"

enum { DT_MOST_SPARE_THREADS = 16 };

/** Moves the record of a thread that has ended to where it takes less room; its chunk is free then. */
bool dt_thread_pack(struct dt_thread_state *thread);
/** Keeps a state with a free chunk, or none, for another thread; false: there are enough, and it can be unmapped. */
bool dt_thread_spare(struct dt_thread_state *thread);
/** One that was kept, or NULL. */
struct dt_thread_state *dt_thread_spared(void);
/** In the child of a fork: all is forgotten. */
void dt_ended_reset(void);

#endif
