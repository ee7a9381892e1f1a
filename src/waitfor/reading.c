/*
 * Reads traces into facts: how often each call with each of its arguments was
 * made, the order of collectives, locks held, and the last open call.
 *
 * What is counted while events go by is the same for all traces that have these events; what it means, whose rank a
 * peer is and which communicator a name, depends on the process.
 */
#include "waitfor/facts.h"

#include "waitfor/calls.h"

/* ---- counts ------------------------------------------------------------------------------- */

typedef struct {
    guint32 id;
    guint64 calls;
} CallCount;

typedef struct {
    const char *communicator; /* by name */
    DtCollectives collectives;
} NamedCollectives;

/* Of all traces with the same events. */
typedef struct {
    GArray *calls;       /* by ascending id (element-type CallCount) */
    GArray *collectives; /* (element-type NamedCollectives) */
    GArray *locks;       /* (element-type DtLockUse) */
    GArray *open;        /* ids of the open calls, outermost first (element-type guint32) */
    guint32 last_test;   /* that no other call of MPI or of locks came after; 0: none */
} Counts;

struct DtFactsReading {
    const DtPass *pass;
    guint run; /* its number in the pass */
    const DtFunctions *functions;
    guint8 *roles;   /* DtRole by function id, also of signatures */
    Counts **counts; /* by distinct trace; NULL: not wanted */
};

/* A thread, and the trace that it reads. */
typedef struct {
    const DtFactsReading *reading;
    Counts *counts;
    guint64 *calls; /* by function id */
    guint64 times;  /* that each call of the batch is made */
} Counting;

static void clear_collectives(gpointer named)
{
    dt_collectives_clear(&((NamedCollectives *)named)->collectives);
}

static Counts *counts_new(void)
{
    Counts *counts = g_new0(Counts, 1);
    counts->calls = g_array_new(FALSE, FALSE, sizeof(CallCount));
    counts->collectives = g_array_new(FALSE, FALSE, sizeof(NamedCollectives));
    g_array_set_clear_func(counts->collectives, clear_collectives);
    counts->locks = g_array_new(FALSE, FALSE, sizeof(DtLockUse));
    counts->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    return counts;
}

static void counts_free(Counts *counts)
{
    if (!counts)
        return;
    g_array_unref(counts->calls);
    g_array_unref(counts->collectives);
    g_array_unref(counts->locks);
    g_array_unref(counts->open);
    g_free(counts);
}

/* ---- arguments ---------------------------------------------------------------------------- */

/* What counts mean in one trace. */
typedef struct {
    const DtFactsReading *reading;
    const DtRun *run;
    const Counts *counts;
    DtFacts *facts;
} Meaning;

static const DtSignature *signature_of(const DtFactsReading *reading, guint32 id)
{
    return dt_functions_get(reading->functions, id)->signature;
}

static const DtCommunicator *communicator_of(const Meaning *meaning, guint32 id)
{
    const DtSignature *signature = signature_of(meaning->reading, id);
    if (!signature || !signature->communicator)
        return NULL;
    return dt_run_find_communicator(meaning->run, meaning->facts->trace->process, signature->communicator);
}

static gint world_rank(const DtCommunicator *communicator, const DtArgument *peer)
{
    if (peer->special == DT_SPECIAL_ANY)
        return DT_PEER_ANY;
    if (peer->special != DT_SPECIAL_NONE || !communicator || communicator->remote_size >= 0 || communicator->size <= 0)
        return DT_PEER_UNKNOWN;
    gint64 member = (communicator->rank + peer->value) % communicator->size;
    return communicator->members[member < 0 ? member + communicator->size : member];
}

