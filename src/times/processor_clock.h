/** What a thread used of the processor, as far as readings of that clock tell. */
#ifndef DT_TIMES_PROCESSOR_CLOCK_H
#define DT_TIMES_PROCESSOR_CLOCK_H

#include "decoder/decoder.h"

G_BEGIN_DECLS

typedef struct DtProcessorClock DtProcessorClock;
/** Of a trace's readings; `stamps` must outlive it. */
DtProcessorClock *dt_processor_clock_new(const DtStamps *stamps);
void dt_processor_clock_free(DtProcessorClock *clock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtProcessorClock, dt_processor_clock_free)
/** What it used at most from one time to another, in ns, by the monotonic clock of the host: of what lies between two
 * readings no more than they differ by, and no more than it lasts; of what lies outside of all, what it lasts. O(1),
 * amortised, if times ascend but for little, and the readings between. */
guint64 dt_processor_clock_used(DtProcessorClock *clock, guint64 from_ns, guint64 to_ns);
/** The clock was read between `within` before that time and `within` behind it. O(1), as above. */
gboolean dt_processor_clock_was_read(DtProcessorClock *clock, guint64 ns, guint64 within);

G_END_DECLS

#endif
