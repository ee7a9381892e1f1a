/* The agent of a node: what it sees of the run's processes here goes to whoever listens. */
#include "agent/agent.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "agent/ending.h"
#include "agent/sending.h"
#include "agent/session.h"
#include "agent/transport.h"
#include "store/writers.h"

enum {
    LOOK_US = 500 * 1000,                     /* between two looks at files and kernel, and two reports */
    WAIT_MS = 100,                            /* for messages, at most */
    ENDING_WAIT_MS = 20,                      /* the same while processes are being ended */
    ADDRESS_US = 1500 * 1000,                 /* for one of a collector's addresses to answer */
    DIAL_AGAIN_US = 300 * 1000,               /* after a connection was lost or refused */
    PART_OF_TIME = 20,                        /* that looking for changes of files may take */
    GIVE_UP_US = 60 * G_USEC_PER_SEC,         /* a collector that none of its addresses reached, or that is silent */
    SILENT_US = 15 * G_USEC_PER_SEC,          /* a collector that is there says something each second */
    NOTHING_NEW_US = 3 * G_USEC_PER_SEC,      /* after the last process has ended */
    NOTHING_CAME_US = 60 * G_USEC_PER_SEC,    /* if there never was one */
    NOBODY_LISTENS_US = 600 * G_USEC_PER_SEC, /* if the run's collector is gone, too */
    MOST_COLLECTORS = 16,
    MOST_GONE = 4096 /* processes that have ended, in a report: the latest */
};

/* A collector, as an agent knows it. */
typedef struct {
    DtCollectorPlace *place;
    guint next_address;
    DtTransport *transport; /* NULL: to be dialled */
    guint32 peer;           /* 0: not connected */
    DtSession *session;     /* of that connection */
    gint64 dialled_us, heard_us;
    DtSending *sending; /* NULL: it has not asked for files on this connection */
    gboolean wants_files;
    gint64 next_files_us;
    gboolean is_done; /* it has said goodbye, or was given up */
} Link;

typedef struct {
    const char *run;
    guint8 key[DT_AGENTS_KEY_BYTES];
    DtLive *live;
    GPtrArray *links; /* (element-type Link) */
    guint64 list_position;
    gint64 looked_us;
    gint64 came_us;     /* when a process was last seen to have come, or to be there */
    gint64 listened_us; /* when somebody listened last */
    guint processes, ended;
    DtEnding *ending; /* NULL: nobody asked for it */
    gboolean has_ended;
} Agent;

static void link_free(gpointer data)
{
    Link *link = data;
    dt_transport_free(link->transport);
    dt_session_free(link->session);
    dt_sending_free(link->sending);
    dt_collector_place_free(link->place);
    g_free(link);
}

static void agent_clear(Agent *agent)
{
    g_clear_pointer(&agent->ending, dt_ending_free);
    g_clear_pointer(&agent->links, g_ptr_array_unref);
    g_clear_pointer(&agent->live, dt_live_free);
    explicit_bzero(agent->key, sizeof(agent->key));
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Agent, agent_clear)

/* ---- collectors -------------------------------------------------------------------------------------- */

/* NULL: it is new. */
static Link *find_link(const Agent *agent, const DtCollectorPlace *place)
{
    for (guint i = 0; i < agent->links->len; i++) {
        Link *link = agent->links->pdata[i];
        if (g_str_equal(link->place->id, place->id))
            return link;
    }
    return NULL;
}

/* A collector that listens on more addresses says so once more. */
static void find_collectors(Agent *agent)
{
    g_autoptr(GPtrArray) places = dt_agents_folder_places(agent->run, &agent->list_position);
    while (places->len > 0) {
        g_autoptr(DtCollectorPlace) place = g_ptr_array_steal_index(places, 0);
        Link *link = find_link(agent, place);
        if (!link && agent->links->len == MOST_COLLECTORS)
            continue;
        if (!link) {
            link = g_new0(Link, 1);
            g_ptr_array_add(agent->links, link);
        }
        dt_collector_place_free(link->place);
        link->place = g_steal_pointer(&place);
        link->next_address = 0;
        link->heard_us = g_get_monotonic_time();
    }
}

