#include "times/wait_states.h"

#include <stdlib.h>
#include <string.h>

const char *dt_wait_kind_name(DtWaitKind kind)
{
    static const char *const names[DT_WAIT_KINDS] = {
        [DT_WAIT_NONE] = "none",
        [DT_WAIT_LATE_SENDER] = "late sender",
        [DT_WAIT_LATE_RECEIVER] = "late receiver",
        [DT_WAIT_AT_NXN] = "wait at NxN",
        [DT_WAIT_AT_BARRIER] = "wait at barrier",
        [DT_WAIT_LATE_BROADCAST] = "late broadcast",
        [DT_WAIT_EARLY_REDUCE] = "early reduce",
        [DT_WAIT_AT_SCAN] = "wait at scan",
        [DT_WAIT_AT_THREADS] = "wait at barrier of threads",
    };
    return names[kind];
}

typedef struct {
    DtWaitStates *states;
    const DtMessages *messages;
    GArray *roles; /* guint8: Role by function, 0: not looked up */
} Finding;

typedef enum { LOOKED_UP = 1 << 0, ASKS = 1 << 1, SYNCHRONOUS = 1 << 2, BUFFERED = 1 << 3, OF_THREADS = 1 << 4 } Role;

/* ---- calls ----------------------------------------------------------------------------------- */

static gboolean is_barrier_of_threads(const char *name)
{
    static const char *const names[] = {"GOMP_barrier",   "GOMP_loop_end",       "GOMP_sections_end",
                                        "__kmpc_barrier", "GOMP_barrier_cancel", "__kmpc_cancel_barrier"};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_has_prefix(name, names[i]) && (name[strlen(names[i])] == '\0' || name[strlen(names[i])] == '@'))
            return TRUE;
    return FALSE;
}

static guint find_role(const char *name)
{
    const struct dt_call *call = dt_call_find(name);
    if (!call)
        return 0;
    if (dt_call_class(name) != DT_CALL_MPI)
        return is_barrier_of_threads(name) ? OF_THREADS : 0u;
    gboolean of_requests = dt_call_has(call, DT_PARAMETER_REQUEST_AT) || dt_call_has(call, DT_PARAMETER_REQUESTS);
    return (of_requests && !(call->properties & DT_CALL_BLOCKING) ? ASKS : 0u) |
           (g_str_has_prefix(call->name, "Ssend") || g_str_has_prefix(call->name, "Issend") ? SYNCHRONOUS : 0u) |
           (g_str_has_prefix(call->name, "Bsend") || g_str_has_prefix(call->name, "Ibsend") ? BUFFERED : 0u);
}

static guint role_of(Finding *finding, const DtTimedCall *call)
{
    if (call->function == 0)
        return 0;
    if (call->function >= finding->roles->len)
        g_array_set_size(finding->roles, call->function + 1);
    guint8 *role = &g_array_index(finding->roles, guint8, call->function);
    if (!*role)
        *role = (guint8)(LOOKED_UP |
                         find_role(dt_functions_get(dt_run_functions(finding->messages->run), call->function)->name));
    return *role;
}

static const DtTimedCall *timed_call(const Finding *finding, guint call)
{
    if (call == DT_NO_CALL)
        return NULL;
    const DtTimedCall *found = dt_messages_call(finding->messages, call);
    return found->begin == DT_NO_TIME || found->end == DT_NO_TIME ? NULL : found;
}

/* A call that waited until `until`, when `cause` began, or until it was over. */
static void add_wait(Finding *finding, guint index, guint cause, DtWaitKind kind)
{
    const DtMessages *messages = finding->messages;
    const DtTimedCall *call = timed_call(finding, index);
    const DtTimedCall *late = cause == DT_NO_CALL ? NULL : dt_messages_call(messages, cause);
    if (!call || !late || late->begin == DT_NO_TIME || role_of(finding, call) & ASKS)
        return;
    gint64 ns = MIN(MIN(call->end, late->begin), messages->end) - MAX(call->begin, messages->begin);
    DtCallWait *wait = &g_array_index(finding->states->of_calls, DtCallWait, index);
    if (ns > wait->ns)
        *wait = (DtCallWait){kind, cause, ns};
}

