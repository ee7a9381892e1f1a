/** Messages by sender and receiver: how many, how large, how long under way, and how long nobody waited for them. */
#ifndef DT_TIMES_LINKS_H
#define DT_TIMES_LINKS_H

#include "times/durations.h"
#include "times/messages.h"

G_BEGIN_DECLS

/** From one rank to another. */
typedef struct {
    guint from, to; /* ranks: indices */
    guint64 messages, bytes;
    DtDurations transfers; /* from when both sides had come to it to the receive's end; of messages with
                              times, and of those that one MPI_Waitall got the last */
    guint64 requests;      /* of both sides */
    guint64 apart_ns;      /* from where they were begun to where they were first asked for, all together */
} DtLink;

typedef struct {
    GArray *links;      /* DtLink, by sender and receiver */
    guint64 violations; /* messages that came before they were sent, by their times: under way for 0 ns */
} DtLinks;

/** O(messages). */
DtLinks *dt_links_new(const DtMessages *messages);
void dt_links_free(DtLinks *links);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLinks, dt_links_free)
/** NULL: there were no messages. O(log links). */
const DtLink *dt_links_find(const DtLinks *links, guint from, guint to);

G_END_DECLS

#endif
