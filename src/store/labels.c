/* Labels P.T: which number a process and a thread get. */
#include "store/problems.h"
#include "store/run_private.h"
#include "text/text.h"

/* ---- processes ------------------------------------------------------------ */

static gint compare_starts(const DtProcessEntry *one, const DtProcessEntry *two)
{
    if (one->start_realtime_ns != two->start_realtime_ns)
        return one->start_realtime_ns < two->start_realtime_ns ? -1 : 1;
    if (one->process.pid != two->process.pid)
        return one->process.pid < two->process.pid ? -1 : 1;
    return g_strcmp0(one->file->name, two->file->name);
}

/* How good a claim to the rank's number is: the child of a fork has a copy of
   its parent's flags, but it is not the rank. */
static guint claim(const DtProcessEntry *entry)
{
    return (entry->process.called_mpi_init ? 2u : 0u) + (entry->forked ? 0u : 1u);
}

/* Processes with a rank by rank, then the others; within a rank, its owner
   first: it called MPI_Init, else it is the last program executed. */
static gint compare_ranks(gconstpointer first, gconstpointer second)
{
    const DtProcessEntry *one = *(DtProcessEntry *const *)first, *two = *(DtProcessEntry *const *)second;
    gint one_rank = one->process.rank, two_rank = two->process.rank;
    if (one_rank != two_rank) {
        if (one_rank < 0 || two_rank < 0)
            return one_rank < 0 ? 1 : -1;
        return one_rank < two_rank ? -1 : 1;
    }
    if (one_rank >= 0 && claim(one) != claim(two))
        return claim(one) > claim(two) ? -1 : 1;
    return compare_starts(one, two);
}

static gint compare_entries_by_start(gconstpointer first, gconstpointer second)
{
    return compare_starts(*(DtProcessEntry *const *)first, *(DtProcessEntry *const *)second);
}

/* Numbers the `count` processes of a rank: the last to start of those with the
   best claim is P, the others are P+1, P+2... by start. */
static void number_rank(DtProcessEntry **entries, guint count)
{
    guint best = 1;
    while (best < count && claim(entries[best]) == claim(entries[0]))
        best++;
    DtProcessEntry *owner = entries[best - 1];
    g_autoptr(GPtrArray) others = g_ptr_array_new();
    for (guint i = 0; i < count; i++) {
        entries[i]->number = entries[i]->process.rank;
        if (entries[i] != owner)
            g_ptr_array_add(others, entries[i]);
    }
    g_ptr_array_sort(others, compare_entries_by_start);
    for (guint i = 0; i < others->len; i++)
        ((DtProcessEntry *)g_ptr_array_index(others, i))->beside = i + 1;
}

static gint compare_labels(gconstpointer first, gconstpointer second)
{
    const DtProcessEntry *one = *(DtProcessEntry *const *)first, *two = *(DtProcessEntry *const *)second;
    if (one->number != two->number)
        return one->number < two->number ? -1 : 1;
    return (one->beside > two->beside) - (one->beside < two->beside);
}

void dt_label_processes(GPtrArray *processes)
{
    DtProcessEntry **entries = (DtProcessEntry **)processes->pdata;
    gint64 next = 0;
    g_ptr_array_sort(processes, compare_ranks);
    for (guint i = 0; i < processes->len;) {
        guint count = 1;
        if (entries[i]->process.rank < 0) {
            entries[i]->number = next++;
        } else {
            while (i + count < processes->len && entries[i + count]->process.rank == entries[i]->process.rank)
                count++;
            number_rank(entries + i, count);
            next = entries[i]->number + 1;
        }
        i += count;
    }
    g_ptr_array_sort(processes, compare_labels);
    for (guint i = 0; i < processes->len; i++) {
        entries = (DtProcessEntry **)processes->pdata;
        entries[i]->process.index = i;
        entries[i]->process.label =
            entries[i]->beside ? g_strdup_printf("%" G_GINT64_FORMAT "+%u", entries[i]->number, entries[i]->beside)
                               : g_strdup_printf("%" G_GINT64_FORMAT, entries[i]->number);
    }
}

