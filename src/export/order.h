/** Runs without times: numbers of events, moved on so that messages are received after they were sent. Internal to the
 * exports. */
#ifndef DT_EXPORT_ORDER_H
#define DT_EXPORT_ORDER_H

#include "export/writer.h"
#include "times/messages.h"

G_BEGIN_DECLS

typedef struct DtExportOrder DtExportOrder;
/**
 * The least numbers that ascend in each trace and from the call that sends a message to the end of the call that has
 * received it. Source: L. Lamport, Time, clocks, and the ordering of events in a distributed system, 1978. `messages`
 * are those of the run, which is one without times. Memory: by calls of MPI and OpenMP. NULL with an error of the
 * store. O(events).
 */
DtExportOrder *dt_export_order_new(const DtExportWriter *writer, const DtMessages *messages, GError **error);
void dt_export_order_free(DtExportOrder *order);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtExportOrder, dt_export_order_free)
/** What the event of that number in the trace has become. O(log n). */
guint64 dt_export_order_number(const DtExportOrder *order, const DtTrace *trace, guint64 number);

G_END_DECLS

#endif
