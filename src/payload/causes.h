/** Of the data that differ, those that no others can have caused. */
#ifndef DT_PAYLOAD_CAUSES_H
#define DT_PAYLOAD_CAUSES_H

#include "payload/data_events.h"

G_BEGIN_DECLS

typedef struct {
    guint rank, event;  /* indices */
    gboolean under_way; /* what was sent, or given, is as usual: it was changed on its way, or where it was received */
} DtFirstDifference;

/**
 * `ranks`: of dt_data_events_read(). `differs`: of each its events that differ (element-type GByteArray: 1 or 0).
 * Happened-before is Lamport's (1978): a rank's events in their order, a message before it is received, what is given
 * to a collective call before what comes of it. At most one event a rank; (element-type DtFirstDifference), by rank.
 * O(events).
 */
GArray *dt_first_differences(const GPtrArray *ranks, const GPtrArray *differs);

G_END_DECLS

#endif
