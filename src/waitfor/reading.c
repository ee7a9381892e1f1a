/*
 * Reads traces into facts: how often each call with each of its arguments was
 * made, the order of collectives, locks held, and the last open call.
 */
#include "waitfor/facts.h"

#include <omp.h>

#include "waitfor/calls.h"

/* ---- arguments ---------------------------------------------------------------------------- */

typedef struct {
    const DtRun *run;
    const DtFunctions *functions;
    DtFacts *facts;
    const guint8 *roles;                  /* DtRole by function id, also of signatures */
    guint64 *calls;                       /* by function id */
    guint64 times;                        /* that each call of the batch is made */
    GArray *open;                         /* ids of the open calls, outermost first (element-type guint32) */
    guint32 last_test;                    /* that no other call of MPI or of locks came after; 0: none */
    const DtCommunicator **communicators; /* by the id of a signature; looked up once */
} Reading;

static const DtSignature *signature_of(const Reading *reading, guint32 id)
{
    return dt_functions_get(reading->functions, id)->signature;
}

static const DtCommunicator *communicator_of(Reading *reading, guint32 id)
{
    const DtSignature *signature = signature_of(reading, id);
    if (!reading->communicators[id] && signature && signature->communicator)
        reading->communicators[id] =
            dt_run_find_communicator(reading->run, reading->facts->trace->process, signature->communicator);
    return reading->communicators[id];
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
static guint transfers_of(Reading *reading, guint32 id, DtTransfer transfers[2])
{
    const DtSignature *signature = signature_of(reading, id);
    const DtCommunicator *communicator = communicator_of(reading, id);
    guint count = 0;
    for (guint i = 0; signature && i < signature->argument_count && count < 2; ++i) {
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
    for (guint i = 0; signature && i < signature->argument_count; ++i) {
        if (signature->arguments[i].kind == kind && signature->arguments[i].special == DT_SPECIAL_NONE)
            return &signature->arguments[i];
    }
    return NULL;
}

/* Of function, root and operation: these agree on all members. */
static guint32 collective_symbol(const Reading *reading, guint32 id)
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

static void count_lock(Reading *reading, guint32 id, gint64 once)
{
    const gint64 by = once * (gint64)reading->times;
    const DtArgument *lock = find_argument(signature_of(reading, id), DT_ARGUMENT_LOCK);
    if (!lock)
        return;
    GArray *locks = reading->facts->locks;
    for (guint i = 0; i < locks->len; ++i) {
        DtLockUse *use = &g_array_index(locks, DtLockUse, i);
        if (use->lock == lock->value) {
            use->held += by;
            return;
        }
    }
    DtLockUse use = {lock->value, by};
    g_array_append_val(locks, use);
}

static void note_collective(Reading *reading, guint32 id)
{
    const DtCommunicator *communicator = communicator_of(reading, id);
    if (!communicator)
        return;
    GArray *all = reading->facts->collectives;
    DtCollectives *used = NULL;
    for (guint i = 0; i < all->len && !used; ++i) {
        DtCollectives *known = &g_array_index(all, DtCollectives, i);
        used = known->communicator == communicator->key ? known : NULL;
    }
    if (!used) {
        DtCollectives fresh = dt_collectives_new(communicator->key);
        g_array_append_val(all, fresh);
        used = &g_array_index(all, DtCollectives, all->len - 1);
    }
    dt_collectives_add(used, collective_symbol(reading, id));
}

static gboolean tests(guint role)
{
    return role == DT_ROLE_TEST || role == DT_ROLE_TEST_PROBE;
}

static void enter_call(Reading *reading, guint32 id)
{
    reading->calls[id] += reading->times;
    if (reading->roles[id] != DT_ROLE_NONE)
        reading->last_test = tests(reading->roles[id]) ? id : 0;
    g_array_append_val(reading->open, id);
    if (reading->roles[id] == DT_ROLE_COLLECTIVE)
        note_collective(reading, id);
    else if (reading->roles[id] == DT_ROLE_RELEASE || reading->roles[id] == DT_ROLE_CONDITION)
        count_lock(reading, id, -1);
}

static void leave_call(Reading *reading)
{
    if (reading->open->len == 0)
        return;
    guint32 id = g_array_index(reading->open, guint32, reading->open->len - 1);
    g_array_set_size(reading->open, reading->open->len - 1);
    if (reading->roles[id] == DT_ROLE_ACQUIRE || reading->roles[id] == DT_ROLE_CONDITION)
        count_lock(reading, id, 1);
}

/* What of each communicator's collective calls is written down so far (element-type guint). */
static GArray *written_down(const GArray *collectives)
{
    GArray *lengths = g_array_new(FALSE, TRUE, sizeof(guint));
    for (guint i = 0; i < collectives->len; ++i)
        g_array_append_val(lengths, g_array_index(collectives, DtCollectives, i).calls->len);
    return lengths;
}

/* Of calls that are made many times, one time is followed and counts as many. */
static void follow_batch(Reading *reading, const DtEventBatch *batch)
{
    GArray *collectives = reading->facts->collectives;
    g_autoptr(GArray) before = batch->times > 1 ? written_down(collectives) : NULL;
    reading->times = batch->times;
    for (gsize i = 0; i < batch->count; ++i) {
        if (batch->events[i] == DT_EVENT_RETURN)
            leave_call(reading);
        else
            enter_call(reading, batch->events[i]);
    }
    for (guint i = 0; before && i < collectives->len; ++i) {
        guint from = i < before->len ? g_array_index(before, guint, i) : 0;
        dt_collectives_repeat(&g_array_index(collectives, DtCollectives, i), from, batch->times);
    }
}

/* Locks that were asked for and not got: each such call left a note. */
static gboolean take_back_failures(Reading *reading, GError **error)
{
    g_autoptr(DtNotes) notes = dt_notes_open(reading->run, reading->facts->trace, error);
    if (!notes)
        return FALSE;
    for (guint i = 0; i < dt_notes_count(notes); ++i) {
        const DtNote *note = dt_notes_get(notes, i);
        if (note->kind != DT_NOTE_LOCK || note->count == 0)
            continue;
        gint64 lock = dt_notes_values(notes, note)[0];
        for (guint j = 0; j < reading->facts->locks->len; ++j) {
            DtLockUse *use = &g_array_index(reading->facts->locks, DtLockUse, j);
            use->held -= use->lock == lock ? 1 : 0;
        }
    }
    return TRUE;
}

/* ---- at the end -------------------------------------------------------------------------------------- */

static void add_transfers(Reading *reading)
{
    guint32 count = dt_functions_count(reading->functions);
    for (guint32 id = 1; id <= count; ++id) {
        if (reading->calls[id] == 0)
            continue;
        if (signature_of(reading, id))
            g_array_append_val(reading->facts->symbols, id);
        if (reading->roles[id] != DT_ROLE_MESSAGE && reading->roles[id] != DT_ROLE_POSTED)
            continue;
        DtTransfer transfers[2];
        guint found = transfers_of(reading, id, transfers);
        for (guint i = 0; i < found; ++i) {
            transfers[i].calls = reading->calls[id];
            g_array_append_val(reading->facts->transfers, transfers[i]);
        }
    }
}

static void describe_open(Reading *reading, guint32 id, DtOpenCall *open)
{
    const DtArgument *lock;
    const DtCommunicator *communicator;
    open->call = dt_functions_get(reading->functions, dt_functions_base(reading->functions, id))->name;
    open->symbol = id;
    switch ((DtRole)reading->roles[id]) {
    case DT_ROLE_MESSAGE:
    case DT_ROLE_PROBE:
    case DT_ROLE_TEST_PROBE:
        open->kind = DT_OPEN_TRANSFER;
        open->transfer_count = transfers_of(reading, id, open->transfers);
        break;
    case DT_ROLE_REQUESTS:
    case DT_ROLE_TEST:
    case DT_ROLE_ANY:
        open->kind = DT_OPEN_REQUESTS;
        open->any = reading->roles[id] == DT_ROLE_ANY;
        break;
    case DT_ROLE_COLLECTIVE:
        communicator = communicator_of(reading, id);
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
static void find_open_call(Reading *reading)
{
    DtOpenCall *open = &reading->facts->open;
    for (guint i = reading->open->len; i > 0 && open->kind == DT_OPEN_NONE; --i)
        describe_open(reading, g_array_index(reading->open, guint32, i - 1), open);
    if (open->kind == DT_OPEN_NONE && reading->last_test)
        describe_open(reading, reading->last_test, open);
}

static gboolean has_ended(const Reading *reading)
{
    const DtTrace *trace = reading->facts->trace;
    return trace->returned || trace->process->end == DT_END_EXITED || reading->open->len == 0;
}

static gboolean read_trace(Reading *reading, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(reading->run, reading->facts->trace, error);
    if (!reader)
        return FALSE;
    DtEventBatch batch;
    while (dt_reader_next_batch(reader, &batch))
        follow_batch(reading, &batch);
    if (!take_back_failures(reading, error))
        return FALSE;
    add_transfers(reading);
    reading->facts->ended = has_ended(reading);
    find_open_call(reading);
    return TRUE;
}

static gboolean read_facts(const DtRun *run, DtFacts *facts, const guint8 *roles, GError **error)
{
    guint32 ids = dt_functions_count(dt_run_functions(run)) + 1;
    Reading reading = {.run = run, .functions = dt_run_functions(run), .facts = facts, .roles = roles};
    g_autofree guint64 *calls = g_new0(guint64, ids);
    g_autofree const DtCommunicator **communicators = g_new0(const DtCommunicator *, ids);
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint32));
    reading.calls = calls;
    reading.communicators = communicators;
    reading.open = open;
    return read_trace(&reading, error);
}

/* ---- all traces ----------------------------------------------------------------------------------------- */

static guint8 *find_roles(const DtFunctions *functions)
{
    guint32 count = dt_functions_count(functions);
    guint8 *roles = g_new0(guint8, (gsize)count + 1);
    for (guint32 id = 1; id <= count; ++id)
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
    for (guint p = 0; p < dt_run_process_count(run); ++p) {
        const GPtrArray *communicators = dt_run_communicators(run, dt_run_process(run, p));
        for (guint c = 0; c < communicators->len; ++c) {
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

GPtrArray *dt_facts_read(const DtRun *run, guint jobs, DtMembers **members, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)dt_facts_free);
    for (guint t = 0; t < dt_run_trace_count(run); ++t) {
        if (!dt_run_trace(run, t)->library)
            g_ptr_array_add(all, dt_facts_new(dt_run_trace(run, t)));
    }
    g_autofree guint8 *roles = find_roles(dt_run_functions(run));
    g_autofree GError **errors = g_new0(GError *, all->len + 1);
    g_autofree gboolean *failed = g_new0(gboolean, all->len + 1);
    const gint count = (gint)all->len, threads = jobs > 0 ? (gint)jobs : omp_get_max_threads();
    gboolean good = TRUE;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (gint i = 0; i < count; ++i)
        failed[i] = !read_facts(run, g_ptr_array_index(all, (guint)i), roles, &errors[i]);
    for (gint i = 0; i < count; ++i) {
        if (failed[i] && good)
            g_propagate_error(error, g_steal_pointer(&errors[i]));
        g_clear_error(&errors[i]);
        good = good && !failed[i];
    }
    if (!good)
        return NULL;
    *members = find_members(run);
    return g_steal_pointer(&all);
}

DtWaitFor *dt_wait_for_new(const DtRun *run, guint jobs, GError **error)
{
    DtMembers *members = NULL;
    g_autoptr(GPtrArray) facts = dt_facts_read(run, jobs, &members, error);
    if (!facts)
        return NULL;
    DtWaitFor *waits = dt_wait_for_of_facts(facts, members);
    g_hash_table_unref(members);
    return waits;
}
