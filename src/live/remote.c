#include "live/remote.h"

/* Names a process or a thread of one host. */
typedef struct {
    guint64 start_ns;
    guint32 pid, number;
    gboolean library;
} Key;

typedef struct {
    gint64 heard_us;
    GArray *processes;   /* (element-type DtNodeProcess) */
    GHashTable *by_key;  /* Key -> DtNodeProcess */
    GHashTable *threads; /* Key -> DtNodeThread */
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

static guint key_hash(gconstpointer data)
{
    const Key *key = data;
    return (guint)(key->start_ns ^ key->start_ns >> 32) * 31 + key->pid * 7 + key->number * 2 + (key->library ? 1 : 0);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const Key *one = a, *other = b;
    return one->start_ns == other->start_ns && one->pid == other->pid && one->number == other->number &&
           one->library == other->library;
}

static void node_free(gpointer data)
{
    Node *node = data;
    g_hash_table_unref(node->by_key);
    g_hash_table_unref(node->threads);
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

static void index_process(Node *node, DtNodeProcess *process)
{
    const Key key = {process->start_ns, process->pid, 0, FALSE};
    g_hash_table_insert(node->by_key, g_memdup2(&key, sizeof(key)), process);
    for (guint t = 0; t < process->threads->len; t++) {
        DtNodeThread *thread = &g_array_index(process->threads, DtNodeThread, t);
        const Key of_thread = {process->start_ns, process->pid, thread->number, thread->library};
        g_hash_table_insert(node->threads, g_memdup2(&of_thread, sizeof(of_thread)), thread);
    }
}

void dt_remote_take(DtRemote *remote, const char *host, const GArray *processes, gint64 now_us)
{
    Node *node = g_new0(Node, 1);
    node->heard_us = now_us;
    node->processes = dt_node_processes_new();
    node->by_key = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
    node->threads = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
    for (guint p = 0; p < processes->len; p++) {
        DtNodeProcess copy = g_array_index(processes, DtNodeProcess, p);
        copy.threads = g_array_copy(copy.threads);
        g_array_append_val(node->processes, copy);
    }
    for (guint p = 0; p < node->processes->len; p++)
        index_process(node, &g_array_index(node->processes, DtNodeProcess, p));
    g_hash_table_replace(remote->nodes, g_strdup(host), node);
}

static const Node *find_node(const DtRemote *remote, const char *host, gint64 now_us)
{
    const Node *node = g_hash_table_lookup(remote->nodes, host);
    return node && now_us - node->heard_us <= DT_REMOTE_OLD_SECONDS * G_USEC_PER_SEC ? node : NULL;
}

const DtNodeProcess *dt_remote_process(const DtRemote *remote, const char *host, guint32 pid, guint64 start_ns,
                                       gint64 now_us)
{
    const Node *node = find_node(remote, host, now_us);
    const Key key = {start_ns, pid, 0, FALSE};
    return node ? g_hash_table_lookup(node->by_key, &key) : NULL;
}

const DtNodeThread *dt_remote_thread(const DtRemote *remote, const char *host, guint32 pid, guint64 start_ns,
                                     gboolean library, guint32 number, gint64 now_us, gint64 *heard_us)
{
    const Node *node = find_node(remote, host, now_us);
    const Key key = {start_ns, pid, number, library};
    const DtNodeThread *thread = node ? g_hash_table_lookup(node->threads, &key) : NULL;
    if (thread && heard_us)
        *heard_us = node->heard_us;
    return thread;
}