static void disconnect(Link *link)
{
    g_clear_pointer(&link->transport, dt_transport_free);
    g_clear_pointer(&link->session, dt_session_free);
    g_clear_pointer(&link->sending, dt_sending_free); /* who comes again is sent all of it */
    link->wants_files = FALSE;
    link->peer = 0;
}

/* Its addresses one after the other. */
static void dial(Link *link, gint64 now)
{
    const char *address = link->place->addresses[link->next_address++];
    if (!link->place->addresses[link->next_address])
        link->next_address = 0;
    link->transport = dt_transport_dial(address, link->place->port, NULL);
    link->dialled_us = now;
}

static void keep_up(Link *link, gint64 now)
{
    const gboolean is_open = link->session && dt_session_is_open(link->session);
    if (now - link->heard_us > GIVE_UP_US)
        link->is_done = TRUE;
    if ((is_open && now - link->heard_us > SILENT_US) || (!is_open && now - link->dialled_us > ADDRESS_US) ||
        link->is_done)
        disconnect(link);
    if (!link->transport && !link->is_done && now - link->dialled_us > DIAL_AGAIN_US)
        dial(link, now);
}

static void say(Link *link, DtAgentMessage *message)
{
    if (!link->session || !dt_session_is_open(link->session))
        return;
    g_autoptr(GByteArray) bytes = dt_session_seal(link->session, message);
    if (!dt_transport_send(link->transport, link->peer, bytes))
        disconnect(link); /* what is lost cannot be left out: messages have numbers */
}

static void say_to_all(const Agent *agent, DtAgentMessage message)
{
    for (guint i = 0; i < agent->links->len; i++)
        say(agent->links->pdata[i], &message);
}

/* ---- reports ------------------------------------------------------------------------------------------ */

static GArray *processes_of(const Agent *agent)
{
    GArray *processes = dt_node_processes_new();
    guint ended;
    const guint count = dt_live_process_count(agent->live, &ended);
    for (guint i = 0; i < count; i++) {
        const DtLiveProcess *process = dt_live_process(agent->live, i);
        DtNodeProcess told = {process->pid, process->start_ns, process->ended, NULL};
        if (process->ended && i + MOST_GONE < count)
            continue;
        told.threads = g_array_new(FALSE, TRUE, sizeof(DtNodeThread));
        g_array_append_val(processes, told);
    }
    return processes;
}

static DtNodeProcess *find_process(const GArray *processes, const DtLiveProcess *process, guint *from)
{
    for (guint i = *from; i < processes->len; i++) {
        DtNodeProcess *found = &g_array_index(processes, DtNodeProcess, i);
        if (found->pid != process->pid || found->start_ns != process->start_ns)
            continue;
        *from = i;
        return found;
    }
    return NULL;
}

