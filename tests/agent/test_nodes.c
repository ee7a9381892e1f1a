/* A collector and what connects to it, over TCP on this host: agents, and those who are none. */
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/session.h"
#include "agent/transport.h"
#include "support/test_run.h"

enum { LONG_US = 10 * G_USEC_PER_SEC };

/* A run with a collector, and one that dials it. */
typedef struct {
    char *run;
    guint8 key[DT_AGENTS_KEY_BYTES];
    DtNodes *nodes;
    DtTransport *transport;
    DtSession *session;
    guint32 peer;
    gboolean was_cut;
} Case;

static void set_up(Case *test, gconstpointer data)
{
    (void)data;
    g_autoptr(GError) error = NULL;
    test->run = dt_temporary_directory();
    g_assert_true(dt_agents_folder_make(test->run, &error));
    g_assert_true(dt_agents_folder_key(test->run, test->key, &error));
    test->nodes = dt_nodes_new(test->run, &error);
    g_assert_no_error(error);
    guint64 position = 0;
    g_autoptr(GPtrArray) places = dt_agents_folder_places(test->run, &position);
    g_assert_cmpuint(places->len, ==, 1);
    test->transport = dt_transport_dial("127.0.0.1", ((const DtCollectorPlace *)places->pdata[0])->port, &error);
    g_assert_no_error(error);
}

static void tear_down(Case *test, gconstpointer data)
{
    (void)data;
    dt_transport_free(test->transport);
    dt_nodes_free(test->nodes);
    dt_session_free(test->session);
    dt_remove_tree(test->run);
    g_free(test->run);
}

static void say(Case *test, GByteArray *bytes)
{
    g_assert_true(dt_transport_send(test->transport, test->peer, bytes));
    g_byte_array_unref(bytes);
}

static void take(Case *test, const DtTransportEvent *event)
{
    g_auto(DtMessage) message = {0};
    g_autoptr(GByteArray) answer = NULL;
    if (event->what == DT_PEER_CAME && test->peer == 0)
        test->peer = event->peer;
    test->was_cut = test->was_cut || (event->what == DT_PEER_LEFT && event->peer == test->peer);
    if (event->what == DT_PEER_SAID && event->peer == test->peer && test->session &&
        dt_session_take(test->session, event->said->data, event->said->len, &message, &answer, NULL) && answer)
        dt_transport_send(test->transport, test->peer, answer);
}

/* Both sides go on until it is so. */
static void go_on_until(Case *test, gboolean (*condition)(Case *))
{
    const gint64 end = g_get_monotonic_time() + LONG_US;
    while (!condition(test)) {
        g_auto(DtTransportEvent) event = {0};
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        dt_nodes_take(test->nodes, NULL, 0.002);
        if (dt_transport_next(test->transport, &event))
            take(test, &event);
    }
}

static gboolean is_connected(Case *test)
{
    return test->peer != 0;
}

static gboolean is_open(Case *test)
{
    return test->session && dt_session_is_open(test->session);
}

static gboolean is_cut(Case *test)
{
    return test->was_cut;
}

static void assert_news(Case *test, const char *text)
{
    g_autoptr(GPtrArray) news = dt_nodes_news(test->nodes);
    g_assert_cmpuint(news->len, ==, 1);
    if (!strstr(news->pdata[0], text))
        g_error("'%s' is not in '%s'", text, (const char *)news->pdata[0]);
    g_assert_null(strchr(news->pdata[0], '\n'));
}

static void greet(Case *test, const guint8 *key)
{
    go_on_until(test, is_connected);
    test->session = dt_session_new(key, "n2", NULL);
    say(test, dt_session_hello(test->session));
}

static void test_agent(Case *test, gconstpointer data)
{
    (void)data;
    greet(test, test->key);
    go_on_until(test, is_open);
    g_autoptr(GArray) none = dt_node_processes_new();
    for (guint i = 0; i < 3; i++)
        say(test, dt_session_seal(test->session, &(DtMessage){.kind = DT_MESSAGE_REPORT, .processes = none}));
    for (guint i = 0; i < 20; i++)
        dt_nodes_take(test->nodes, NULL, 0.005);
    g_autoptr(GPtrArray) news = dt_nodes_news(test->nodes);
    g_assert_cmpuint(news->len, ==, 0);
    g_assert_false(test->was_cut);
}

static void test_wrong_key(Case *test, gconstpointer data)
{
    (void)data;
    guint8 key[DT_AGENTS_KEY_BYTES] = "not this one";
    greet(test, key);
    DtMessage answer = {.kind = DT_MESSAGE_ANSWER}; /* as one does who does not mind what the collector has */
    say(test, dt_message_encode(&answer));
    go_on_until(test, is_cut);
    assert_news(test, "a connection from 127.0.0.1: refused: it does not have the key of the run");
}

static void test_replay(Case *test, gconstpointer data)
{
    (void)data;
    greet(test, test->key);
    go_on_until(test, is_open);
    g_autoptr(GArray) none = dt_node_processes_new();
    g_autoptr(GByteArray) report =
        dt_session_seal(test->session, &(DtMessage){.kind = DT_MESSAGE_REPORT, .processes = none});
    say(test, g_byte_array_ref(report));
    say(test, g_byte_array_ref(report));
    go_on_until(test, is_cut);
    assert_news(test, "node n2: refused: a message that is not the next");
}

static void test_garbage(Case *test, gconstpointer data)
{
    (void)data;
    go_on_until(test, is_connected);
    GByteArray *garbage = g_byte_array_new();
    g_byte_array_append(garbage, (const guint8 *)"GET / HTTP/1.0\r\n\r\n", 18);
    say(test, garbage);
    go_on_until(test, is_cut);
    assert_news(test, "refused: not a message");
}

static void test_too_large(Case *test, gconstpointer data)
{
    (void)data;
    go_on_until(test, is_connected);
    GByteArray *large = g_byte_array_new();
    g_byte_array_set_size(large, DT_MOST_MESSAGE_BYTES + 1);
    say(test, large);
    go_on_until(test, is_cut);
    for (guint i = 0; i < 20; i++)
        dt_nodes_take(test->nodes, NULL, 0.005);
    assert_news(test, "sent too much");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/agent/nodes/agent", Case, NULL, set_up, test_agent, tear_down);
    g_test_add("/agent/nodes/wrong-key", Case, NULL, set_up, test_wrong_key, tear_down);
    g_test_add("/agent/nodes/replay", Case, NULL, set_up, test_replay, tear_down);
    g_test_add("/agent/nodes/garbage", Case, NULL, set_up, test_garbage, tear_down);
    g_test_add("/agent/nodes/too-large", Case, NULL, set_up, test_too_large, tear_down);
    return g_test_run();
}
