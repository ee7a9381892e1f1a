/* How and in which order the processes of a run ended. */
#include "store/run_private.h"

#include <string.h>

#include "text/text.h"

/* ---- how they ended --------------------------------------------------------------- */

static void set_end_from_file(DtProcessEntry *entry, const DtManifestFile *manifest)
{
    const struct dt_file_header *header = &entry->file->header;
    DtProcess *process = &entry->process;
    switch (header->end_state) {
    case DT_PROCESS_EXITED:
        process->end = DT_END_EXITED;
        process->status = header->end_status;
        break;
    case DT_PROCESS_SIGNAL:
        process->end = DT_END_SIGNAL;
        process->status = header->end_status;
        break;
    case DT_PROCESS_EXEC:
        process->end = DT_END_EXITED;
        process->executed = TRUE;
        break;
    default:
        process->end = manifest->manifest.finished ? DT_END_KILLED : DT_END_RUNNING;
    }
}

/* The last program that ran under that process id. */
static DtProcessEntry *find_ended(const DtRun *run, const DtSeenEnd *seen)
{
    DtProcessEntry *found = NULL;
    g_autofree char *host = seen->host ? dt_text_spell(seen->host) : NULL;
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        if (entry->process.pid != seen->pid || (host && g_strcmp0(host, entry->process.host) != 0))
            continue;
        if (!found || entry->start_realtime_ns >= found->start_realtime_ns)
            found = entry;
    }
    return found;
}

/* The program that took this one's place: the next under its process id that is no child of a fork. */
static const DtProcessEntry *find_successor(const DtRun *run, const DtProcessEntry *entry)
{
    const DtProcessEntry *found = NULL;
    for (guint i = 0; i < run->processes->len; i++) {
        const DtProcessEntry *other = g_ptr_array_index(run->processes, i);
        gboolean same =
            other->process.pid == entry->process.pid && g_strcmp0(other->process.host, entry->process.host) == 0;
        if (same && !other->forked && other->start_realtime_ns > entry->start_realtime_ns &&
            (!found || other->start_realtime_ns < found->start_realtime_ns))
            found = other;
    }
    return found;
}

/* An exec that succeeds leaves no trace in the file of the program that made it. */
static void set_executed(DtRun *run)
{
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        const DtProcessEntry *successor =
            entry->file->header.end_state == DT_PROCESS_RUNNING ? find_successor(run, entry) : NULL;
        if (!successor)
            continue;
        entry->process.executed = TRUE;
        entry->process.end = DT_END_EXITED;
        entry->process.end_ns = successor->process.start_ns;
    }
}

/* A launcher's daemon: the children whose end it has not told were still there. */
static void see_children(DtRun *run, const DtSeenEnd *seen)
{
    g_autofree char *host = dt_text_spell(seen->host);
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        if (entry->file->header.ppid == seen->pid && g_strcmp0(host, entry->process.host) == 0)
            entry->process.last_seen_ns = MAX(entry->process.last_seen_ns, seen->time_ns);
    }
}

static void set_seen_end(const DtRun *run, const DtSeenEnd *seen)
{
    DtProcessEntry *entry = find_ended(run, seen);
    if (!entry)
        return;
    entry->process.end = seen->end;
    entry->process.status = seen->status;
    if (entry->process.end_ns == 0)
        entry->process.end_ns = seen->time_ns;
}

static void set_seen_ends(DtRun *run)
{
    for (guint i = 0; i < run->processes->len; i++)
        set_end_from_file(g_ptr_array_index(run->processes, i), run->manifest);
    for (guint i = 0; i < run->manifest->ends->len; i++) {
        const DtSeenEnd *seen = &g_array_index(run->manifest->ends, DtSeenEnd, i);
        if (seen->leaves)
            see_children(run, seen);
        else
            set_seen_end(run, seen);
    }
}

/* ---- in which order --------------------------------------------------------------- */

/* By the wall clock, so that hosts compare as well as their clocks do. */
static guint64 by_wall_clock(const DtProcessEntry *entry, guint64 monotonic)
{
    guint64 start = entry->process.start_ns;
    return entry->start_realtime_ns + (monotonic > start ? monotonic - start : 0);
}

/* Those that nobody saw end come last, by when they were last seen. */
static gint compare_ends(gconstpointer first, gconstpointer second)
{
    const DtProcess *one = *(const DtProcess *const *)first, *two = *(const DtProcess *const *)second;
    if ((one->end_ns > 0) != (two->end_ns > 0))
        return one->end_ns > 0 ? -1 : 1;
    return (one->last_realtime_ns > two->last_realtime_ns) - (one->last_realtime_ns < two->last_realtime_ns);
}

static void set_end_order(DtRun *run)
{
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        DtProcess *process = &entry->process;
        process->last_realtime_ns = by_wall_clock(entry, process->end_ns > 0 ? process->end_ns : process->last_seen_ns);
        g_ptr_array_add(order, process);
    }
    g_ptr_array_sort(order, compare_ends);
    for (guint i = 0; i < order->len; i++)
        ((DtProcess *)g_ptr_array_index(order, i))->end_order = i + 1;
}

void dt_run_set_ends(DtRun *run)
{
    set_seen_ends(run);
    set_executed(run);
    set_end_order(run);
}

guint dt_run_maybe_ended_before(const DtRun *run, const DtProcess *process)
{
    guint count = 0;
    for (guint i = 0; i < run->processes->len; i++) {
        const DtProcess *other = &((DtProcessEntry *)g_ptr_array_index(run->processes, i))->process;
        const gboolean unseen =
            other->end == DT_END_KILLED && other->end_ns == 0 && other->last_realtime_ns < process->last_realtime_ns;
        const gboolean together = other->end_ns > 0 && other->end_ns == process->end_ns && !other->executed;
        count += other != process && (unseen || together);
    }
    return count;
}

/* ---- how far they had come before -------------------------------------------------- */

/* By process id, thread and host; of programs that took each other's place the last. */
static char *thread_key(guint pid, const char *thread, const char *host)
{
    return g_strdup_printf("%u %s %s", pid, thread, host);
}

static GHashTable *index_threads(const DtRun *run)
{
    GHashTable *threads = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < run->traces->len; i++) {
        DtTraceEntry *entry = g_ptr_array_index(run->traces, i);
        const char *thread = strrchr(entry->trace.label, '.');
        if (!thread || entry->trace.library || entry->process->process.executed)
            continue;
        const DtProcess *process = &entry->process->process;
        g_hash_table_insert(threads, thread_key(process->pid, thread + 1, process->host), entry);
    }
    return threads;
}

void dt_run_set_looks(DtRun *run)
{
    const GArray *seen = run->manifest->threads;
    g_autoptr(GHashTable) threads = seen->len > 0 ? index_threads(run) : NULL;
    for (guint i = 0; i < seen->len; i++) {
        const DtSeenThread *thread = &g_array_index(seen, DtSeenThread, i);
        if (!thread->host || !thread->thread)
            continue;
        g_autofree char *host = dt_text_spell(thread->host);
        g_autofree char *key = thread_key(thread->pid, thread->thread, host);
        DtTraceEntry *entry = g_hash_table_lookup(threads, key);
        if (!entry)
            continue;
        entry->trace.words_looked_first = thread->first;
        entry->trace.words_looked_last = thread->last;
    }
}