/* ---- threads ----------------------------------------------------------------- */

/* 0 = a, 25 = z, 26 = aa, ... */
static char *letters(guint number)
{
    char text[16];
    gsize at = sizeof(text) - 1;
    text[at] = 0;
    for (guint64 rest = (guint64)number + 1; rest > 0; rest = (rest - 1) / 26)
        text[--at] = (char)('a' + (rest - 1) % 26);
    return g_strdup(text + at);
}

static gint compare_traces(gconstpointer first, gconstpointer second)
{
    const DtTraceEntry *one = *(DtTraceEntry *const *)first, *two = *(DtTraceEntry *const *)second;
    if (one->trace.library != two->trace.library)
        return one->trace.library ? 1 : -1;
    if (one->trace.thread != two->trace.thread)
        return one->trace.thread < two->trace.thread ? -1 : 1;
    return (one->record->index > two->record->index) - (one->record->index < two->record->index);
}

static DtTraceEntry *make_trace(DtProcessEntry *process, const DtThreadRecord *record)
{
    DtTraceEntry *entry = g_new0(DtTraceEntry, 1);
    entry->process = process;
    entry->record = record;
    entry->trace.process = &process->process;
    entry->trace.library = record->kind != DT_THREAD_APP;
    entry->trace.thread = record->number;
    entry->trace.name = dt_text_spell(record->name);
    entry->trace.words = record->words;
    entry->trace.bytes = record->bytes;
    entry->trace.returned = record->returned;
    entry->trace.dropped_words = record->dropped_words;
    entry->trace.dropped_notes = record->dropped_notes;
    return entry;
}

static void set_trace_label(DtTraceEntry *entry)
{
    g_autofree char *letter = letters(entry->trace.thread);
    g_free((char *)entry->trace.label);
    entry->trace.label = entry->trace.library
                             ? g_strdup_printf("%s.%s", entry->process->process.label, letter)
                             : g_strdup_printf("%s.%u", entry->process->process.label, entry->trace.thread);
}

/* Two threads with one number: the later one becomes a library's thread, with
   the first letter that is free. */
static void separate_namesakes(GPtrArray *traces, GPtrArray *problems)
{
    g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) later = g_ptr_array_new();
    for (guint i = 0; i < traces->len; i++) {
        DtTraceEntry *entry = g_ptr_array_index(traces, i);
        set_trace_label(entry);
        if (g_hash_table_contains(taken, entry->trace.label))
            g_ptr_array_add(later, entry);
        else
            g_hash_table_add(taken, g_strdup(entry->trace.label));
    }
    guint letter = 0;
    for (guint i = 0; i < later->len; i++) {
        DtTraceEntry *entry = g_ptr_array_index(later, i);
        g_autofree char *claimed = g_strdup(entry->trace.label);
        entry->trace.library = TRUE;
        do {
            entry->trace.thread = letter++;
            set_trace_label(entry);
        } while (g_hash_table_contains(taken, entry->trace.label));
        g_hash_table_add(taken, g_strdup(entry->trace.label));
        dt_problem(problems, entry->process->file->name,
                   "two threads claim to be %s: thread %u of the file is shown as %s", claimed, entry->record->index,
                   entry->trace.label);
    }
}

void dt_label_traces(DtProcessEntry *process, GPtrArray *traces, GPtrArray *problems)
{
    g_autoptr(GPtrArray) own = g_ptr_array_new();
    for (guint i = 0; i < process->file->threads->len; i++)
        g_ptr_array_add(own, make_trace(process, &g_array_index(process->file->threads, DtThreadRecord, i)));
    g_ptr_array_sort(own, compare_traces);
    separate_namesakes(own, problems);
    g_ptr_array_sort(own, compare_traces);
    for (guint i = 0; i < own->len; i++) {
        DtTraceEntry *entry = g_ptr_array_index(own, i);
        entry->trace.index = traces->len;
        g_ptr_array_add(traces, entry);
    }
    process->process.traces = own->len;
}
