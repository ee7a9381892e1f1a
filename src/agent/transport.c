#include "agent/transport.h"

#include <arpa/inet.h>

#include <nng/nng.h>
#include <nng/protocol/pair1/pair.h>

#include "agent/messages.h"

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

struct DtTransport {
    nng_socket socket;
    gint descriptor;
    GAsyncQueue *connections; /* (element-type Connection) */
    GHashTable *peers;        /* that are there */
    nng_msg *held;            /* that came, and is told next; NULL: none */
};

void dt_transport_event_clear(DtTransportEvent *event)
{
    g_clear_pointer(&event->said, g_byte_array_unref);
}

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

static gboolean prepare(DtTransport *transport, GError **error)
{
    const nng_socket socket = transport->socket;
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
        problem = nng_pipe_notify(socket, NNG_PIPE_EV_ADD_PRE, note_connection, transport->connections);
    if (!problem)
        problem = nng_pipe_notify(socket, NNG_PIPE_EV_REM_POST, note_connection, transport->connections);
    if (!problem)
        problem = nng_socket_get_int(socket, NNG_OPT_RECVFD, &transport->descriptor);
    return !problem || network_error(error, "nng", problem);
}

static DtTransport *transport_new(int (*open)(nng_socket *), GError **error)
{
    DtTransport *transport = g_new0(DtTransport, 1);
    transport->connections = g_async_queue_new_full(g_free);
    transport->peers = g_hash_table_new(NULL, NULL);
    const int problem = open(&transport->socket);
    if (problem) {
        network_error(error, "nng", problem);
        transport->socket = (nng_socket)NNG_SOCKET_INITIALIZER;
    } else if (prepare(transport, error)) {
        return transport;
    }
    dt_transport_free(transport);
    return NULL;
}

DtTransport *dt_transport_listen(guint16 *port, GError **error)
{
    g_autoptr(DtTransport) transport = transport_new(nng_pair1_open_poly, error);
    nng_listener listener;
    int bound = 0;
    if (!transport)
        return NULL;
    int problem = nng_listener_create(&listener, transport->socket, "tcp://0.0.0.0:0");
    if (!problem)
        problem = nng_listener_start(listener, 0);
    if (!problem)
        problem = nng_listener_get_int(listener, NNG_OPT_TCP_BOUND_PORT, &bound);
    if (problem) {
        network_error(error, "cannot listen to agents", problem);
        return NULL;
    }
    *port = (guint16)bound;
    return g_steal_pointer(&transport);
}

DtTransport *dt_transport_dial(const char *address, guint16 port, GError **error)
{
    g_autoptr(DtTransport) transport = transport_new(nng_pair1_open, error);
    g_autofree char *url = g_strdup_printf("tcp://%s:%u", address, port);
    nng_dialer dialer;
    if (!transport)
        return NULL;
    int problem = nng_dialer_create(&dialer, transport->socket, url);
    if (!problem)
        problem = nng_dialer_set_bool(dialer, NNG_OPT_TCP_KEEPALIVE, true);
    if (!problem)
        problem = nng_dialer_start(dialer, NNG_FLAG_NONBLOCK);
    if (problem) {
        network_error(error, url, problem);
        return NULL;
    }
    return g_steal_pointer(&transport);
}

/* Closing waits until nng calls nobody any more. */
void dt_transport_free(DtTransport *transport)
{
    if (!transport)
        return;
    if (nng_socket_id(transport->socket) > 0)
        nng_close(transport->socket);
    if (transport->held)
        nng_msg_free(transport->held);
    g_async_queue_unref(transport->connections);
    g_hash_table_unref(transport->peers);
    g_free(transport);
}

gint dt_transport_descriptor(const DtTransport *transport)
{
    return transport->descriptor;
}

static gboolean next_connection(DtTransport *transport, DtTransportEvent *event)
{
    g_autofree Connection *connection = g_async_queue_try_pop(transport->connections);
    if (!connection)
        return FALSE;
    *event = (DtTransportEvent){connection->what, connection->peer, NULL};
    if (connection->what == DT_PEER_CAME)
        g_hash_table_add(transport->peers, GUINT_TO_POINTER(connection->peer));
    else
        g_hash_table_remove(transport->peers, GUINT_TO_POINTER(connection->peer));
    return TRUE;
}

/* The next message of a peer that is there, once it was told who came. */
static gboolean next_message(DtTransport *transport, DtTransportEvent *event)
{
    g_autoptr(GByteArray) said = g_byte_array_new();
    nng_msg *message = g_steal_pointer(&transport->held);
    const guint32 peer = nng_msg_get_pipe(message).id;
    g_byte_array_append(said, nng_msg_body(message), (guint)nng_msg_len(message));
    nng_msg_free(message);
    if (!g_hash_table_contains(transport->peers, GUINT_TO_POINTER(peer)))
        return FALSE;
    *event = (DtTransportEvent){DT_PEER_SAID, peer, g_steal_pointer(&said)};
    return TRUE;
}

gboolean dt_transport_next(DtTransport *transport, DtTransportEvent *event)
{
    while (TRUE) {
        const gboolean has_more =
            transport->held || nng_recvmsg(transport->socket, &transport->held, NNG_FLAG_NONBLOCK) == 0;
        if (next_connection(transport, event))
            return TRUE;
        if (!has_more)
            return FALSE;
        if (next_message(transport, event))
            return TRUE;
    }
}

gboolean dt_transport_send(DtTransport *transport, guint32 peer, const GByteArray *bytes)
{
    nng_msg *message;
    if (nng_msg_alloc(&message, 0) != 0)
        return FALSE;
    if (peer != 0)
        nng_msg_set_pipe(message, (nng_pipe){.id = peer});
    if (nng_msg_append(message, bytes->data, bytes->len) == 0 &&
        nng_sendmsg(transport->socket, message, NNG_FLAG_NONBLOCK) == 0)
        return TRUE;
    nng_msg_free(message);
    return FALSE;
}

void dt_transport_cut(DtTransport *transport, guint32 peer)
{
    (void)transport;
    nng_pipe_close((nng_pipe){.id = peer});
}

char *dt_transport_address(const DtTransport *transport, guint32 peer)
{
    nng_sockaddr address;
    char text[INET6_ADDRSTRLEN] = "an unknown address";
    (void)transport;
    if (nng_pipe_get_addr((nng_pipe){.id = peer}, NNG_OPT_REMADDR, &address) == 0) {
        if (address.s_family == NNG_AF_INET)
            inet_ntop(AF_INET, &address.s_in.sa_addr, text, sizeof(text));
        else if (address.s_family == NNG_AF_INET6)
            inet_ntop(AF_INET6, &address.s_in6.sa_addr, text, sizeof(text));
    }
    return g_strdup(text);
}