/* ---- messages -------------------------------------------------------------------------------- */

static void find_late_sender(Finding *finding, const DtMessage *message)
{
    add_wait(finding, message->received.done, message->sent.call, DT_WAIT_LATE_SENDER);
    if (message->probe != DT_NO_CALL)
        add_wait(finding, message->probe, message->sent.call, DT_WAIT_LATE_SENDER);
}

/* How long sends take whose receives were posted before. */
typedef struct {
    guint64 bytes;
    gint64 ns;
} SendTime;

static gint compare_send_times(gconstpointer a, gconstpointer b)
{
    const SendTime *one = a, *other = b;
    if (one->bytes != other->bytes)
        return one->bytes < other->bytes ? -1 : 1;
    return one->ns < other->ns ? -1 : one->ns > other->ns;
}

static GArray *send_times(const Finding *finding)
{
    GArray *times = g_array_new(FALSE, FALSE, sizeof(SendTime));
    const GArray *messages = finding->messages->messages;
    for (guint i = 0; i < messages->len; i++) {
        const DtMessage *message = &g_array_index(messages, DtMessage, i);
        const DtTimedCall *send = timed_call(finding, message->sent.done);
        const DtTimedCall *receive = timed_call(finding, message->received.call);
        if (!send || !receive || receive->begin > send->begin || message->sent.call != message->sent.done)
            continue;
        SendTime time = {message->bytes, send->end - send->begin};
        g_array_append_val(times, time);
    }
    g_array_sort(times, compare_send_times);
    return times;
}

