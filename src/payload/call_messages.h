/** Whom a call sends to and receives from, and who is the root of a collective: ranks in the world. */
#ifndef DT_PAYLOAD_CALL_MESSAGES_H
#define DT_PAYLOAD_CALL_MESSAGES_H

#include "calls/calls.h"
#include "store/store.h"

G_BEGIN_DECLS

enum { DT_NO_RANK = -1, DT_ANY_RANK = -2 };
#define DT_NO_TAG G_MININT64 /* any, or not known */

/** A message that a call sends or receives. */
typedef struct {
    gboolean there;
    gint peer;  /* rank in the world, DT_ANY_RANK, DT_NO_RANK: not known */
    gint64 tag; /* DT_NO_TAG */
} DtCallMessage;

/** The rank in the world of a rank in the communicator, of the remote group if there is one; DT_NO_RANK: there is
 * none. `communicator` may be NULL. */
gint dt_world_rank(const DtCommunicator *communicator, gint64 rank);
/** Of a point-to-point call, its arguments that vary filled in; `communicator` may be NULL. MPI_Mrecv receives from
 * nobody that is known: who it is was told to the probe. */
void dt_call_messages(const struct dt_call *call, const DtSignature *signature, const DtCommunicator *communicator,
                      DtCallMessage *sent, DtCallMessage *received);
/** DT_NO_RANK: it has none, or it is not known. */
gint dt_call_root(const DtSignature *signature, const DtCommunicator *communicator);

G_END_DECLS

#endif
