/* A collector and what connects to it, over TCP on this host: agents, and those who are none. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
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
    test->nodes = dt_nodes_new(test->run, NULL, &error);
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
    g_auto(DtAgentMessage) message = {0};
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

/* The one that was told last, of so many. */
static DtCollectorPlace *last_place(const Case *test, guint count)
{
    guint64 position = 0;
    g_autoptr(GPtrArray) places = dt_agents_folder_places(test->run, &position);
    g_assert_cmpuint(places->len, ==, count);
    return g_ptr_array_steal_index(places, count - 1);
}

/* -1: nobody listens there. */
static int connect_to(const Case *test, const char *address)
{
    guint64 position = 0;
    g_autoptr(GPtrArray) places = dt_agents_folder_places(test->run, &position);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(((const DtCollectorPlace *)places->pdata[0])->port)};
    g_assert_cmpint(inet_pton(AF_INET, address, &to.sin_addr), ==, 1);
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(descriptor, (const struct sockaddr *)(const void *)&to, sizeof(to)) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* Another address than loopback. */
static gboolean has_interface(void)
{
    struct ifaddrs *all = NULL;
    gboolean found = FALSE;
    g_assert_cmpint(getifaddrs(&all), ==, 0);
    for (const struct ifaddrs *each = all; each && !found; each = each->ifa_next)
        found = each->ifa_addr && each->ifa_addr->sa_family == AF_INET && !(each->ifa_flags & IFF_LOOPBACK) &&
                (each->ifa_flags & IFF_UP);
    freeifaddrs(all);
    return found;
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
        say(test, dt_session_seal(test->session, &(DtAgentMessage){.kind = DT_MESSAGE_REPORT, .processes = none}));
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
    DtAgentMessage answer = {.kind = DT_MESSAGE_ANSWER}; /* as one does who does not mind what the collector has */
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
        dt_session_seal(test->session, &(DtAgentMessage){.kind = DT_MESSAGE_REPORT, .processes = none});
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

/* A peer that says something that no agent says. */
static void refuse_one(Case *test)
{
    const guint before = dt_nodes_refused(test->nodes);
    g_autoptr(GError) error = NULL;
    dt_transport_free(test->transport);
    g_autoptr(DtCollectorPlace) place = last_place(test, 1);
    test->transport = dt_transport_dial("127.0.0.1", place->port, &error);
    g_assert_no_error(error);
    test->peer = 0;
    test->was_cut = FALSE;
    go_on_until(test, is_connected);
    GByteArray *garbage = g_byte_array_new();
    g_byte_array_append(garbage, (const guint8 *)"GET / HTTP/1.0\r\n\r\n", 18);
    say(test, garbage);
    go_on_until(test, is_cut);
    g_assert_cmpuint(dt_nodes_refused(test->nodes), >, before);
}

/* Whoever can reach the port may come again and again. */
static void test_strangers(Case *test, gconstpointer data)
{
    enum { STRANGERS = 4 };
    (void)data;
    for (guint i = 0; i < STRANGERS; i++)
        refuse_one(test);
    g_assert_cmpuint(dt_nodes_refused(test->nodes), >=, STRANGERS);
    assert_news(test, "refused"); /* one line */
}

/* Without agents elsewhere nobody else needs to reach us. */
static void test_loopback_alone(Case *test, gconstpointer data)
{
    (void)data;
    g_assert_cmpint(close(connect_to(test, "127.0.0.1")), ==, 0);
    g_assert_cmpint(connect_to(test, "127.0.0.2"), ==, -1);
}

static void set_up_asked(Case *test, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    test->run = dt_temporary_directory();
    g_assert_true(dt_agents_folder_make(test->run, &error));
    g_assert_true(dt_agents_folder_set_listen(test->run, "127.0.0.3", &error));
    test->nodes = dt_nodes_new(test->run, data, &error);
    g_assert_no_error(error);
}

static void test_asked(Case *test, gconstpointer data)
{
    const char *address = data ? data : "127.0.0.3";
    g_autoptr(DtCollectorPlace) place = last_place(test, 1);
    g_assert_cmpstr(place->addresses[0], ==, address);
    g_assert_null(place->addresses[1]);
    g_assert_cmpint(close(connect_to(test, address)), ==, 0);
    g_assert_cmpint(connect_to(test, "127.0.0.1"), ==, -1);
}

/* A host of which nothing is known may need any of our addresses; the place keeps its name and port. */
static void test_agent_elsewhere(Case *test, gconstpointer data)
{
    (void)data;
    g_autofree char *agent = g_build_filename(test->run, "agents", "127.9.9.9.agent", NULL);
    g_autoptr(DtCollectorPlace) before = last_place(test, 1);
    dt_write_bytes(agent, "", 0);
    dt_nodes_take(test->nodes, NULL, 0);
    g_autoptr(DtCollectorPlace) after = last_place(test, has_interface() ? 2 : 1);
    g_assert_cmpstr(after->id, ==, before->id);
    g_assert_cmpuint(after->port, ==, before->port);
    for (guint i = 0; after->addresses[i]; i++)
        g_assert_cmpint(close(connect_to(test, after->addresses[i])), ==, 0);
    g_assert_cmpint(connect_to(test, "127.0.0.2"), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/agent/nodes/agent", Case, NULL, set_up, test_agent, tear_down);
    g_test_add("/agent/nodes/wrong-key", Case, NULL, set_up, test_wrong_key, tear_down);
    g_test_add("/agent/nodes/replay", Case, NULL, set_up, test_replay, tear_down);
    g_test_add("/agent/nodes/garbage", Case, NULL, set_up, test_garbage, tear_down);
    g_test_add("/agent/nodes/too-large", Case, NULL, set_up, test_too_large, tear_down);
    g_test_add("/agent/nodes/strangers", Case, NULL, set_up, test_strangers, tear_down);
    g_test_add("/agent/nodes/loopback-alone", Case, NULL, set_up, test_loopback_alone, tear_down);
    g_test_add("/agent/nodes/asked-by-collect", Case, NULL, set_up_asked, test_asked, tear_down);
    g_test_add("/agent/nodes/asked-by-watch", Case, "127.0.0.4", set_up_asked, test_asked, tear_down);
    g_test_add("/agent/nodes/agent-elsewhere", Case, NULL, set_up, test_agent_elsewhere, tear_down);
    return g_test_run();
}
