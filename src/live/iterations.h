/**
 * How often a thread has gone round its outermost loop, as far as calls tell: of the calls from the outermost inwards
 * the first one that its caller has made more than once is taken for the body of a loop, and how often it was made for
 * the iteration. A loop whose body makes no call is not seen. docs/algorithms/live.md
 */
#ifndef DT_LIVE_ITERATIONS_H
#define DT_LIVE_ITERATIONS_H

#include "decoder/call_reader.h"

G_BEGIN_DECLS

/** Of one trace, from reading to reading. */
typedef struct DtIterations DtIterations;
DtIterations *dt_iterations_new(void);
void dt_iterations_free(DtIterations *iterations);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtIterations, dt_iterations_free)

/** Reads the trace on, up to the position `to`. FALSE: it cannot be read. O(new events, and a segment). */
gboolean dt_iterations_read(DtIterations *iterations, DtCallReader *reader, const DtRun *run, const DtTrace *trace,
                            guint64 to);
/** `count` events of calls in turn, `times` times in a row; for dt_iterations_read(), and for tests. */
void dt_iterations_take(DtIterations *iterations, const guint32 *events, gsize count, guint64 times);
/** The call that its caller has made most of all times, and how often. FALSE: there is none. */
gboolean dt_iterations_find(const DtIterations *iterations, guint32 *function, guint64 *count);

G_END_DECLS

#endif
