/* The module of the network, by nng: its protocol PAIR, version 1, over TCP. */
#include "agent/network/link.h"

#include <arpa/inet.h>

#include <nng/nng.h>
#include <nng/protocol/pair1/pair.h>

#include "agent/messages.h"

G_DEFINE_QUARK(dt_agent_error, dt_agent_error) /* the same as in the program: it goes by its name */

enum {
    WAITING_MESSAGES = 4096, /* that nng keeps until they are asked for */
    SENT_MESSAGES = 8192,    /* the same until they have gone out, of all connections: the most that nng takes */
    DIAL_AGAIN_LEAST_MS = 200,
    DIAL_AGAIN_MOST_MS = 2000
};

/* What a thread of nng's tells us. */
typedef struct {
    DtTransportWhat what;
    guint32 peer;
} Connection;

struct DtNetwork {
    nng_socket socket;
    gint descriptor;
    GAsyncQueue *connections; /* (element-type Connection) */
    GHashTable *peers;        /* that are there */
    nng_msg *held;            /* that came, and is told next; NULL: none */
};

static void note_connection(nng_pipe pipe, nng_pipe_ev event, void *data)
{
    const Connection connection = {event == NNG_PIPE_EV_ADD_PRE ? DT_PEER_CAME : DT_PEER_LEFT, pipe.id};
    g_async_queue_push(data, g_memdup2(&connection, sizeof(connection)));
}

static gboolean network_error(GError **error, const char *what, int problem)
{
    g_set_error(error, DT_AGENT_ERROR, DT_AGENT_ERROR_NETWORK, "%s: %s", what, nng_strerror(problem));
    return FALSE;
}

static gboolean prepare(DtNetwork *network, GError **error)
{
    const nng_socket socket = network->socket;
    int problem = nng_socket_set_size(socket, NNG_OPT_RECVMAXSZ, DT_MOST_MESSAGE_BYTES);
    if (!problem)
        problem = nng_socket_set_int(socket, NNG_OPT_RECVBUF, WAITING_MESSAGES);
    if (!problem)
        problem = nng_socket_set_int(socket, NNG_OPT_SENDBUF, SENT_MESSAGES);
    if (!problem)
        problem = nng_socket_set_ms(socket, NNG_OPT_RECONNMINT, DIAL_AGAIN_LEAST_MS);
    if (!problem)
        problem = nng_socket_set_ms(socket, NNG_OPT_RECONNMAXT, DIAL_AGAIN_MOST_MS);
    if (!problem)
        problem = nng_pipe_notify(socket, NNG_PIPE_EV_ADD_PRE, note_connection, network->connections);
    if (!problem)
        problem = nng_pipe_notify(socket, NNG_PIPE_EV_REM_POST, note_connection, network->connections);
    if (!problem)
        problem = nng_socket_get_int(socket, NNG_OPT_RECVFD, &network->descriptor);
    return !problem || network_error(error, "nng", problem);
}

/* Closing waits until nng calls nobody any more. */
static void network_free(DtNetwork *network)
{
    if (!network)
        return;
    if (nng_socket_id(network->socket) > 0)
        nng_close(network->socket);
    if (network->held)
        nng_msg_free(network->held);
    g_async_queue_unref(network->connections);
    g_hash_table_unref(network->peers);
    g_free(network);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtNetwork, network_free)

static DtNetwork *network_new(int (*open)(nng_socket *), GError **error)
{
    DtNetwork *network = g_new0(DtNetwork, 1);
    network->connections = g_async_queue_new_full(g_free);
    network->peers = g_hash_table_new(NULL, NULL);
    const int problem = open(&network->socket);
    if (problem) {
        network_error(error, "nng", problem);
        network->socket = (nng_socket)NNG_SOCKET_INITIALIZER;
    } else if (prepare(network, error)) {
        return network;
    }
    network_free(network);
    return NULL;
}

/* `port` 0: a free one, which it becomes. */
static gboolean add_listener(DtNetwork *network, const char *address, guint16 *port, GError **error)
{
    g_autofree char *url = g_strdup_printf("tcp://%s:%u", address, *port);
    nng_listener listener;
    int bound = 0, problem = nng_listener_create(&listener, network->socket, url);
    if (!problem)
        problem = nng_listener_start(listener, 0);
    if (!problem)
        problem = nng_listener_get_int(listener, NNG_OPT_TCP_BOUND_PORT, &bound);
    if (problem) {
        g_autofree char *what = g_strdup_printf("cannot listen to agents on %s", address);
        return network_error(error, what, problem);
    }
    *port = (guint16)bound;
    return TRUE;
}