/* Index of the first of `bytes` or more. */
static guint first_of(const GArray *times, guint64 bytes)
{
    guint low = 0, high = times->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(times, SendTime, middle).bytes < bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The 95 % quantile of sends of that size; 0: there are none. */
static gint64 usual_time(const GArray *times, guint64 bytes)
{
    enum { OF_100 = 95, ALL = 100 };
    guint first = first_of(times, bytes), end = first_of(times, bytes + 1);
    return first == end ? 0 : g_array_index(times, SendTime, first + (end - first - 1) * OF_100 / ALL).ns;
}

/* Only a send that blocks waits for its receiver: one that takes longer than those whose receivers were there. */
static void find_late_receiver(Finding *finding, const DtMessage *message, const GArray *times)
{
    const DtTimedCall *done = timed_call(finding, message->sent.done);
    const DtTimedCall *receive = timed_call(finding, message->received.call);
    if (!done || !receive || receive->begin <= done->begin || done->end <= receive->begin ||
        message->sent.done == message->received.call)
        return;
    guint role = role_of(finding, dt_messages_call(finding->messages, message->sent.call));
    if (role & BUFFERED || (!(role & SYNCHRONOUS) && done->end - done->begin <= usual_time(times, message->bytes)))
        return;
    add_wait(finding, message->sent.done, message->received.call, DT_WAIT_LATE_RECEIVER);
}

static gboolean comes_too_early(const Finding *finding, const DtMessage *message)
{
    const DtTimedCall *send = timed_call(finding, message->sent.call);
    const DtTimedCall *done = timed_call(finding, message->received.done);
    return send && done && done->end < send->begin;
}

static gboolean is_between_hosts(const Finding *finding, const DtMessage *message)
{
    const DtMessages *messages = finding->messages;
    const GArray *ranks = messages->ranks;
    return g_array_index(ranks, DtTimedRank, dt_messages_rank(messages, message->sent.call)).host !=
           g_array_index(ranks, DtTimedRank, dt_messages_rank(messages, message->received.call)).host;
}

static void find_in_messages(Finding *finding)
{
    g_autoptr(GArray) times = send_times(finding);
    const GArray *messages = finding->messages->messages;
    for (guint i = 0; i < messages->len; i++) {
        const DtMessage *message = &g_array_index(messages, DtMessage, i);
        gboolean is_early = comes_too_early(finding, message);
        finding->states->violations += is_early ? 1 : 0;
        /* On one host it is only that times are rounded. */
        if (is_early && is_between_hosts(finding, message)) {
            finding->states->left_out++;
            continue;
        }
        find_late_sender(finding, message);
        find_late_receiver(finding, message, times);
    }
}

/* ---- collectives ----------------------------------------------------------------------------- */

static gint64 beginning_of(const DtMessages *messages, const DtPart *part)
{
    return dt_messages_call(messages, part->call)->begin;
}

/* Which of the parts before `end` began last; DT_NO_CALL: none, or one has no time. */
static guint last_part(const DtMessages *messages, const DtPart *parts, guint end)
{
    guint last = DT_NO_CALL;
    for (guint i = 0; i < end; i++) {
        if (beginning_of(messages, &parts[i]) == DT_NO_TIME)
            return DT_NO_CALL;
        if (last == DT_NO_CALL || beginning_of(messages, &parts[i]) > beginning_of(messages, &parts[last]))
            last = i;
    }
    return last;
}

static void find_in_scan(Finding *finding, const DtPart *parts, guint count)
{
    for (guint i = 1; i < count; i++) {
        guint last = last_part(finding->messages, parts, i);
        if (last != DT_NO_CALL)
            add_wait(finding, parts[i].done, parts[last].call, DT_WAIT_AT_SCAN);
    }
}

static void find_for_all(Finding *finding, const DtPart *parts, guint count, DtWaitKind kind)
{
    guint last = last_part(finding->messages, parts, count);
    for (guint i = 0; last != DT_NO_CALL && i < count; i++)
        if (i != last)
            add_wait(finding, parts[i].done, parts[last].call, kind);
}

static void find_in_collective(Finding *finding, const DtCollective *collective)
{
    const DtPart *parts = &g_array_index(finding->messages->parts, DtPart, collective->first_part);
    guint count = collective->parts, root = collective->root;
    if (collective->differs)
        return;
    switch (collective->direction) {
    case DT_FROM_ALL:
        find_for_all(finding, parts, count, collective->is_barrier ? DT_WAIT_AT_BARRIER : DT_WAIT_AT_NXN);
        break;
    case DT_FROM_BELOW:
        find_in_scan(finding, parts, count);
        break;
    case DT_FROM_ROOT:
        for (guint i = 0; root != DT_NO_CALL && i < count; i++)
            if (i != root)
                add_wait(finding, parts[i].done, parts[root].call, DT_WAIT_LATE_BROADCAST);
        break;
    case DT_TO_ROOT: {
        guint last = root == DT_NO_CALL ? DT_NO_CALL : last_part(finding->messages, parts, count);
        if (last != DT_NO_CALL && last != root)
            add_wait(finding, parts[root].done, parts[last].call, DT_WAIT_EARLY_REDUCE);
        break;
    }
    }
}

/* ---- barriers of threads --------------------------------------------------------------------- */

/* Calls of barriers of a rank's threads, by their beginnings. */
static gint compare_calls(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const DtMessages *messages = user_data;
    const DtTimedCall *one = dt_messages_call(messages, *(const guint *)a);
    const DtTimedCall *other = dt_messages_call(messages, *(const guint *)b);
    if (one->begin != other->begin)
        return one->begin < other->begin ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

static GArray *barriers_of(Finding *finding, guint rank)
{
    const DtMessages *messages = finding->messages;
    GArray *barriers = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint r = 0; r < messages->rows->len; r++) {
        const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, r);
        for (guint i = 0; row->rank == rank && i < row->calls; i++) {
            guint call = row->first_call + i;
            if (timed_call(finding, call) && role_of(finding, dt_messages_call(messages, call)) & OF_THREADS)
                g_array_append_val(barriers, call);
        }
    }
    g_array_sort_with_data(barriers, compare_calls, (gpointer)messages);
    return barriers;
}

