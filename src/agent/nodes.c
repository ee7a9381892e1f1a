/* The collector's end of the star. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/gathering.h"
#include "agent/session.h"
#include "agent/transport.h"
#include "text/text.h"

enum {
    ALIVE_US = G_USEC_PER_SEC,      /* between two messages that say that we are there */
    PROVE_US = 10 * G_USEC_PER_SEC, /* for a connection to prove itself */
    MOST_STRANGERS = 8192,          /* connections that have not yet */
    COME_US = 3 * G_USEC_PER_SEC,   /* for an agent to come after it is asked to end processes */
    GO_US = 4 * G_USEC_PER_SEC,     /* for processes to go after SIGKILL */
    NEW_US = 6 * G_USEC_PER_SEC     /* for an agent to come after a process of its host */
};

/* A connection. */
typedef struct {
    guint32 id;
    DtSession *session;
    gint64 came_us;
} Peer;

/* An agent that has proved itself, by its host. */
typedef struct {
    guint32 peer; /* 0: it is gone */
    gint64 heard_us;
    gboolean has_left; /* by itself: nothing is left there to be seen */
    gboolean was_asked, has_ended;
    guint left;
    gboolean told_partial;
    DtGathering *gathering; /* NULL: its files are here, or others gather them */
    gboolean is_sending;    /* it was asked for a part that has not come */
    gboolean is_whole;      /* nothing of it is missing here */
    gint64 file_us;         /* when the last of its files came */
} Node;

struct DtNodes {
    char *run, *id;
    GPtrArray *addresses; /* (element-type utf8): we listen there */
    guint16 port;
    gboolean is_asked;     /* by the user: no others are added */
    GHashTable *looked_at; /* hosts whose addresses are among these, if they have any */
    guint refused;
    guint8 key[DT_AGENTS_KEY_BYTES];
    DtTransport *transport;
    GHashTable *peers; /* id -> Peer */
    GHashTable *hosts; /* host -> Node */
    GPtrArray *news;
    guint64 reports;
    gint64 alive_us;
    gint64 met_us;    /* until when agents of processes that were there were waited for; 0: they were not */
    gint64 ending_us; /* since when processes are to be ended; 0: they are not */
    guint32 grace_ms;
    gint64 gathering_us; /* since when all files are to come; 0: no need */
};

static void peer_free(gpointer data)
{
    Peer *peer = data;
    dt_session_free(peer->session);
    g_free(peer);
}

static void node_free(gpointer data)
{
    Node *node = data;
    dt_gathering_free(node->gathering);
    g_free(node);
}

/* ---- where we listen ---------------------------------------------------------------------------------- */

static const char LOOPBACK[] = "127.0.0.1", ALL[] = "0.0.0.0";

static void add_address(GPtrArray *addresses, char *address)
{
    if (g_ptr_array_find_with_equal_func(addresses, address, g_str_equal, NULL))
        g_free(address);
    else
        g_ptr_array_add(addresses, address);
}

/* Those of all interfaces that others may reach. */
static void add_own_addresses(GPtrArray *addresses)
{
    struct ifaddrs *all = NULL;
    (void)getifaddrs(&all);
    for (const struct ifaddrs *each = all; each; each = each->ifa_next) {
        char text[INET_ADDRSTRLEN];
        if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET || (each->ifa_flags & IFF_LOOPBACK) ||
            !(each->ifa_flags & IFF_UP))
            continue;
        const struct sockaddr_in *address = (const struct sockaddr_in *)(const void *)each->ifa_addr;
        if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text)))
            add_address(addresses, g_strdup(text));
    }
    if (all)
        freeifaddrs(all);
}

/* The address of ours from which the kernel would send to another one; NULL: there is no way. Nothing is sent. */
static char *address_towards(const struct sockaddr *other, socklen_t bytes)
{
    struct sockaddr_in own = {0};
    socklen_t own_bytes = sizeof(own);
    char text[INET_ADDRSTRLEN];
    const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const gboolean is_known = probe >= 0 && connect(probe, other, bytes) == 0 &&
                              getsockname(probe, (struct sockaddr *)(void *)&own, &own_bytes) == 0 &&
                              inet_ntop(AF_INET, &own.sin_addr, text, sizeof(text));
    if (probe >= 0)
        close(probe);
    return is_known ? g_strdup(text) : NULL;
}

