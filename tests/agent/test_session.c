/* Each side proves that it has the key; then every message is the other side's, unchanged, and the next. */
#include <string.h>

#include "agent/session.h"

typedef struct {
    DtSession *agent, *collector;
} Pair;

static const guint8 key[DT_AGENTS_KEY_BYTES] = "the key of the run, 32 bytes lon";
static const guint8 other_key[DT_AGENTS_KEY_BYTES] = "the key of the run, 32 bytes loN";

static gboolean give(DtSession *to, const GByteArray *bytes, GByteArray **answer, GError **error)
{
    g_auto(DtAgentMessage) message = {0};
    return dt_session_take(to, bytes->data, bytes->len, &message, answer, error);
}

static void assert_refused(DtSession *to, const GByteArray *bytes, const char *why)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) answer = NULL;
    g_assert_false(give(to, bytes, &answer, &error));
    g_assert_null(answer);
    g_assert_null(strchr(error->message, '\n'));
    if (!strstr(error->message, why))
        g_error("'%s' is not in '%s'", why, error->message);
}

static void assert_taken(DtSession *to, const GByteArray *bytes)
{
    g_autoptr(GByteArray) answer = NULL;
    g_autoptr(GError) error = NULL;
    gboolean taken = give(to, bytes, &answer, &error);
    g_assert_no_error(error);
    g_assert_true(taken);
}

static GByteArray *answer_of(DtSession *to, const GByteArray *bytes)
{
    GByteArray *answer = NULL;
    g_assert_true(give(to, bytes, &answer, NULL));
    g_assert_nonnull(answer);
    return answer;
}

static void pair_clear(Pair *pair)
{
    dt_session_free(pair->agent);
    dt_session_free(pair->collector);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pair, pair_clear)

static Pair open_pair(GByteArray **hello, GByteArray **challenge, GByteArray **proof)
{
    Pair pair = {dt_session_new(key, "n2", NULL), dt_session_new(key, NULL, NULL)};
    *hello = dt_session_hello(pair.agent);
    *challenge = answer_of(pair.collector, *hello);
    *proof = answer_of(pair.agent, *challenge);
    assert_taken(pair.collector, *proof);
    g_assert_true(dt_session_is_open(pair.agent) && dt_session_is_open(pair.collector));
    g_assert_cmpstr(dt_session_host(pair.collector), ==, "n2");
    return pair;
}

static GByteArray *sealed(DtSession *session, DtMessageKind kind)
{
    DtAgentMessage message = {.kind = kind};
    g_autoptr(GArray) none = dt_node_processes_new();
    message.processes = kind == DT_MESSAGE_REPORT ? none : NULL;
    return dt_session_seal(session, &message);
}

static void test_conversation(void)
{
    g_autoptr(GByteArray) hello = NULL, challenge = NULL, proof = NULL;
    g_auto(Pair) pair = open_pair(&hello, &challenge, &proof);
    for (guint i = 0; i < 3; i++) {
        g_autoptr(GByteArray) report = sealed(pair.agent, DT_MESSAGE_REPORT);
        g_autoptr(GByteArray) alive = sealed(pair.collector, i < 2 ? DT_MESSAGE_ALIVE : DT_MESSAGE_END);
        assert_taken(pair.collector, report);
        assert_taken(pair.agent, alive);
    }
}

static void test_wrong_key(void)
{
    g_autoptr(DtSession) agent = dt_session_new(key, "n2", NULL), honest = dt_session_new(key, NULL, NULL);
    g_autoptr(DtSession) foreign = dt_session_new(other_key, NULL, NULL),
                         intruder = dt_session_new(other_key, "n2", NULL);
    g_autoptr(GByteArray) hello = dt_session_hello(agent), own = dt_session_hello(intruder);
    g_autoptr(GByteArray) challenge = answer_of(foreign, hello);
    assert_refused(agent, challenge, "the collector does not have the key");
    g_assert_false(dt_session_is_open(agent));
    /* who does not look at the challenge's proof, and answers by another key */
    g_autoptr(GByteArray) question = answer_of(honest, own);
    g_assert_cmpuint(question->len, >, DT_NONCE_BYTES);
    DtAgentMessage answer = {.kind = DT_MESSAGE_ANSWER};
    g_autoptr(GByteArray) bytes = dt_message_encode(&answer);
    assert_refused(honest, bytes, "it does not have the key");
    g_assert_false(dt_session_is_open(honest));
}