/* Threads come in the order of their processes. */
static void report(const Agent *agent)
{
    g_autoptr(GArray) processes = processes_of(agent);
    DtAgentMessage message = {.kind = DT_MESSAGE_REPORT, .processes = processes};
    const guint count = dt_live_thread_count(agent->live);
    message.is_partial = count > DT_MOST_NODE_THREADS;
    guint from = 0;
    for (guint i = 0; i < MIN(count, DT_MOST_NODE_THREADS); i++) {
        const DtLiveThread *thread = dt_live_thread(agent->live, i);
        DtNodeProcess *process = find_process(processes, thread->process, &from);
        const DtNodeThread told = {thread->number, thread->library, thread->tid, thread->words,
                                   dt_live_state(agent->live, thread).kernel};
        if (process)
            g_array_append_val(process->threads, told);
    }
    say_to_all(agent, message);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* Who waits for the processes notes how they ended some time after they have. */
static gboolean is_all_written(const Agent *agent, gint64 now)
{
    const gboolean is_ending = agent->ending && !agent->has_ended;
    return agent->ended == agent->processes && !is_ending && now - agent->came_us >= LOOK_US;
}

/* It is complete if nothing has changed since all processes had ended. */
static void send_files(Agent *agent, Link *link)
{
    const gint64 begin = g_get_monotonic_time();
    DtAgentMessage sent = {.kind = DT_MESSAGE_SENT};
    if (!link->wants_files || begin < link->next_files_us || !link->session || !dt_session_is_open(link->session))
        return;
    if (!link->sending)
        link->sending = dt_sending_new(agent->run, g_get_host_name());
    g_autoptr(GPtrArray) pieces = dt_sending_next(link->sending, &sent.has_more);
    link->wants_files = FALSE;
    link->next_files_us = begin + (sent.has_more ? 0 : (g_get_monotonic_time() - begin) * PART_OF_TIME);
    sent.is_complete = is_all_written(agent, begin) && !sent.has_more && pieces->len == 0;
    for (guint i = 0; i < pieces->len; i++)
        say(link, pieces->pdata[i]);
    say(link, &sent);
    if (pieces->len > 0)
        agent->came_us = begin;
}

/* ---- messages ----------------------------------------------------------------------------------------- */

static void obey(Agent *agent, Link *link, const DtAgentMessage *message)
{
    if (message->kind == DT_MESSAGE_BYE)
        link->is_done = TRUE;
    if (message->kind == DT_MESSAGE_WANT)
        link->wants_files = TRUE;
    if (message->kind == DT_MESSAGE_END && !agent->ending) {
        dt_live_refresh(agent->live);
        agent->ending = dt_ending_new(agent->live, message->grace_ms);
    }
}

static void take_message(Agent *agent, Link *link, const GByteArray *bytes)
{
    g_auto(DtAgentMessage) message = {0};
    g_autoptr(GByteArray) answer = NULL;
    if (!dt_session_take(link->session, bytes->data, bytes->len, &message, &answer, NULL)) {
        disconnect(link); /* and another address is tried: this one may be somebody else's */
        return;
    }
    link->heard_us = agent->listened_us = g_get_monotonic_time();
    if (answer && dt_transport_send(link->transport, link->peer, answer) && dt_session_is_open(link->session))
        agent->looked_us = 0; /* it is told at once */
    obey(agent, link, &message);
}

static void greet(const Agent *agent, Link *link, guint32 peer)
{
    g_clear_pointer(&link->session, dt_session_free);
    link->session = dt_session_new(agent->key, g_get_host_name(), NULL);
    link->peer = peer;
    g_autoptr(GByteArray) hello = link->session ? dt_session_hello(link->session) : NULL;
    if (!hello || !dt_transport_send(link->transport, peer, hello))
        disconnect(link);
}

static void take_messages(Agent *agent, Link *link)
{
    while (link->transport) {
        g_auto(DtTransportEvent) event = {0};
        if (!dt_transport_next(link->transport, &event))
            return;
        if (event.what == DT_PEER_CAME)
            greet(agent, link, event.peer);
        else if (event.what == DT_PEER_LEFT && event.peer == link->peer)
            disconnect(link);
        else if (event.what == DT_PEER_SAID && event.peer == link->peer && link->session)
            take_message(agent, link, event.said);
    }
}

static void wait_for_messages(const Agent *agent)
{
    struct pollfd waited[MOST_COLLECTORS];
    nfds_t count = 0;
    for (guint i = 0; i < agent->links->len; i++) {
        const Link *link = agent->links->pdata[i];
        if (link->transport)
            waited[count++] = (struct pollfd){dt_transport_descriptor(link->transport), POLLIN, 0};
    }
    (void)poll(waited, count, agent->ending ? ENDING_WAIT_MS : WAIT_MS);
}

/* ---- until it is needed no more ------------------------------------------------------------------------ */

static void look(Agent *agent, gint64 now)
{
    guint ended;
    find_collectors(agent);
    dt_live_refresh(agent->live);
    dt_live_show(agent->live);
    const guint processes = dt_live_process_count(agent->live, &ended);
    if (processes != agent->processes || ended < processes)
        agent->came_us = now;
    agent->processes = processes;
    agent->ended = ended;
    agent->looked_us = now;
    report(agent);
}

/* TRUE when all are gone, and that was told. */
static gboolean go_on_ending(Agent *agent)
{
    DtAgentMessage message = {.kind = DT_MESSAGE_ENDED};
    if (!agent->ending || agent->has_ended)
        return agent->has_ended;
    dt_live_refresh(agent->live);
    agent->has_ended = dt_ending_go_on(agent->ending, &message.ended, &message.left);
    if (agent->has_ended) {
        look(agent, g_get_monotonic_time());
        say_to_all(agent, message);
    }
    return agent->has_ended;
}

/* Of a run on this node's disk the agents' folder tells, which the run's collector removes. */
static gboolean collector_is_there(const Agent *agent)
{
    return dt_agents_folder_is_apart(agent->run) ? dt_agents_folder_is_there(agent->run)
                                                 : dt_writers_are_there(agent->run);
}

/* What is on this node's disk is asked for when all of the job has ended, which other nodes may take longer for. */
static gint64 patience_of(const Agent *agent)
{
    if (agent->processes == 0)
        return NOTHING_CAME_US;
    return dt_agents_folder_is_apart(agent->run) && collector_is_there(agent) ? NOBODY_LISTENS_US : NOTHING_NEW_US;
}

static gboolean is_needed(const Agent *agent, gint64 now)
{
    const gint64 since = now - agent->came_us;
    return (since <= NOTHING_NEW_US || since <= patience_of(agent)) &&
           (now - agent->listened_us < NOBODY_LISTENS_US || collector_is_there(agent));
}

/* TRUE: there is nothing left to do. What is on this node's disk may still be asked for. */
static gboolean is_done(Agent *agent)
{
    return go_on_ending(agent) && !dt_agents_folder_is_apart(agent->run);
}

static void work(Agent *agent)
{
    agent->came_us = agent->listened_us = g_get_monotonic_time();
    for (gint64 now = agent->came_us; is_needed(agent, now) && !is_done(agent); now = g_get_monotonic_time()) {
        if (now - agent->looked_us >= LOOK_US)
            look(agent, now);
        for (guint i = 0; i < agent->links->len; i++)
            keep_up(agent->links->pdata[i], now);
        wait_for_messages(agent);
        for (guint i = 0; i < agent->links->len; i++)
            take_messages(agent, agent->links->pdata[i]);
        for (guint i = 0; i < agent->links->len; i++)
            send_files(agent, agent->links->pdata[i]);
        for (guint i = agent->links->len; i > 0; i--)
            if (((Link *)agent->links->pdata[i - 1])->is_done)
                g_ptr_array_remove_index(agent->links, i - 1);
    }
}

static gboolean be_agent(Agent *agent, GError **error)
{
    enum { TO_LEAVE_US = 100 * 1000 }; /* for the last messages to go out */
    agent->live = dt_live_open(agent->run, error);
    if (!agent->live)
        return FALSE;
    dt_live_keep_host(agent->live);
    agent->links = g_ptr_array_new_with_free_func(link_free);
    work(agent);
    say_to_all(agent, (DtAgentMessage){.kind = DT_MESSAGE_BYE});
    g_usleep(TO_LEAVE_US);
    return TRUE;
}

gboolean dt_agent_run(const char *run, GError **error)
{
    g_auto(Agent) agent = {.run = run};
    if (!dt_agents_folder_key(run, agent.key, error))
        return FALSE;
    const gint place = dt_agents_folder_enter(run, error);
    if (place < 0)
        return FALSE;
    const gboolean went_well = be_agent(&agent, error);
    dt_agents_folder_leave(run, place);
    return went_well;
}