static DtNetwork *listen_at(const char *address, guint16 *port, GError **error)
{
    g_autoptr(DtNetwork) network = network_new(nng_pair1_open_poly, error);
    *port = 0;
    return network && add_listener(network, address, port, error) ? g_steal_pointer(&network) : NULL;
}

static gboolean listen_too(DtNetwork *network, const char *address, guint16 port, GError **error)
{
    return add_listener(network, address, &port, error);
}

static DtNetwork *dial(const char *address, guint16 port, GError **error)
{
    g_autoptr(DtNetwork) network = network_new(nng_pair1_open, error);
    g_autofree char *url = g_strdup_printf("tcp://%s:%u", address, port);
    nng_dialer dialer;
    if (!network)
        return NULL;
    int problem = nng_dialer_create(&dialer, network->socket, url);
    if (!problem)
        problem = nng_dialer_set_bool(dialer, NNG_OPT_TCP_KEEPALIVE, true);
    if (!problem)
        problem = nng_dialer_start(dialer, NNG_FLAG_NONBLOCK);
    if (problem) {
        network_error(error, url, problem);
        return NULL;
    }
    return g_steal_pointer(&network);
}

static gint descriptor_of(const DtNetwork *network)
{
    return network->descriptor;
}

static gboolean next_connection(DtNetwork *network, DtTransportEvent *event)
{
    g_autofree Connection *connection = g_async_queue_try_pop(network->connections);
    if (!connection)
        return FALSE;
    *event = (DtTransportEvent){connection->what, connection->peer, NULL};
    if (connection->what == DT_PEER_CAME)
        g_hash_table_add(network->peers, GUINT_TO_POINTER(connection->peer));
    else
        g_hash_table_remove(network->peers, GUINT_TO_POINTER(connection->peer));
    return TRUE;
}

/* The next message of a peer that is there, once it was told who came. */
static gboolean next_message(DtNetwork *network, DtTransportEvent *event)
{
    g_autoptr(GByteArray) said = g_byte_array_new();
    nng_msg *message = g_steal_pointer(&network->held);
    const guint32 peer = nng_msg_get_pipe(message).id;
    g_byte_array_append(said, nng_msg_body(message), (guint)nng_msg_len(message));
    nng_msg_free(message);
    if (!g_hash_table_contains(network->peers, GUINT_TO_POINTER(peer)))
        return FALSE;
    *event = (DtTransportEvent){DT_PEER_SAID, peer, g_steal_pointer(&said)};
    return TRUE;
}

static gboolean next_event(DtNetwork *network, DtTransportEvent *event)
{
    while (TRUE) {
        const gboolean has_more = network->held || nng_recvmsg(network->socket, &network->held, NNG_FLAG_NONBLOCK) == 0;
        if (next_connection(network, event))
            return TRUE;
        if (!has_more)
            return FALSE;
        if (next_message(network, event))
            return TRUE;
    }
}

static gboolean send_message(DtNetwork *network, guint32 peer, const GByteArray *bytes)
{
    nng_msg *message;
    if (nng_msg_alloc(&message, 0) != 0)
        return FALSE;
    if (peer != 0)
        nng_msg_set_pipe(message, (nng_pipe){.id = peer});
    if (nng_msg_append(message, bytes->data, bytes->len) == 0 &&
        nng_sendmsg(network->socket, message, NNG_FLAG_NONBLOCK) == 0)
        return TRUE;
    nng_msg_free(message);
    return FALSE;
}

static void cut(DtNetwork *network, guint32 peer)
{
    (void)network;
    nng_pipe_close((nng_pipe){.id = peer});
}

static char *address_of(const DtNetwork *network, guint32 peer)
{
    nng_sockaddr address;
    char text[INET6_ADDRSTRLEN] = "an unknown address";
    (void)network;
    if (nng_pipe_get_addr((nng_pipe){.id = peer}, NNG_OPT_REMADDR, &address) == 0) {
        if (address.s_family == NNG_AF_INET)
            inet_ntop(AF_INET, &address.s_in.sa_addr, text, sizeof(text));
        else if (address.s_family == NNG_AF_INET6)
            inet_ntop(AF_INET6, &address.s_in6.sa_addr, text, sizeof(text));
    }
    return g_strdup(text);
}

__attribute__((visibility("default"))) const DtNetworkFunctions *dt_network_functions(void)
{
    static const DtNetworkFunctions functions = {listen_at,  listen_too,   dial, network_free, descriptor_of,
                                                 next_event, send_message, cut,  address_of};
    return &functions;
}
