/** The events of a trace, each with its time where it has one: `collect --times`. */
#ifndef DT_TIMES_TIMED_READER_H
#define DT_TIMES_TIMED_READER_H

#include "decoder/decoder.h"

G_BEGIN_DECLS

typedef struct {
    guint32 event;          /* as dt_reader_next() gives it */
    guint64 position;       /* as dt_reader_next_at() gives it */
    guint64 ns;             /* when it happened, by the monotonic clock of the host; 0: it has no stamp of its own */
    guint64 batch_ns;       /* the tracer made a batch right before it: until then; 0: it made none */
    guint64 batch_begin_ns; /* from then on; the same as batch_ns if that is not known */
} DtTimedEvent;

typedef struct DtTimedReader DtTimedReader;
/** At the first event; `run` must outlive it. NULL if the file cannot be read. A trace without times gives none.
 * O(stamps). */
DtTimedReader *dt_timed_reader_open(const DtRun *run, const DtTrace *trace, DtProjection projection, GError **error);
void dt_timed_reader_free(DtTimedReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTimedReader, dt_timed_reader_free)
/** Up to `capacity` events, at least 1; how many, 0 at the end. Times do not descend. O(events). */
gsize dt_timed_reader_next(DtTimedReader *reader, DtTimedEvent *events, gsize capacity);
/** When the trace, or what of it was not dropped, began, and when it was last known to go on, by the monotonic clock;
 * 0: not known. */
guint64 dt_timed_reader_first_ns(const DtTimedReader *reader);
guint64 dt_timed_reader_last_ns(const DtTimedReader *reader);
/** The times as they are, and what is damaged; borrowed. */
const DtStamps *dt_timed_reader_stamps(const DtTimedReader *reader);
/** After the end: NULL, or one line why not all recorded events came out; borrowed. */
const char *dt_timed_reader_problem(const DtTimedReader *reader);

G_END_DECLS

#endif