/* FALSE: the host's name means nothing here, or leads back to us. */
static gboolean add_address_towards(GPtrArray *addresses, const char *host)
{
    const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, "9", &wanted, &found) != 0)
        return FALSE;
    g_autofree char *own = address_towards(found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    if (!own || g_str_has_prefix(own, "127."))
        return FALSE;
    add_address(addresses, g_steal_pointer(&own));
    return TRUE;
}

/* What is announced is what agents dial. */
static gboolean announce(const DtNodes *nodes, GError **error)
{
    g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < nodes->addresses->len; i++)
        if (g_str_equal(nodes->addresses->pdata[i], ALL))
            add_own_addresses(addresses);
        else
            add_address(addresses, g_strdup(nodes->addresses->pdata[i]));
    g_ptr_array_add(addresses, NULL);
    const DtCollectorPlace place = {nodes->id, nodes->port, (char **)addresses->pdata};
    return dt_agents_folder_announce(nodes->run, &place, error);
}

static gboolean listen_on(DtNodes *nodes, const char *address, GError **error)
{
    if (g_ptr_array_find_with_equal_func(nodes->addresses, address, g_str_equal, NULL))
        return TRUE;
    if (nodes->transport && !dt_transport_listen_too(nodes->transport, address, nodes->port, error))
        return FALSE;
    if (!nodes->transport)
        nodes->transport = dt_transport_listen(address, &nodes->port, error);
    if (!nodes->transport)
        return FALSE;
    g_ptr_array_add(nodes->addresses, g_strdup(address));
    return TRUE;
}

/* Those of hosts that were not looked at yet. */
static void add_needed(DtNodes *nodes, GPtrArray *addresses)
{
    g_autoptr(GPtrArray) hosts = dt_agents_folder_hosts(nodes->run);
    for (guint i = 0; i < hosts->len; i++) {
        const char *host = hosts->pdata[i];
        if (!g_hash_table_add(nodes->looked_at, g_strdup(host)))
            continue;
        if (g_str_equal(host, g_get_host_name()))
            add_address(addresses, g_strdup(LOOPBACK));
        else if (!add_address_towards(addresses, host))
            add_own_addresses(addresses);
    }
}

/* What new agents need. An address that cannot be had is told once. */
static void listen_as_needed(DtNodes *nodes)
{
    g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);
    const guint before = nodes->addresses->len;
    if (nodes->is_asked)
        return;
    add_needed(nodes, addresses);
    for (guint i = 0; i < addresses->len; i++) {
        g_autoptr(GError) problem = NULL;
        if (!listen_on(nodes, addresses->pdata[i], &problem))
            g_ptr_array_add(nodes->news, g_strdup(problem->message));
    }
    if (nodes->addresses->len > before)
        (void)announce(nodes, NULL);
}

static gboolean begin_to_listen(DtNodes *nodes, const char *address, GError **error)
{
    g_autofree char *of_run = address ? g_strdup(address) : dt_agents_folder_listen(nodes->run);
    g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);
    nodes->is_asked = of_run != NULL;
    if (of_run)
        return listen_on(nodes, of_run, error) && announce(nodes, error);
    add_needed(nodes, addresses);
    if (addresses->len == 0)
        add_address(addresses, g_strdup(LOOPBACK));
    for (guint i = 0; i < addresses->len; i++)
        if (!listen_on(nodes, addresses->pdata[i], error))
            return FALSE;
    return announce(nodes, error);
}

DtNodes *dt_nodes_new(const char *run, const char *address, GError **error)
{
    g_autoptr(DtNodes) nodes = g_new0(DtNodes, 1);
    nodes->run = g_strdup(run);
    nodes->id = g_strdup_printf("%s-%d-%" G_GINT64_FORMAT, g_get_host_name(), getpid(), g_get_real_time());
    nodes->addresses = g_ptr_array_new_with_free_func(g_free);
    nodes->looked_at = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    nodes->peers = g_hash_table_new_full(NULL, NULL, NULL, peer_free);
    nodes->hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, node_free);
    nodes->news = g_ptr_array_new_with_free_func(g_free);
    if (!dt_agents_folder_key(run, nodes->key, error) || !begin_to_listen(nodes, address, error))
        return NULL;
    return g_steal_pointer(&nodes);
}

