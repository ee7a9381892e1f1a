/** What the calls of a trace send, receive and take part in, before it is matched with what the others do. */
#ifndef DT_TIMES_MESSAGE_READING_H
#define DT_TIMES_MESSAGE_READING_H

#include "times/messages.h"

G_BEGIN_DECLS

/** One side of a message. */
typedef struct {
    DtPart part;
    guint probe;
    gboolean known;       /* communicator, peer and tag are */
    gboolean gone;        /* it was cancelled, or the call failed */
    guint64 communicator; /* key */
    guint rank;           /* own, an index */
    gint peer;            /* rank in the world, or DT_ANY_RANK */
    gint64 tag;
    guint64 bytes;
} DtMessageSide;

/** A rank's part in a collective call. */
typedef struct {
    DtPart part;
    const DtCommunicator *communicator;
    guint rank;         /* own, an index */
    guint64 persistent; /* of a persistent one, which the rank made, and which start of it; 0: it is none */
    guint32 function;
    gint root;     /* rank in the world; -1 */
    gboolean gone; /* the call failed */
} DtAttendance;

typedef struct {
    DtMessages *messages;
    GArray *calls;            /* of the messages */
    GArray *sends, *receives; /* DtMessageSide, those of a thread in their order */
    GArray *attendances;      /* DtAttendance */
} DtMessageReading;

/** Reads a thread of the application; `row` is its index. O(events). */
gboolean dt_message_reading_add(DtMessageReading *reading, guint row, GError **error);

G_END_DECLS

#endif