/* The messages that a call sends or asks for: each of its destinations and sources, with the tag behind it. */
static guint transfers_of(const Meaning *meaning, guint32 id, DtTransfer transfers[2])
{
    const DtSignature *signature = signature_of(meaning->reading, id);
    const DtCommunicator *communicator = communicator_of(meaning, id);
    guint count = 0;
    for (guint i = 0; signature && i < signature->argument_count && count < 2; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if ((argument->kind != DT_ARGUMENT_TO && argument->kind != DT_ARGUMENT_FROM) ||
            argument->special == DT_SPECIAL_PROC_NULL)
            continue;
        DtTransfer transfer = {.communicator = communicator ? communicator->key : 0,
                               .peer = world_rank(communicator, argument),
                               .tag = DT_TAG_ANY,
                               .send = argument->kind == DT_ARGUMENT_TO};
        const DtArgument *next = i + 1 < signature->argument_count ? argument + 1 : NULL;
        if (next && next->kind == DT_ARGUMENT_TAG && next->special == DT_SPECIAL_NONE)
            transfer.tag = next->value;
        transfers[count++] = transfer;
    }
    return count;
}

static const DtArgument *find_argument(const DtSignature *signature, guint kind)
{
    for (guint i = 0; signature && i < signature->argument_count; i++) {
        if (signature->arguments[i].kind == kind && signature->arguments[i].special == DT_SPECIAL_NONE)
            return &signature->arguments[i];
    }
    return NULL;
}

/* Of function, root and operation: these agree on all members. */
static guint32 collective_symbol(const DtFactsReading *reading, guint32 id)
{
    const DtSignature *signature = signature_of(reading, id);
    const DtArgument *root = find_argument(signature, DT_ARGUMENT_ROOT);
    const DtArgument *operation = find_argument(signature, DT_ARGUMENT_OPERATION);
    guint64 symbol = dt_functions_base(reading->functions, id);
    symbol = symbol * 1000003 + (root ? (guint64)root->value + 1 : 0);
    symbol = symbol * 1000003 + (operation ? (guint64)operation->value + 1 : 0);
    return (guint32)(symbol ^ symbol >> 32);
}

/* ---- locks and collectives, as they come ------------------------------------------------------ */

static void count_lock(Counting *counting, guint32 id, gint64 once)
{
    const gint64 by = once * (gint64)counting->times;
    const DtArgument *lock = find_argument(signature_of(counting->reading, id), DT_ARGUMENT_LOCK);
    if (!lock)
        return;
    GArray *locks = counting->counts->locks;
    for (guint i = 0; i < locks->len; i++) {
        DtLockUse *use = &g_array_index(locks, DtLockUse, i);
        if (use->lock == lock->value) {
            use->held += by;
            return;
        }
    }
    DtLockUse use = {lock->value, by};
    g_array_append_val(locks, use);
}

static void note_collective(Counting *counting, guint32 id)
{
    const DtSignature *signature = signature_of(counting->reading, id);
    if (!signature || !signature->communicator)
        return;
    GArray *all = counting->counts->collectives;
    NamedCollectives *used = NULL;
    for (guint i = 0; i < all->len && !used; i++) {
        NamedCollectives *known = &g_array_index(all, NamedCollectives, i);
        used = g_str_equal(known->communicator, signature->communicator) ? known : NULL;
    }
    if (!used) {
        NamedCollectives fresh = {signature->communicator, dt_collectives_new(0)};
        g_array_append_val(all, fresh);
        used = &g_array_index(all, NamedCollectives, all->len - 1);
    }
    dt_collectives_add(&used->collectives, collective_symbol(counting->reading, id));
}

static gboolean tests(guint role)
{
    return role == DT_ROLE_TEST || role == DT_ROLE_TEST_PROBE;
}

static void enter_call(Counting *counting, guint32 id)
{
    const guint8 role = counting->reading->roles[id];
    counting->calls[id] += counting->times;
    if (role != DT_ROLE_NONE)
        counting->counts->last_test = tests(role) ? id : 0;
    if (role == DT_ROLE_COLLECTIVE)
        note_collective(counting, id);
    else if (role == DT_ROLE_RELEASE || role == DT_ROLE_CONDITION)
        count_lock(counting, id, -1);
}