static gboolean say(DtNodes *nodes, const Peer *peer, DtAgentMessage message)
{
    g_autoptr(GByteArray) bytes = dt_session_seal(peer->session, &message);
    return dt_transport_send(nodes->transport, peer->id, bytes);
}

void dt_nodes_free(DtNodes *nodes)
{
    enum { TO_LEAVE_US = 20 * 1000 }; /* for the last messages to go out */
    if (!nodes)
        return;
    GHashTableIter peers;
    gpointer peer;
    gboolean has_said = FALSE;
    g_hash_table_iter_init(&peers, nodes->peers);
    while (g_hash_table_iter_next(&peers, NULL, &peer))
        if (dt_session_is_open(((Peer *)peer)->session))
            has_said = say(nodes, peer, (DtAgentMessage){.kind = DT_MESSAGE_BYE}) || has_said;
    if (has_said)
        g_usleep(TO_LEAVE_US);
    dt_transport_free(nodes->transport);
    explicit_bzero(nodes->key, sizeof(nodes->key));
    g_hash_table_unref(nodes->peers);
    g_hash_table_unref(nodes->hosts);
    g_ptr_array_unref(nodes->news);
    g_ptr_array_unref(nodes->addresses);
    g_hash_table_unref(nodes->looked_at);
    g_free(nodes->id);
    g_free(nodes->run);
    g_free(nodes);
}

/* ---- what comes ------------------------------------------------------------------------------------ */

/* Whoever can reach us may come again and again: the first one is told. */
static gboolean is_first_stranger(DtNodes *nodes)
{
    return nodes->refused++ == 0;
}

static void refuse(DtNodes *nodes, const Peer *peer, const char *why)
{
    g_autofree char *address = dt_transport_address(nodes->transport, peer->id);
    const char *host = dt_session_is_open(peer->session) ? dt_session_host(peer->session) : NULL;
    if (host || is_first_stranger(nodes))
        g_ptr_array_add(nodes->news, dt_text_printf("%s%s: refused: %s", host ? "node " : "a connection from ",
                                                    host ? host : address, why));
    dt_transport_cut(nodes->transport, peer->id);
}

static Node *node_of(DtNodes *nodes, const char *host)
{
    Node *node = g_hash_table_lookup(nodes->hosts, host);
    if (node)
        return node;
    node = g_new0(Node, 1);
    g_hash_table_insert(nodes->hosts, g_strdup(host), node);
    return node;
}

static void ask_to_end(DtNodes *nodes, Node *node, const Peer *peer)
{
    if (nodes->ending_us != 0 && !node->was_asked)
        node->was_asked = say(nodes, peer, (DtAgentMessage){.kind = DT_MESSAGE_END, .grace_ms = nodes->grace_ms});
}

/* ---- files of nodes that have the run on their own disks ------------------------------------------------ */

static void stop_gathering(Node *node)
{
    g_clear_pointer(&node->gathering, dt_gathering_free);
    node->is_sending = FALSE;
}

static void ask_for_part(DtNodes *nodes, Node *node, const Peer *peer)
{
    if (node->gathering && !node->is_sending)
        node->is_sending = say(nodes, peer, (DtAgentMessage){.kind = DT_MESSAGE_WANT});
}

/* With each report: so often at most an agent that has nothing more is asked again. */
static void gather(DtNodes *nodes, const DtLive *live, const char *host, Node *node, const Peer *peer,
                   const DtAgentMessage *report)
{
    const gboolean is_for_others = nodes->gathering_us == 0 && dt_agents_folder_files_are_asked_for(nodes->run);
    const gboolean is_apart = node->gathering || dt_agents_folder_is_gathered(nodes->run, host) ||
                              dt_live_lacks(live, host, report->processes);
    if (is_for_others)
        stop_gathering(node);
    else if (is_apart && !node->gathering)
        node->gathering = dt_gathering_new(nodes->run, host);
    node->is_whole = node->is_whole || !is_apart;
    ask_for_part(nodes, node, peer);
}