/* What was said once in another connection is worth nothing in this one. */
static void test_replay(void)
{
    g_autoptr(GByteArray) hello = NULL, challenge = NULL, proof = NULL;
    g_auto(Pair) pair = open_pair(&hello, &challenge, &proof);
    g_autoptr(GByteArray) report = sealed(pair.agent, DT_MESSAGE_REPORT);
    assert_taken(pair.collector, report);
    assert_refused(pair.collector, report, "not the next");
    g_autoptr(DtSession) again = dt_session_new(key, NULL, NULL);
    g_autoptr(GByteArray) other_challenge = answer_of(again, hello);
    g_assert_cmpint(memcmp(other_challenge->data, challenge->data, challenge->len), !=, 0);
    assert_refused(again, proof, "it does not have the key");
    g_autoptr(DtSession) agent = dt_session_new(key, "n2", NULL);
    assert_refused(agent, challenge, "the collector does not have the key");
}

static void test_order(void)
{
    g_autoptr(GByteArray) hello = NULL, challenge = NULL, proof = NULL;
    g_auto(Pair) pair = open_pair(&hello, &challenge, &proof);
    g_autoptr(GByteArray) first = sealed(pair.agent, DT_MESSAGE_REPORT), second = sealed(pair.agent, DT_MESSAGE_REPORT);
    assert_refused(pair.collector, second, "others are missing");
    assert_taken(pair.collector, first);
    assert_refused(pair.collector, hello, "does not belong here");
    g_autoptr(DtSession) fresh = dt_session_new(key, NULL, NULL);
    assert_refused(fresh, second, "before it was its time");
    assert_refused(fresh, proof, "before it was its time");
}

/* A message is not taken back by who has sent it, nor by the other side as its own kind. */
static void test_reflection(void)
{
    g_autoptr(GByteArray) hello = NULL, challenge = NULL, proof = NULL;
    g_auto(Pair) pair = open_pair(&hello, &challenge, &proof);
    g_autoptr(GByteArray) report = sealed(pair.agent, DT_MESSAGE_REPORT), bye = sealed(pair.collector, DT_MESSAGE_BYE);
    assert_refused(pair.agent, report, "does not belong here");
    assert_refused(pair.collector, bye, "without the proof");
    g_autoptr(DtSession) mirror = dt_session_new(key, "n2", NULL);
    g_autoptr(GByteArray) own = dt_session_hello(mirror);
    assert_refused(mirror, own, "before it was its time");
}

static void test_every_changed_byte(void)
{
    g_autoptr(GByteArray) hello = NULL, challenge = NULL, proof = NULL;
    g_auto(Pair) pair = open_pair(&hello, &challenge, &proof);
    g_autoptr(GByteArray) report = sealed(pair.agent, DT_MESSAGE_REPORT);
    for (guint i = 0; i < report->len; i++) {
        report->data[i] ^= 1;
        assert_refused(pair.collector, report, "");
        report->data[i] ^= 1;
    }
    assert_taken(pair.collector, report);
}

/* RFC 4231, case 2, says that the proofs are what docs/agents.md calls HMAC-SHA256. */
static void test_hmac(void)
{
    g_autofree char *digest =
        g_compute_hmac_for_string(G_CHECKSUM_SHA256, (const guchar *)"Jefe", 4, "what do ya want for nothing?", -1);
    g_assert_cmpstr(digest, ==, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/session/conversation", test_conversation);
    g_test_add_func("/agent/session/wrong-key", test_wrong_key);
    g_test_add_func("/agent/session/replay", test_replay);
    g_test_add_func("/agent/session/order", test_order);
    g_test_add_func("/agent/session/reflection", test_reflection);
    g_test_add_func("/agent/session/every-changed-byte", test_every_changed_byte);
    g_test_add_func("/agent/session/hmac", test_hmac);
    return g_test_run();
}
