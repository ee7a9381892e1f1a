/**
 * One connection of an agent and a collector that prove to each other that they have the key of the run, and then
 * that each message is the other's, unchanged, and the next. Bytes in, bytes out: nothing here knows of a network.
 * HMAC-SHA256 (RFC 2104), a nonce of each side; docs/agents.md
 */
#ifndef DT_AGENT_SESSION_H
#define DT_AGENT_SESSION_H

#include "agent/messages.h"
#include "base/agents_folder.h"

G_BEGIN_DECLS

typedef struct DtSession DtSession;
/** An agent's, of this host; a collector's, if `host` is NULL: the agent tells it. NULL with an error: there are no
 * random numbers. */
DtSession *dt_session_new(const guint8 key[DT_AGENTS_KEY_BYTES], const char *host, GError **error);
void dt_session_free(DtSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSession, dt_session_free)

/** TRUE when each has proved itself. */
gboolean dt_session_is_open(const DtSession *session);
/** Of the agent; NULL before it has said so. */
const char *dt_session_host(const DtSession *session);
/** What an agent says first. */
GByteArray *dt_session_hello(const DtSession *session);
/** The message, with its number and proof; not before it is open. */
GByteArray *dt_session_seal(DtSession *session, DtAgentMessage *message);
/**
 * What the other side sent. TRUE with *message (to be cleared) and *answer, either of which may be empty: kind 0, NULL.
 * FALSE with one line: it is to be cut off.
 */
gboolean dt_session_take(DtSession *session, const guint8 *bytes, gsize count, DtAgentMessage *message,
                         GByteArray **answer, GError **error);

G_END_DECLS

#endif