static void take_piece(DtNodes *nodes, Node *node, const DtAgentMessage *piece)
{
    g_autoptr(GError) problem = NULL;
    node->file_us = g_get_monotonic_time();
    if (!node->gathering || dt_gathering_take(node->gathering, piece, &problem))
        return;
    g_ptr_array_add(nodes->news, g_strdup(problem->message));
    stop_gathering(node);
}

static void take_sent(DtNodes *nodes, Node *node, const Peer *peer, const DtAgentMessage *sent)
{
    node->is_sending = FALSE;
    node->is_whole = sent->is_complete;
    if (sent->has_more)
        ask_for_part(nodes, node, peer);
}

static void hear_report(DtNodes *nodes, DtLive *live, const char *host, Node *node, const DtAgentMessage *report)
{
    if (report->is_partial && !node->told_partial)
        g_ptr_array_add(nodes->news, dt_text_printf("node %s: more than %d threads; the others there are not seen",
                                                    host, DT_MOST_NODE_THREADS));
    node->told_partial = node->told_partial || report->is_partial;
    nodes->reports++;
    if (live)
        dt_live_hear(live, host, report->processes);
}

/* Of one that has proved itself. The latest agent of a host counts. */
static void hear(DtNodes *nodes, DtLive *live, const Peer *peer, const DtAgentMessage *message)
{
    const char *host = dt_session_host(peer->session);
    Node *node = node_of(nodes, host);
    if (node->peer != peer->id && node->peer != 0)
        dt_transport_cut(nodes->transport, node->peer);
    if (node->peer != peer->id)
        node->is_sending = FALSE; /* it starts again */
    node->peer = peer->id;
    node->heard_us = g_get_monotonic_time();
    node->has_left = message->kind == DT_MESSAGE_BYE;
    ask_to_end(nodes, node, peer);
    if (message->kind == DT_MESSAGE_REPORT) {
        hear_report(nodes, live, host, node, message);
        if (live)
            gather(nodes, live, host, node, peer, message);
    }
    if (message->kind == DT_MESSAGE_PIECE)
        take_piece(nodes, node, message);
    if (message->kind == DT_MESSAGE_SENT)
        take_sent(nodes, node, peer, message);
    if (message->kind == DT_MESSAGE_ENDED) {
        node->has_ended = TRUE;
        node->left = message->left;
    }
}

static void take_message(DtNodes *nodes, DtLive *live, Peer *peer, const GByteArray *bytes)
{
    g_auto(DtAgentMessage) message = {0};
    g_autoptr(GByteArray) answer = NULL;
    g_autoptr(GError) problem = NULL;
    if (!dt_session_take(peer->session, bytes->data, bytes->len, &message, &answer, &problem)) {
        refuse(nodes, peer, problem->message);
        g_hash_table_remove(nodes->peers, GUINT_TO_POINTER(peer->id));
        return;
    }
    if (answer && !dt_transport_send(nodes->transport, peer->id, answer))
        dt_transport_cut(nodes->transport, peer->id); /* it will come again */
    if (dt_session_is_open(peer->session))
        hear(nodes, live, peer, &message);
}

static void add_peer(DtNodes *nodes, guint32 id)
{
    Peer *peer = g_new0(Peer, 1);
    *peer = (Peer){id, dt_session_new(nodes->key, NULL, NULL), g_get_monotonic_time()};
    if (peer->session && g_hash_table_size(nodes->peers) < MOST_STRANGERS) {
        g_hash_table_insert(nodes->peers, GUINT_TO_POINTER(id), peer);
        return;
    }
    dt_transport_cut(nodes->transport, id);
    peer_free(peer);
}

static void remove_peer(DtNodes *nodes, guint32 id)
{
    const Peer *peer = g_hash_table_lookup(nodes->peers, GUINT_TO_POINTER(id));
    if (peer && !dt_session_is_open(peer->session) && is_first_stranger(nodes))
        g_ptr_array_add(nodes->news, g_strdup("a connection was refused: it left, or sent too much, before it had "
                                              "proved that it has the key of the run"));
    const char *host = peer && dt_session_is_open(peer->session) ? dt_session_host(peer->session) : NULL;
    Node *node = host ? g_hash_table_lookup(nodes->hosts, host) : NULL;
    if (node && node->peer == id)
        node->peer = 0;
    g_hash_table_remove(nodes->peers, GUINT_TO_POINTER(id));
}

