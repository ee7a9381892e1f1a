/** Arrows between events of a run: messages, and who woke whom. Internal to the exports. */
#ifndef DT_EXPORT_FLOWS_H
#define DT_EXPORT_FLOWS_H

#include "export/writer.h"
#include "times/messages.h"

G_BEGIN_DECLS

typedef struct DtExportFlows DtExportFlows;
/**
 * A message's arrow leads from where the call begins that sends it to the end of the call that has received it; that of
 * a wake-up from the event that woke to the end of the call that waited. Without times both run in the order of
 * `writer`'s events. `first` is the number of the first arrow. Memory: by calls of MPI and OpenMP, and by wake-ups.
 * NULL with an error of the store. O(events).
 */
DtExportFlows *dt_export_flows_new(const DtExportWriter *writer, guint64 first, GError **error);
void dt_export_flows_free(DtExportFlows *flows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtExportFlows, dt_export_flows_free)

/** The run's messages; borrowed. NULL: it has no arguments of calls, and no messages. */
const DtMessages *dt_export_flows_messages(const DtExportFlows *flows);

/** The events of this trace come next, from the first one on. */
void dt_export_flows_turn(DtExportFlows *flows, const DtTrace *trace);
typedef void (*DtExportFlowVisit)(guint64 flow, gboolean is_end, gpointer user_data);
/** Visits the arrows that begin or end at the event. O(log n) with each. */
void dt_export_flows_at(DtExportFlows *flows, const DtExportEvent *event, DtExportFlowVisit visit, gpointer user_data);

G_END_DECLS

#endif
