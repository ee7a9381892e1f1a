/*
 * bench-agents [AGENTS] [THREADS] [SECONDS]: processor time and memory of a collector to which so many agents report,
 * each of so many threads, twice a second as agents do. The agents are made up, in a process of their own on this
 * machine. See bench/agents.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/session.h"
#include "agent/transport.h"
#include "support/test_run.h"

enum { THREADS_A_PROCESS = 3, PERIOD_US = 500 * 1000, LONGEST_START_S = 120 };

typedef struct {
    DtTransport *transport;
    DtSession *session;
    guint32 peer;
    gint64 next_us;
} Agent;

/* ---- the agents ------------------------------------------------------------------------------------ */

static GArray *make_processes(guint threads)
{
    GArray *processes = dt_node_processes_new();
    for (guint32 t = 0; t < threads; t++) {
        const DtNodeThread thread = {
            t % THREADS_A_PROCESS, t % THREADS_A_PROCESS > 0, 1000 + t, 1000000 + t, {TRUE, TRUE, 'S', 123456}};
        if (t % THREADS_A_PROCESS == 0) {
            DtNodeProcess process = {1000 + t, 5000000000u, FALSE, g_array_new(FALSE, TRUE, sizeof(DtNodeThread))};
            g_array_append_val(processes, process);
        }
        g_array_append_val(g_array_index(processes, DtNodeProcess, processes->len - 1).threads, thread);
    }
    return processes;
}

static void send_bytes(const Agent *agent, GByteArray *bytes)
{
    dt_transport_send(agent->transport, agent->peer, bytes);
    g_byte_array_unref(bytes);
}

static void listen_to(Agent *agent, const guint8 *key, guint number)
{
    while (TRUE) {
        g_auto(DtTransportEvent) event = {0};
        g_auto(DtAgentMessage) message = {0};
        g_autoptr(GByteArray) answer = NULL;
        if (!dt_transport_next(agent->transport, &event))
            return;
        if (event.what == DT_PEER_CAME) {
            g_autofree char *host = g_strdup_printf("node%u", number);
            g_clear_pointer(&agent->session, dt_session_free);
            agent->session = dt_session_new(key, host, NULL);
            agent->peer = event.peer;
            send_bytes(agent, dt_session_hello(agent->session));
        } else if (event.what == DT_PEER_SAID &&
                   dt_session_take(agent->session, event.said->data, event.said->len, &message, &answer, NULL) &&
                   answer) {
            send_bytes(agent, g_steal_pointer(&answer));
        }
    }
}

static void be_agents(const char *run, guint count, guint threads)
{
    guint64 position = 0;
    guint8 key[DT_AGENTS_KEY_BYTES];
    g_autoptr(GPtrArray) places = dt_agents_folder_places(run, &position);
    g_autofree Agent *agents = g_new0(Agent, count);
    g_autoptr(GArray) processes = make_processes(threads);
    DtAgentMessage report = {.kind = DT_MESSAGE_REPORT, .processes = processes};
    if (!dt_agents_folder_key(run, key, NULL))
        exit(1);
    for (guint i = 0; i < count; i++) {
        agents[i].transport = dt_transport_dial("127.0.0.1", ((DtCollectorPlace *)places->pdata[0])->port, NULL);
        agents[i].next_us = g_get_monotonic_time() + (gint64)i * PERIOD_US / count; /* not all at once */
    }
    while (TRUE) {
        for (guint i = 0; i < count; i++) {
            const gint64 now = g_get_monotonic_time();
            listen_to(&agents[i], key, i);
            if (!agents[i].session || !dt_session_is_open(agents[i].session)) {
                agents[i].next_us = now;
                continue;
            }
            if (now < agents[i].next_us)
                continue;
            send_bytes(&agents[i], dt_session_seal(agents[i].session, &report));
            agents[i].next_us += PERIOD_US;
        }
        g_usleep(5000);
    }
}

/* ---- the collector --------------------------------------------------------------------------------- */

static gdouble processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (gdouble)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (gdouble)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static gdouble resident_mb(void)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) words = g_file_get_contents("/proc/self/statm", &text, NULL, NULL) ? g_strsplit(text, " ", 3) : NULL;
    return words ? g_ascii_strtod(words[1], NULL) * (gdouble)sysconf(_SC_PAGESIZE) / 1e6 : 0;
}

static void listen_for(DtNodes *nodes, DtLive *live, gdouble seconds)
{
    const gint64 end = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
    while (g_get_monotonic_time() < end)
        dt_nodes_take(nodes, live, 0.5);
}

static void measure(DtNodes *nodes, DtLive *live, guint count, guint threads, gdouble seconds, gdouble before_mb)
{
    const gint64 begin = g_get_monotonic_time();
    const gdouble began_with = processor_seconds();
    while (dt_nodes_heard(nodes) < count && g_get_monotonic_time() - begin < LONGEST_START_S * G_USEC_PER_SEC)
        dt_nodes_take(nodes, live, 0.1);
    const gdouble start = (gdouble)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
    const gdouble start_processor = processor_seconds() - began_with;
    const guint64 reports = dt_nodes_reports(nodes);
    const gdouble used = processor_seconds();
    listen_for(nodes, live, seconds);
    const gdouble taken = processor_seconds() - used, came = (gdouble)(dt_nodes_reports(nodes) - reports);
    printf("| %u | %u | %.1f | %.2f | %.0f | %.1f | %.0f | %.1f |\n", count, threads, start, start_processor,
           came / seconds, 100 * taken / seconds, came > 0 ? 1e6 * taken / came : 0, resident_mb() - before_mb);
    g_autoptr(GPtrArray) news = dt_nodes_news(nodes);
    if (news->len > 0)
        printf("%u complaints, the first: %s\n", news->len, (const char *)news->pdata[0]);
}

int main(int argc, char **argv)
{
    const guint count = argc > 1 ? (guint)atoi(argv[1]) : 1000, threads = argc > 2 ? (guint)atoi(argv[2]) : 192;
    const gdouble seconds = argc > 3 ? atof(argv[3]) : 10;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    g_autofree char *run = dt_temporary_directory();
    DtTestRun *writer = dt_test_run_new(run);
    dt_test_run_finish(writer);
    g_autoptr(GError) error = NULL;
    const gdouble before_mb = resident_mb();
    if (!dt_agents_folder_make(run, &error))
        g_error("%s", error->message);
    g_autoptr(DtLive) live = dt_live_open(run, &error);
    int ready[2];
    char go = 0;
    if (!live || pipe(ready) != 0)
        g_error("%s", error ? error->message : "no pipe");
    const pid_t child = fork(); /* before nng has threads */
    if (child == 0) {
        if (read(ready[0], &go, 1) == 1)
            be_agents(run, count, threads);
        exit(1);
    }
    g_autoptr(DtNodes) nodes = dt_nodes_new(run, &error);
    if (!nodes || write(ready[1], &go, 1) != 1)
        g_error("%s", error ? error->message : "no pipe");
    measure(nodes, live, count, threads, seconds, before_mb);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    dt_remove_tree(run);
    return 0;
}
