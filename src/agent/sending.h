/**
 * An agent's end of a run whose files are on the disk of its node: what has changed of them since it was sent last goes
 * to a collector, in parts. docs/agents.md
 */
#ifndef DT_AGENT_SENDING_H
#define DT_AGENT_SENDING_H

#include "agent/messages.h"

G_BEGIN_DECLS

/** What one collector has got so far. */
typedef struct DtSending DtSending;
/** `run` and `host` are borrowed. */
DtSending *dt_sending_new(const char *run, const char *host);
void dt_sending_free(DtSending *sending);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSending, dt_sending_free)

/**
 * The next part, as messages of the kind PIECE in the order in which they are to be written; (element-type
 * DtAgentMessage), which may be empty. What says how much there is comes behind what it speaks of. *has_more: it is not
 * all that has changed. O(bytes of the files).
 */
GPtrArray *dt_sending_next(DtSending *sending, gboolean *has_more);

G_END_DECLS

#endif
