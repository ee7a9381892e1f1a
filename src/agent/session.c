#include "agent/session.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

typedef enum { GREETING, ANSWERING, OPEN } Phase;

struct DtSession {
    guint8 key[DT_AGENTS_KEY_BYTES]; /* of the run; when it is open, of this connection */
    gboolean is_agent;
    Phase phase;
    char host[DT_MOST_HOST_BYTES + 1];
    guint8 own_nonce[DT_NONCE_BYTES], other_nonce[DT_NONCE_BYTES];
    guint64 sent, received;
};

DtSession *dt_session_new(const guint8 key[DT_AGENTS_KEY_BYTES], const char *host, GError **error)
{
    g_autoptr(DtSession) session = g_new0(DtSession, 1);
    memcpy(session->key, key, DT_AGENTS_KEY_BYTES);
    session->is_agent = host != NULL;
    if (host)
        g_strlcpy(session->host, host, sizeof(session->host));
    if (getrandom(session->own_nonce, DT_NONCE_BYTES, 0) == DT_NONCE_BYTES)
        return g_steal_pointer(&session);
    g_set_error(error, DT_AGENT_ERROR, DT_AGENT_ERROR_NETWORK, "no random numbers: %s", g_strerror(errno));
    return NULL;
}

void dt_session_free(DtSession *session)
{
    if (!session)
        return;
    explicit_bzero(session->key, sizeof(session->key));
    g_free(session);
}

gboolean dt_session_is_open(const DtSession *session)
{
    return session->phase == OPEN;
}

const char *dt_session_host(const DtSession *session)
{
    return session->host[0] ? session->host : NULL;
}

/* ---- proofs ---------------------------------------------------------------------------------------- */

/* Of two parts; `purpose` keeps a proof for one thing from being one for another. */
static void prove(const guint8 *key, const char *purpose, const guint8 *first, gsize first_bytes, const guint8 *second,
                  gsize second_bytes, guint8 proof[DT_MAC_BYTES])
{
    gsize bytes = DT_MAC_BYTES;
    g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, key, DT_AGENTS_KEY_BYTES);
    g_hmac_update(hmac, (const guchar *)purpose, (gssize)strlen(purpose) + 1);
    g_hmac_update(hmac, first, (gssize)first_bytes);
    g_hmac_update(hmac, second, (gssize)second_bytes);
    g_hmac_get_digest(hmac, proof, &bytes);
}

/* Of both nonces, the agent's first, and its host. */
static void prove_session(const DtSession *session, const char *purpose, guint8 proof[DT_MAC_BYTES])
{
    guint8 nonces[2 * DT_NONCE_BYTES];
    memcpy(nonces, session->is_agent ? session->own_nonce : session->other_nonce, DT_NONCE_BYTES);
    memcpy(nonces + DT_NONCE_BYTES, session->is_agent ? session->other_nonce : session->own_nonce, DT_NONCE_BYTES);
    prove(session->key, purpose, nonces, sizeof(nonces), (const guint8 *)session->host, strlen(session->host), proof);
}

/* In a time that does not tell how many bytes are right. */
static gboolean is_same(const guint8 *one, const guint8 *other)
{
    guint8 difference = 0;
    for (gsize i = 0; i < DT_MAC_BYTES; i++)
        difference |= one[i] ^ other[i];
    return difference == 0;
}

static const char *direction(gboolean from_agent)
{
    return from_agent ? "from the agent" : "from the collector";
}

static void open_session(DtSession *session)
{
    guint8 key[DT_MAC_BYTES];
    prove_session(session, "session", key);
    memcpy(session->key, key, sizeof(session->key));
    explicit_bzero(key, sizeof(key));
    session->phase = OPEN;
}

/* ---- speaking -------------------------------------------------------------------------------------- */

GByteArray *dt_session_hello(const DtSession *session)
{
    DtAgentMessage hello = {.kind = DT_MESSAGE_HELLO};
    memcpy(hello.nonce, session->own_nonce, DT_NONCE_BYTES);
    g_strlcpy(hello.host, session->host, sizeof(hello.host));
    return dt_message_encode(&hello);
}

GByteArray *dt_session_seal(DtSession *session, DtAgentMessage *message)
{
    g_return_val_if_fail(dt_session_is_open(session), NULL);
    message->sequence = ++session->sent;
    GByteArray *bytes = dt_message_encode(message);
    const gsize without_proof = bytes->len - DT_MAC_BYTES;
    prove(session->key, direction(session->is_agent), bytes->data, without_proof, NULL, 0, bytes->data + without_proof);
    return bytes;
}