/* `id` 0: a return without a call. */
static void leave_call(Counting *counting, guint32 id)
{
    const guint8 role = counting->reading->roles[id];
    if (role == DT_ROLE_ACQUIRE || role == DT_ROLE_CONDITION)
        count_lock(counting, id, 1);
}

/* What of each communicator's collective calls is written down so far (element-type guint). */
static GArray *written_down(const GArray *collectives)
{
    GArray *lengths = g_array_new(FALSE, TRUE, sizeof(guint));
    for (guint i = 0; i < collectives->len; i++)
        g_array_append_val(lengths, g_array_index(collectives, NamedCollectives, i).collectives.calls->len);
    return lengths;
}

/* Of calls that are made many times, one time is followed and counts as many. */
static void count_batch(gpointer thread, const DtCallBatch *batch)
{
    Counting *counting = thread;
    GArray *collectives = counting->counts->collectives;
    g_autoptr(GArray) before = batch->times > 1 ? written_down(collectives) : NULL;
    counting->times = batch->times;
    for (gsize i = 0; i < batch->count; i++) {
        if (batch->events[i] == DT_EVENT_RETURN)
            leave_call(counting, batch->callees[i]);
        else
            enter_call(counting, batch->events[i]);
    }
    for (guint i = 0; before && i < collectives->len; i++) {
        guint from = i < before->len ? g_array_index(before, guint, i) : 0;
        dt_collectives_repeat(&g_array_index(collectives, NamedCollectives, i).collectives, from, batch->times);
    }
}

/* ---- in the pass ------------------------------------------------------------------------------ */

static gpointer start_counting(gpointer consumer)
{
    Counting *counting = g_new0(Counting, 1);
    counting->reading = consumer;
    counting->calls = g_new0(guint64, (gsize)dt_functions_count(counting->reading->functions) + 1);
    return counting;
}

static void stop_counting(gpointer thread)
{
    g_free(((Counting *)thread)->calls);
    g_free(thread);
}

static gboolean begin_trace(gpointer thread, const DtDistinctTrace *trace)
{
    Counting *counting = thread;
    counting->counts = counting->reading->counts[trace->number];
    return counting->counts != NULL;
}

static void end_trace(gpointer thread, const DtDistinctTrace *trace)
{
    Counting *counting = thread;
    guint32 ids = dt_functions_count(counting->reading->functions);
    for (guint32 id = 1; id <= ids; id++) {
        CallCount count = {id, counting->calls[id]};
        if (count.calls > 0)
            g_array_append_val(counting->counts->calls, count);
        counting->calls[id] = 0;
    }
    if (trace->open->len > 0)
        g_array_append_vals(counting->counts->open, trace->open->data, trace->open->len);
}

/* ---- what they mean ----------------------------------------------------------------------------- */

static void add_collectives(Meaning *meaning)
{
    const DtProcess *process = meaning->facts->trace->process;
    for (guint i = 0; i < meaning->counts->collectives->len; i++) {
        const NamedCollectives *named = &g_array_index(meaning->counts->collectives, NamedCollectives, i);
        const DtCommunicator *communicator = dt_run_find_communicator(meaning->run, process, named->communicator);
        if (!communicator)
            continue;
        DtCollectives own = named->collectives;
        own.communicator = communicator->key;
        g_array_ref(own.calls);
        g_array_ref(own.stretches);
        g_array_append_val(meaning->facts->collectives, own);
    }
}

/* Locks that were asked for and not got: each such call left a note. */
static gboolean take_back_failures(Meaning *meaning, GError **error)
{
    g_autoptr(DtNotes) notes = dt_notes_open(meaning->run, meaning->facts->trace, error);
    if (!notes)
        return FALSE;
    for (guint i = 0; i < dt_notes_count(notes); i++) {
        const DtNote *note = dt_notes_get(notes, i);
        if (note->kind != DT_NOTE_LOCK || note->count == 0)
            continue;
        gint64 lock = dt_notes_values(notes, note)[0];
        for (guint j = 0; j < meaning->facts->locks->len; j++) {
            DtLockUse *use = &g_array_index(meaning->facts->locks, DtLockUse, j);
            use->held -= use->lock == lock ? 1 : 0;
        }
    }
    return TRUE;
}

