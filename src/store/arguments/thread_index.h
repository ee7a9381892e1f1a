/** Threads as notes name them. */
#ifndef DT_STORE_THREAD_INDEX_H
#define DT_STORE_THREAD_INDEX_H

#include "store/store.h"

G_BEGIN_DECLS

/** Returns the index of the trace's thread in its process's file, by which notes of other threads name it. */
guint32 dt_trace_index_in_file(const DtTrace *trace);

G_END_DECLS

#endif