/* Nobody leaves a barrier before all have come to it: those that belong together are in it at one moment. */
static void find_in_barriers(Finding *finding, guint rank)
{
    const DtMessages *messages = finding->messages;
    g_autoptr(GArray) barriers = barriers_of(finding, rank);
    for (guint first = 0, next; first < barriers->len; first = next) {
        gint64 left = G_MAXINT64;
        for (next = first; next < barriers->len; next++) {
            const DtTimedCall *call = dt_messages_call(messages, g_array_index(barriers, guint, next));
            if (call->begin > left)
                break;
            left = MIN(left, call->end);
        }
        guint last = g_array_index(barriers, guint, next - 1);
        for (guint i = first; i + 1 < next; i++)
            add_wait(finding, g_array_index(barriers, guint, i), last, DT_WAIT_AT_THREADS);
    }
}

/* ---- what it comes to ------------------------------------------------------------------------ */

typedef struct {
    const DtMessages *messages;
    DtWaitEntry entry;
} EntryKey;

static gboolean are_of_one_place(const DtTimedCall *a, const DtTimedCall *b)
{
    return a->function == b->function && a->caller == b->caller && a->site == b->site;
}

static guint hash_entry(gconstpointer data)
{
    const EntryKey *key = data;
    const DtTimedCall *call = dt_messages_call(key->messages, key->entry.call);
    const DtTimedCall *cause = dt_messages_call(key->messages, key->entry.cause);
    guint64 rows = (guint64)call->row << 32 | cause->row;
    guint hash = (dt_hash_pair(&rows) * 31 + call->function) * 31 + cause->function;
    return hash * 31 + g_direct_hash(call->site) + g_direct_hash(cause->site) * 7 + call->caller + cause->caller * 3;
}

static gboolean are_equal_entries(gconstpointer a, gconstpointer b)
{
    const EntryKey *one = a, *other = b;
    return one->entry.kind == other->entry.kind && one->entry.row == other->entry.row &&
           one->entry.cause_row == other->entry.cause_row &&
           are_of_one_place(dt_messages_call(one->messages, one->entry.call),
                            dt_messages_call(one->messages, other->entry.call)) &&
           are_of_one_place(dt_messages_call(one->messages, one->entry.cause),
                            dt_messages_call(one->messages, other->entry.cause));
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
    const DtWaitEntry *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    return one->call < other->call ? -1 : one->call > other->call;
}

/* An element of DtWaitStates.by_ranks. */
typedef struct {
    guint64 key;
    gint64 ns;
} WaitOfPair;

static void add_between(DtWaitStates *states, guint rank, guint waited_for, gint64 ns)
{
    const WaitOfPair wanted = {(guint64)rank << 32 | waited_for, 0};
    WaitOfPair *known = g_hash_table_lookup(states->by_ranks, &wanted);
    if (!known) {
        known = g_memdup2(&wanted, sizeof wanted);
        g_hash_table_add(states->by_ranks, known);
    }
    known->ns += ns;
    states->of_ranks[rank] += ns;
}

gint64 dt_wait_between(const DtWaitStates *states, guint rank, guint waited_for)
{
    guint64 key = (guint64)rank << 32 | waited_for;
    const WaitOfPair *known = g_hash_table_lookup(states->by_ranks, &key);
    return known ? known->ns : 0;
}

static void count_wait(DtWaitStates *states, GHashTable *entries, guint index)
{
    const DtMessages *messages = states->messages;
    const DtCallWait *wait = &g_array_index(states->of_calls, DtCallWait, index);
    guint row = dt_messages_call(messages, index)->row, cause_row = dt_messages_call(messages, wait->cause)->row;
    EntryKey wanted = {messages, {wait->kind, row, cause_row, index, wait->cause, 0, 0, 0}};
    EntryKey *known = g_hash_table_lookup(entries, &wanted);
    if (!known) {
        known = g_memdup2(&wanted, sizeof wanted);
        g_hash_table_add(entries, known);
    }
    DtWaitEntry *entry = &known->entry;
    entry->count++;
    entry->ns += wait->ns;
    if (wait->ns > entry->longest_ns) {
        entry->longest_ns = wait->ns;
        entry->call = index;
        entry->cause = wait->cause;
    }
    states->by_kind[wait->kind] += wait->ns;
    states->counts[wait->kind]++;
    states->all_ns += wait->ns;
    add_between(states, dt_messages_rank(messages, index), dt_messages_rank(messages, wait->cause), wait->ns);
}