static void add_transfers(Meaning *meaning)
{
    for (guint i = 0; i < meaning->counts->calls->len; i++) {
        const CallCount *count = &g_array_index(meaning->counts->calls, CallCount, i);
        const guint8 role = meaning->reading->roles[count->id];
        if (signature_of(meaning->reading, count->id))
            g_array_append_val(meaning->facts->symbols, count->id);
        if (role != DT_ROLE_MESSAGE && role != DT_ROLE_POSTED)
            continue;
        DtTransfer transfers[2];
        guint found = transfers_of(meaning, count->id, transfers);
        for (guint t = 0; t < found; t++) {
            transfers[t].calls = count->calls;
            g_array_append_val(meaning->facts->transfers, transfers[t]);
        }
    }
}

static void describe_open(const Meaning *meaning, guint32 id, DtOpenCall *open)
{
    const DtFactsReading *reading = meaning->reading;
    const DtArgument *lock;
    const DtCommunicator *communicator;
    open->call = dt_functions_get(reading->functions, dt_functions_base(reading->functions, id))->name;
    open->symbol = id;
    switch ((DtRole)reading->roles[id]) {
    case DT_ROLE_MESSAGE:
    case DT_ROLE_PROBE:
    case DT_ROLE_TEST_PROBE:
        open->kind = DT_OPEN_TRANSFER;
        open->transfer_count = transfers_of(meaning, id, open->transfers);
        break;
    case DT_ROLE_REQUESTS:
    case DT_ROLE_TEST:
    case DT_ROLE_ANY:
        open->kind = DT_OPEN_REQUESTS;
        open->any = reading->roles[id] == DT_ROLE_ANY;
        break;
    case DT_ROLE_COLLECTIVE:
        communicator = communicator_of(meaning, id);
        open->kind = communicator ? DT_OPEN_COLLECTIVE : DT_OPEN_OTHER;
        open->communicator = communicator ? communicator->key : 0;
        open->symbol = collective_symbol(reading, id);
        break;
    case DT_ROLE_ACQUIRE:
        lock = find_argument(signature_of(reading, id), DT_ARGUMENT_LOCK);
        open->kind = lock ? DT_OPEN_LOCK : DT_OPEN_OTHER;
        open->lock = lock ? lock->value : 0;
        break;
    case DT_ROLE_CONDITION:
    case DT_ROLE_OTHER_WAIT:
        open->kind = DT_OPEN_OTHER;
        break;
    case DT_ROLE_NONE:
    case DT_ROLE_POSTED:
    case DT_ROLE_RELEASE:
        break;
    }
}

/* The innermost open call that waits; or, if the last thing done was to ask for a message or a request, that. */
static void find_open_call(Meaning *meaning)
{
    DtOpenCall *open = &meaning->facts->open;
    const GArray *calls = meaning->counts->open;
    for (guint i = calls->len; i > 0 && open->kind == DT_OPEN_NONE; --i)
        describe_open(meaning, g_array_index(calls, guint32, i - 1), open);
    if (open->kind == DT_OPEN_NONE && meaning->counts->last_test)
        describe_open(meaning, meaning->counts->last_test, open);
}

static gboolean has_ended(const Meaning *meaning)
{
    const DtTrace *trace = meaning->facts->trace;
    return trace->returned || trace->process->end == DT_END_EXITED || meaning->counts->open->len == 0;
}