/* ---- listening ------------------------------------------------------------------------------------- */

static gboolean refuse(GError **error, const char *why)
{
    g_set_error_literal(error, DT_AGENT_ERROR, DT_AGENT_ERROR_REFUSED, why);
    return FALSE;
}

/* At the collector. */
static gboolean take_hello(DtSession *session, const DtAgentMessage *hello, GByteArray **answer)
{
    DtAgentMessage challenge = {.kind = DT_MESSAGE_CHALLENGE};
    memcpy(session->other_nonce, hello->nonce, DT_NONCE_BYTES);
    g_strlcpy(session->host, hello->host, sizeof(session->host));
    memcpy(challenge.nonce, session->own_nonce, DT_NONCE_BYTES);
    prove_session(session, "collector", challenge.proof);
    *answer = dt_message_encode(&challenge);
    session->phase = ANSWERING;
    return TRUE;
}

/* At the agent. */
static gboolean take_challenge(DtSession *session, const DtAgentMessage *challenge, GByteArray **answer, GError **error)
{
    guint8 expected[DT_MAC_BYTES];
    DtAgentMessage own = {.kind = DT_MESSAGE_ANSWER};
    memcpy(session->other_nonce, challenge->nonce, DT_NONCE_BYTES);
    prove_session(session, "collector", expected);
    if (!is_same(expected, challenge->proof))
        return refuse(error, "the collector does not have the key of the run");
    prove_session(session, "agent", own.proof);
    *answer = dt_message_encode(&own);
    open_session(session);
    return TRUE;
}

/* At the collector. */
static gboolean take_answer(DtSession *session, const DtAgentMessage *answer, GError **error)
{
    guint8 expected[DT_MAC_BYTES];
    prove_session(session, "agent", expected);
    if (!is_same(expected, answer->proof))
        return refuse(error, "it does not have the key of the run");
    open_session(session);
    return TRUE;
}

static gboolean take_sealed(DtSession *session, const guint8 *bytes, gsize count, const DtAgentMessage *message,
                            GError **error)
{
    guint8 expected[DT_MAC_BYTES];
    const DtMessageKind kind = message->kind;
    const gboolean is_agents =
        kind == DT_MESSAGE_REPORT || kind == DT_MESSAGE_ENDED || kind == DT_MESSAGE_PIECE || kind == DT_MESSAGE_SENT;
    const gboolean is_collectors = kind == DT_MESSAGE_ALIVE || kind == DT_MESSAGE_END || kind == DT_MESSAGE_WANT;
    if (kind < DT_MESSAGE_REPORT || (session->is_agent ? is_agents : is_collectors))
        return refuse(error, "a message that does not belong here");
    prove(session->key, direction(!session->is_agent), bytes, count - DT_MAC_BYTES, NULL, 0, expected);
    if (!is_same(expected, message->proof))
        return refuse(error, "a message without the proof that it is the other side's");
    if (message->sequence != session->received + 1)
        return refuse(error, "a message that is not the next: it was sent before, or others are missing");
    session->received++;
    return TRUE;
}

static gboolean take(DtSession *session, const guint8 *bytes, gsize count, const DtAgentMessage *message,
                     GByteArray **answer, GError **error)
{
    if (session->phase == OPEN)
        return take_sealed(session, bytes, count, message, error);
    if (!session->is_agent && session->phase == GREETING && message->kind == DT_MESSAGE_HELLO)
        return take_hello(session, message, answer);
    if (!session->is_agent && session->phase == ANSWERING && message->kind == DT_MESSAGE_ANSWER)
        return take_answer(session, message, error);
    if (session->is_agent && session->phase == GREETING && message->kind == DT_MESSAGE_CHALLENGE)
        return take_challenge(session, message, answer, error);
    return refuse(error, "a message before it was its time");
}

gboolean dt_session_take(DtSession *session, const guint8 *bytes, gsize count, DtAgentMessage *message,
                         GByteArray **answer, GError **error)
{
    const gboolean was_open = session->phase == OPEN;
    g_auto(DtAgentMessage) taken = {0};
    *message = (DtAgentMessage){0};
    *answer = NULL;
    if (!dt_message_decode(bytes, count, &taken, error) || !take(session, bytes, count, &taken, answer, error))
        return FALSE;
    if (was_open) {
        *message = taken;
        taken = (DtAgentMessage){0};
    }
    return TRUE;
}