static void take_event(DtNodes *nodes, DtLive *live, const DtTransportEvent *event)
{
    Peer *peer = g_hash_table_lookup(nodes->peers, GUINT_TO_POINTER(event->peer));
    if (event->what == DT_PEER_CAME)
        add_peer(nodes, event->peer);
    else if (event->what == DT_PEER_LEFT)
        remove_peer(nodes, event->peer);
    else if (peer)
        take_message(nodes, live, peer, event->said);
}

/* Those that are there hear of us; those that say nothing are cut off. */
static void keep_up(DtNodes *nodes)
{
    const gint64 now = g_get_monotonic_time();
    GHashTableIter peers;
    gpointer data;
    if (now - nodes->alive_us < ALIVE_US)
        return;
    nodes->alive_us = now;
    g_hash_table_iter_init(&peers, nodes->peers);
    while (g_hash_table_iter_next(&peers, NULL, &data)) {
        const Peer *peer = data;
        if (dt_session_is_open(peer->session))
            (void)say(nodes, peer, (DtAgentMessage){.kind = DT_MESSAGE_ALIVE});
        else if (now - peer->came_us > PROVE_US)
            dt_transport_cut(nodes->transport, peer->id);
    }
}

static void wait_readable(const DtNodes *nodes, gdouble seconds)
{
    struct pollfd waited = {dt_transport_descriptor(nodes->transport), POLLIN, 0};
    if (seconds > 0)
        (void)poll(&waited, 1, (int)(seconds * 1000) + 1);
}

void dt_nodes_take(DtNodes *nodes, DtLive *live, gdouble seconds)
{
    listen_as_needed(nodes);
    wait_readable(nodes, seconds);
    for (gboolean is_more = TRUE; is_more;) {
        g_auto(DtTransportEvent) event = {0};
        is_more = dt_transport_next(nodes->transport, &event);
        if (is_more)
            take_event(nodes, live, &event);
    }
    keep_up(nodes);
}

guint dt_nodes_refused(const DtNodes *nodes)
{
    return nodes->refused;
}

static gboolean all_are_heard(const DtNodes *nodes)
{
    g_autoptr(GPtrArray) hosts = dt_agents_folder_hosts(nodes->run);
    for (guint i = 0; i < hosts->len; i++) {
        const Node *node = g_hash_table_lookup(nodes->hosts, hosts->pdata[i]);
        if (!node || node->heard_us == 0)
            return FALSE;
    }
    return TRUE;
}

void dt_nodes_meet(DtNodes *nodes, DtLive *live, gdouble seconds)
{
    enum { LOOK_US = 50 * 1000 };
    const gint64 end = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
    while (!all_are_heard(nodes) && g_get_monotonic_time() < end)
        dt_nodes_take(nodes, live, (gdouble)LOOK_US / G_USEC_PER_SEC);
    nodes->met_us = g_get_monotonic_time();
}

guint dt_nodes_heard(const DtNodes *nodes)
{
    return g_hash_table_size(nodes->hosts);
}

guint64 dt_nodes_reports(const DtNodes *nodes)
{
    return nodes->reports;
}

GPtrArray *dt_nodes_news(DtNodes *nodes)
{
    GPtrArray *news = nodes->news;
    nodes->news = g_ptr_array_new_with_free_func(g_free);
    return news;
}

/* ---- when all files are here -------------------------------------------------------------------------------- */

void dt_nodes_gather_last(DtNodes *nodes)
{
    nodes->gathering_us = g_get_monotonic_time();
    dt_agents_folder_ask_for_files(nodes->run);
}

static gboolean is_waited_for(const DtNodes *nodes, const Node *node, gint64 now)
{
    const gint64 last = MAX(nodes->gathering_us, node ? node->file_us : 0);
    return (!node || !(node->has_left || node->is_whole)) && now - last < COME_US;
}

gboolean dt_nodes_have_gathered(const DtNodes *nodes)
{
    g_autoptr(GPtrArray) hosts = dt_agents_folder_hosts(nodes->run);
    const gint64 now = g_get_monotonic_time();
    for (guint i = 0; i < hosts->len; i++)
        if (is_waited_for(nodes, g_hash_table_lookup(nodes->hosts, hosts->pdata[i]), now))
            return FALSE;
    return TRUE;
}