static gboolean find_facts(const DtFactsReading *reading, DtFacts *facts, GError **error)
{
    const DtDistinctTrace *distinct = dt_pass_find(reading->pass, reading->run, facts->trace->index);
    Meaning meaning = {reading, dt_pass_run(reading->pass, reading->run), reading->counts[distinct->number], facts};
    if (distinct->failure) {
        g_propagate_error(error, g_error_copy(distinct->failure));
        return FALSE;
    }
    if (meaning.counts->locks->len > 0)
        g_array_append_vals(facts->locks, meaning.counts->locks->data, meaning.counts->locks->len);
    if (!take_back_failures(&meaning, error))
        return FALSE;
    add_collectives(&meaning);
    add_transfers(&meaning);
    facts->ended = has_ended(&meaning);
    find_open_call(&meaning);
    return TRUE;
}

/* ---- all traces ----------------------------------------------------------------------------------------- */

static guint8 *find_roles(const DtFunctions *functions)
{
    guint32 count = dt_functions_count(functions);
    guint8 *roles = g_new0(guint8, (gsize)count + 1);
    for (guint32 id = 1; id <= count; id++)
        roles[id] = (guint8)dt_role_of(dt_functions_get(functions, dt_functions_base(functions, id))->name);
    return roles;
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

static DtMembers *find_members(const DtRun *run)
{
    DtMembers *members = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, unref_array);
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        const GPtrArray *communicators = dt_run_communicators(run, dt_run_process(run, p));
        for (guint c = 0; c < communicators->len; c++) {
            const DtCommunicator *communicator = g_ptr_array_index(communicators, c);
            if (communicator->size <= 0 || g_hash_table_contains(members, &communicator->key))
                continue;
            GArray *ranks = g_array_new(FALSE, FALSE, sizeof(gint));
            g_array_append_vals(ranks, communicator->members, (guint)communicator->size);
            g_hash_table_insert(members, g_memdup2(&communicator->key, sizeof communicator->key), ranks);
        }
    }
    return members;
}

DtFactsReading *dt_facts_reading_new(DtPass *pass, guint run_number)
{
    const DtRun *run = dt_pass_run(pass, run_number);
    DtFactsReading *reading = g_new0(DtFactsReading, 1);
    reading->pass = pass;
    reading->run = run_number;
    reading->functions = dt_run_functions(run);
    reading->roles = find_roles(reading->functions);
    reading->counts = g_new0(Counts *, (gsize)dt_pass_count(pass) + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        guint number = dt_pass_find(pass, run_number, t)->number;
        if (!dt_run_trace(run, t)->library && !reading->counts[number])
            reading->counts[number] = counts_new();
    }
    dt_pass_add(pass, &(DtEventConsumer){start_counting, begin_trace, count_batch, end_trace, stop_counting, reading});
    return reading;
}

void dt_facts_reading_free(DtFactsReading *reading)
{
    if (!reading)
        return;
    for (guint i = 0; i < dt_pass_count(reading->pass); i++)
        counts_free(reading->counts[i]);
    g_free(reading->counts);
    g_free(reading->roles);
    g_free(reading);
}

DtWaitFor *dt_facts_reading_take(const DtFactsReading *reading, GError **error)
{
    const DtRun *run = dt_pass_run(reading->pass, reading->run);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)dt_facts_free);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        if (dt_run_trace(run, t)->library)
            continue;
        DtFacts *facts = dt_facts_new(dt_run_trace(run, t));
        g_ptr_array_add(all, facts);
        if (!find_facts(reading, facts, error))
            return NULL;
    }
    DtMembers *members = find_members(run);
    DtWaitFor *waits = dt_wait_for_of_facts(all, members);
    g_hash_table_unref(members);
    return waits;
}

DtWaitFor *dt_wait_for_new(const DtRun *run, guint jobs, GError **error)
{
    g_autoptr(DtPass) pass = dt_pass_new(NULL, &run, 1, jobs);
    g_autoptr(DtFactsReading) reading = dt_facts_reading_new(pass, 0);
    dt_pass_read(pass, NULL, NULL);
    return dt_facts_reading_take(reading, error);
}