static void sum_up(DtWaitStates *states)
{
    g_autoptr(GHashTable) entries = g_hash_table_new_full(hash_entry, are_equal_entries, NULL, g_free);
    for (guint i = 0; i < states->of_calls->len; i++)
        if (g_array_index(states->of_calls, DtCallWait, i).kind != DT_WAIT_NONE)
            count_wait(states, entries, i);
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, entries);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        g_array_append_val(states->entries, ((EntryKey *)key)->entry);
    g_array_sort(states->entries, compare_entries);
}

/* Of two for whom it waited as long, the first. */
static void find_most_waited(DtWaitStates *states)
{
    GHashTableIter iter;
    gpointer key;
    for (guint rank = 0; rank < states->messages->ranks->len; rank++) {
        guint nobody = DT_NO_CALL;
        g_array_append_val(states->most_waited, nobody);
    }
    g_hash_table_iter_init(&iter, states->by_ranks);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const WaitOfPair *pair = key;
        guint rank = (guint)(pair->key >> 32), other = (guint)pair->key;
        guint *most = &g_array_index(states->most_waited, guint, rank);
        gint64 known = *most == DT_NO_CALL ? 0 : dt_wait_between(states, rank, *most);
        if (other != rank && (pair->ns > known || (pair->ns == known && pair->ns > 0 && other < *most)))
            *most = other;
    }
}

/* Each rank has one arrow at most, so each walk ends in a ring or nowhere. */
static void mark_cycles(DtWaitStates *states)
{
    guint ranks = states->messages->ranks->len, cycles = 0;
    g_autofree guint *walks = g_new0(guint, ranks + 1);
    const guint *next = (const guint *)(gconstpointer)states->most_waited->data;
    guint *number = (guint *)(gpointer)states->cycles->data;
    for (guint start = 0; start < ranks; start++) {
        guint at = start;
        while (at != DT_NO_CALL && walks[at] == 0) {
            walks[at] = start + 1;
            at = next[at];
        }
        if (at == DT_NO_CALL || walks[at] != start + 1 || number[at] != 0)
            continue;
        cycles++;
        for (guint in = at; number[in] == 0; in = next[in])
            number[in] = cycles;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void find(DtWaitStates *states)
{
    g_autoptr(GArray) roles = g_array_new(FALSE, TRUE, sizeof(guint8));
    Finding finding = {states, states->messages, roles};
    find_in_messages(&finding);
    for (guint i = 0; i < states->messages->collectives->len; i++)
        find_in_collective(&finding, &g_array_index(states->messages->collectives, DtCollective, i));
    for (guint rank = 0; rank < states->messages->ranks->len; rank++)
        find_in_barriers(&finding, rank);
}

DtWaitStates *dt_wait_states_new(const DtMessages *messages)
{
    DtWaitStates *states = g_new0(DtWaitStates, 1);
    guint ranks = messages->ranks->len;
    states->messages = messages;
    states->of_calls = g_array_new(FALSE, TRUE, sizeof(DtCallWait));
    g_array_set_size(states->of_calls, messages->calls->len);
    states->entries = g_array_new(FALSE, FALSE, sizeof(DtWaitEntry));
    states->by_ranks = g_hash_table_new_full(dt_hash_pair, g_int64_equal, g_free, NULL);
    states->of_ranks = g_new0(gint64, (gsize)ranks + 1);
    states->most_waited = g_array_new(FALSE, FALSE, sizeof(guint));
    states->cycles = g_array_new(FALSE, TRUE, sizeof(guint));
    g_array_set_size(states->cycles, ranks);
    find(states);
    sum_up(states);
    find_most_waited(states);
    mark_cycles(states);
    return states;
}

void dt_wait_states_free(DtWaitStates *states)
{
    if (!states)
        return;
    g_array_unref(states->of_calls);
    g_array_unref(states->entries);
    g_hash_table_unref(states->by_ranks);
    g_free(states->of_ranks);
    g_array_unref(states->most_waited);
    g_array_unref(states->cycles);
    g_free(states);
}