/* ---- what is not seen ------------------------------------------------------------------------------- */

static const char *why_unseen(const DtNodes *nodes, const char *host)
{
    const Node *node = nodes ? g_hash_table_lookup(nodes->hosts, host) : NULL;
    if (!node)
        return "no agent is heard";
    return node->peer == 0 ? "its agent is gone" : "its agent is silent";
}

/* An agent starts with the first process, but needs a moment to be heard. */
static gboolean is_unseen(const DtNodes *nodes, const DtLiveProcess *process)
{
    const gboolean is_new = nodes && !process->was_seen && process->came_us > nodes->met_us &&
                            g_get_monotonic_time() - process->came_us < NEW_US;
    return !process->is_seen && !process->ended && !is_new;
}

static gint compare_text(gconstpointer one, gconstpointer other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

GPtrArray *dt_nodes_unseen(const DtNodes *nodes, const DtLive *live)
{
    g_autoptr(GHashTable) found = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    guint ended;
    for (guint i = 0; i < dt_live_process_count(live, &ended); i++) {
        const DtLiveProcess *process = dt_live_process(live, i);
        if (!is_unseen(nodes, process) || !g_hash_table_add(found, (gpointer)process->host))
            continue;
        g_autofree char *host = dt_text_unspell(process->host);
        g_ptr_array_add(lines, dt_text_printf("node %s: %s; what happens there is not seen", process->host,
                                              why_unseen(nodes, host)));
    }
    g_ptr_array_sort(lines, compare_text);
    return lines;
}

/* ---- ending ----------------------------------------------------------------------------------------- */

void dt_nodes_end(DtNodes *nodes, gdouble grace_seconds)
{
    GHashTableIter peers;
    gpointer data;
    nodes->ending_us = g_get_monotonic_time();
    nodes->grace_ms = (guint32)(grace_seconds * 1000);
    g_hash_table_iter_init(&peers, nodes->peers);
    while (g_hash_table_iter_next(&peers, NULL, &data)) {
        const Peer *peer = data;
        if (dt_session_is_open(peer->session))
            ask_to_end(nodes, node_of(nodes, dt_session_host(peer->session)), peer);
    }
}

guint dt_nodes_asked(const DtNodes *nodes, guint *asked)
{
    g_autoptr(GPtrArray) hosts = dt_agents_folder_hosts(nodes->run);
    *asked = 0;
    for (guint i = 0; i < hosts->len; i++) {
        const Node *node = g_hash_table_lookup(nodes->hosts, hosts->pdata[i]);
        *asked += node && (node->was_asked || node->has_left) ? 1 : 0;
    }
    return hosts->len;
}

/* NULL: it is done; else why it is not, and *waits says whether it may still come. */
static const char *state_of_end(const DtNodes *nodes, const char *host, gint64 now, gboolean *waits)
{
    const Node *node = g_hash_table_lookup(nodes->hosts, host);
    const gint64 since = now - nodes->ending_us;
    *waits = FALSE;
    if (node && (node->has_ended || node->has_left))
        return node->left > 0 ? "processes could not be ended" : NULL;
    *waits = since < (node && node->was_asked ? nodes->grace_ms * 1000 + GO_US : COME_US);
    return node && node->was_asked ? "its agent did not tell that they have ended" : "no agent answers";
}

gboolean dt_nodes_have_ended(DtNodes *nodes, GPtrArray *problems)
{
    g_autoptr(GPtrArray) hosts = dt_agents_folder_hosts(nodes->run);
    const gint64 now = g_get_monotonic_time();
    g_ptr_array_set_size(problems, 0);
    for (guint i = 0; i < hosts->len; i++) {
        gboolean waits;
        const char *why = state_of_end(nodes, hosts->pdata[i], now, &waits);
        if (waits)
            return FALSE;
        if (why)
            g_ptr_array_add(problems, dt_text_printf("node %s: %s; processes of the job may be left there",
                                                     (const char *)hosts->pdata[i], why));
    }
    return TRUE;
}
