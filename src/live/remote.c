#include "live/remote.h"

typedef struct {
    gint64 heard_us;
    GArray *processes; /* (element-type DtNodeProcess), by pid and start */
} Node;

struct DtRemote {
    GHashTable *nodes; /* host -> Node */
};

void dt_node_process_clear(DtNodeProcess *process)
{
    g_clear_pointer(&process->threads, g_array_unref);
}

GArray *dt_node_processes_new(void)
{
    GArray *processes = g_array_new(FALSE, TRUE, sizeof(DtNodeProcess));
    g_array_set_clear_func(processes, (GDestroyNotify)dt_node_process_clear);
    return processes;
}

static void node_free(gpointer data)
{
    Node *node = data;
    g_array_unref(node->processes);
    g_free(node);
}

DtRemote *dt_remote_new(void)
{
    DtRemote *remote = g_new0(DtRemote, 1);
    remote->nodes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, node_free);
    return remote;
}

void dt_remote_free(DtRemote *remote)
{
    if (!remote)
        return;
    g_hash_table_unref(remote->nodes);
    g_free(remote);
}

static gint compare_processes(gconstpointer a, gconstpointer b)
{
    const DtNodeProcess *one = a, *other = b;
    if (one->pid != other->pid)
        return one->pid < other->pid ? -1 : 1;
    return one->start_ns < other->start_ns ? -1 : one->start_ns > other->start_ns ? 1 : 0;
}

void dt_remote_take(DtRemote *remote, const char *host, GArray *processes, gint64 now_us)
{
    Node *node = g_new0(Node, 1);
    node->heard_us = now_us;
    node->processes = g_array_ref(processes);
    g_array_sort(node->processes, compare_processes);
    g_hash_table_replace(remote->nodes, g_strdup(host), node);
}

static const Node *find_node(const DtRemote *remote, const char *host, gint64 now_us)
{
    const Node *node = g_hash_table_lookup(remote->nodes, host);
    return node && now_us - node->heard_us <= DT_REMOTE_OLD_SECONDS * G_USEC_PER_SEC ? node : NULL;
}

static const DtNodeProcess *find_process(const Node *node, guint32 pid, guint64 start_ns)
{
    const DtNodeProcess wanted = {.pid = pid, .start_ns = start_ns};
    guint at;
    return node && g_array_binary_search(node->processes, &wanted, compare_processes, &at)
               ? &g_array_index(node->processes, DtNodeProcess, at)
               : NULL;
}

const DtNodeProcess *dt_remote_process(const DtRemote *remote, const char *host, guint32 pid, guint64 start_ns,
                                       gint64 now_us)
{
    return find_process(find_node(remote, host, now_us), pid, start_ns);
}

const DtNodeThread *dt_remote_thread(const DtRemote *remote, const char *host, guint32 pid, guint64 start_ns,
                                     gboolean library, guint32 number, gint64 now_us, gint64 *heard_us)
{
    const Node *node = find_node(remote, host, now_us);
    const DtNodeProcess *process = find_process(node, pid, start_ns);
    for (guint t = 0; process && t < process->threads->len; t++) {
        const DtNodeThread *thread = &g_array_index(process->threads, DtNodeThread, t);
        if (thread->number != number || thread->library != library)
            continue;
        if (heard_us)
            *heard_us = node->heard_us;
        return thread;
    }
    return NULL;
}
