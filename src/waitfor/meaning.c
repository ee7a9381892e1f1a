/* What the counts of traces mean: for each trace facts on its communicators, its peers, and the call that it waits in.
 */
#include "decoder/status.h"
#include "waitfor/counts.h"
#include "waitfor/persistent.h"

/* Of one trace. */
typedef struct {
    const DtCallRoles *roles;
    const DtRun *run;
    const DtCounts *counts;
    const GPtrArray *windows; /* of the process: names of the communicators that they are on; NULL: not known */
    const DtNotes *notes;
    DtMembers *members;
    DtFacts *facts;
    guint64 to; /* the position that the counts go up to */
} Case;

/* ---- arguments ---------------------------------------------------------------------------- */

static const DtCommunicator *communicator_named(const Case *own, const char *name)
{
    return name ? dt_run_find_communicator(own->run, own->facts->trace->process, name) : NULL;
}

static gint world_rank(const DtCommunicator *communicator, const DtArgument *peer)
{
    if (peer->special == DT_SPECIAL_ANY)
        return DT_PEER_ANY;
    const gboolean between = communicator && communicator->remote_size >= 0;
    const gint size = !communicator ? 0 : between ? communicator->remote_size : communicator->size;
    if (peer->special != DT_SPECIAL_NONE || size <= 0)
        return DT_PEER_UNKNOWN;
    const gint *members = communicator->members + (between ? communicator->size : 0);
    gint64 member = (communicator->rank + peer->value) % size;
    return members[member < 0 ? member + size : member];
}

static gint64 tag_of(const DtArgument *argument)
{
    if (!argument || argument->kind != DT_ARGUMENT_TAG || argument->special == DT_SPECIAL_ANY)
        return DT_TAG_ANY;
    return argument->special == DT_SPECIAL_NONE ? argument->value : DT_TAG_UNKNOWN;
}

/* The messages that a call sends or asks for: each of its destinations and sources, with the tag behind it. */
static guint transfers_of(const Case *own, const DtSignature *signature, DtTransfer transfers[2])
{
    const DtCommunicator *communicator = signature ? communicator_named(own, signature->communicator) : NULL;
    guint count = 0;
    if (communicator && !communicator->is_sure)
        return 0;
    for (guint i = 0; signature && i < signature->argument_count && count < 2; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if ((argument->kind != DT_ARGUMENT_TO && argument->kind != DT_ARGUMENT_FROM) ||
            argument->special == DT_SPECIAL_PROC_NULL)
            continue;
        transfers[count++] = (DtTransfer){.communicator = communicator ? communicator->key : 0,
                                          .peer = world_rank(communicator, argument),
                                          .tag = tag_of(i + 1 < signature->argument_count ? argument + 1 : NULL),
                                          .send = argument->kind == DT_ARGUMENT_TO};
    }
    return count;
}

/* ---- collectives ---------------------------------------------------------------------------- */

static void add_members(DtMembers *members, guint64 key, const DtCommunicator *communicator)
{
    if (communicator->size <= 0 || g_hash_table_contains(members, &key))
        return;
    GArray *ranks = g_array_new(FALSE, FALSE, sizeof(gint));
    g_array_append_vals(ranks, communicator->members,
                        (guint)communicator->size + (guint)MAX(communicator->remote_size, 0));
    g_hash_table_insert(members, g_memdup2(&key, sizeof key), ranks);
}

/* A window is known on all members by its communicator and by the how manieth it is there. */
static gboolean find_window(const Case *own, gint64 window, guint64 *key)
{
    if (!own->windows || window < 0 || window >= (gint64)own->windows->len)
        return FALSE;
    const char *name = own->windows->pdata[window];
    const DtCommunicator *communicator = communicator_named(own, name);
    guint64 number = 1;
    for (gint64 i = 0; i < window; i++)
        number += g_strcmp0(own->windows->pdata[i], name) == 0;
    if (!communicator || !communicator->is_sure)
        return FALSE;
    *key = (communicator->key ^ number) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    *key ^= *key >> 29;
    add_members(own->members, *key, communicator);
    return TRUE;
}

/* The key of what a collective call is on; FALSE: not known. *between: the communicator, if it has two groups. */
static gboolean find_key(const Case *own, const char *name, gint64 window, guint64 *key, const DtCommunicator **between)
{
    *between = NULL;
    if (!name)
        return find_window(own, window, key);
    const DtCommunicator *communicator = communicator_named(own, name);
    *key = communicator ? communicator->key : 0;
    if (!communicator || !communicator->is_sure)
        return FALSE;
    if (communicator->remote_size >= 0)
        *between = communicator;
    return TRUE;
}

/* What each member gives may differ from group to group. */
static GArray *without_bytes(GArray *calls)
{
    GArray *copy = g_array_copy(calls);
    for (guint i = 0; i < copy->len; i++)
        g_array_index(copy, DtCollectiveCall, i).bytes = DT_NOT_TOLD;
    return copy;
}

static void add_collectives(Case *own)
{
    for (guint i = 0; i < own->counts->collectives->len; i++) {
        const DtNamedCollectives *named = &g_array_index(own->counts->collectives, DtNamedCollectives, i);
        DtCollectives used = named->collectives;
        const DtCommunicator *between;
        if (!find_key(own, named->communicator, named->window, &used.communicator, &between))
            continue;
        used.calls = between ? without_bytes(used.calls) : g_array_ref(used.calls);
        g_array_ref(used.stretches);
        g_array_append_val(own->facts->collectives, used);
    }
}

/* ---- locks, messages ------------------------------------------------------------------------ */

/* Locks that were asked for and not got: each such call left a note. */
static void take_back_failures(Case *own)
{
    for (guint i = 0; i < dt_notes_count(own->notes); i++) {
        const DtNote *note = dt_notes_get(own->notes, i);
        if (note->kind != DT_NOTE_LOCK || note->count == 0)
            continue;
        gint64 lock = dt_notes_values(own->notes, note)[0];
        for (guint j = 0; j < own->facts->locks->len; j++) {
            DtLockUse *use = &g_array_index(own->facts->locks, DtLockUse, j);
            use->held -= use->lock == lock ? 1 : 0;
        }
    }
}

/* Who is likely to be able to end its wait, where whoever recorded it knew. */
static void add_wakers(Case *own)
{
    for (guint i = 0; i < dt_notes_count(own->notes); i++) {
        const DtNote *note = dt_notes_get(own->notes, i);
        const gint64 *values = dt_notes_values(own->notes, note);
        for (guint k = 0; note->kind == DT_NOTE_WAKERS && k < note->count; k++) {
            guint number = values[k] >= 0 && values[k] < G_MAXUINT ? (guint)values[k] : G_MAXUINT;
            g_array_append_val(own->facts->wakers, number);
        }
    }
}

static void add_transfers(Case *own, guint32 id, guint64 calls)
{
    DtTransfer transfers[2];
    guint found = transfers_of(own, dt_counted_signature(own->roles, id), transfers);
    for (guint t = 0; t < found; t++) {
        transfers[t].calls = calls;
        g_array_append_val(own->facts->transfers, transfers[t]);
    }
}

/* The messages of persistent requests, as often as these were started. */
static void add_started(Case *own)
{
    g_autoptr(GArray) starts = dt_persistent_starts(own->run, own->facts->trace, own->roles, own->notes, own->to);
    own->facts->is_partial |= !starts;
    for (guint i = 0; starts && i < starts->len; i++) {
        const DtCallCount *count = &g_array_index(starts, DtCallCount, i);
        add_transfers(own, count->id, count->calls);
    }
}

static void add_calls(Case *own)
{
    const DtFunctions *functions = own->roles->functions;
    DtFacts *facts = own->facts;
    const DtTrace *trace = facts->trace;
    gboolean starts = FALSE;
    facts->is_partial = trace->dropped_words > 0 || trace->process->dropped_events > 0 || trace->process->stopped;
    for (guint i = 0; i < own->counts->calls->len; i++) {
        const DtCallCount *count = &g_array_index(own->counts->calls, DtCallCount, i);
        const DtRole role = dt_role_of_id(own->roles, count->id);
        const char *function = dt_functions_get(functions, dt_functions_base(functions, count->id))->name;
        if (dt_counted_signature(own->roles, count->id))
            g_array_append_val(facts->symbols, count->id);
        else
            facts->lacks_arguments |= dt_has_arguments(function);
        if (role == DT_ROLE_MESSAGE || role == DT_ROLE_POSTED)
            add_transfers(own, count->id, count->calls);
        facts->finalizes |= role == DT_ROLE_FINALIZE;
        starts |= role == DT_ROLE_START;
        facts->is_partial |= dt_hides_messages(function);
    }
    if (starts)
        add_started(own);
}

/* ---- the call that it waits in -------------------------------------------------------------- */

static void describe_collective(const Case *own, guint32 id, const DtSignature *signature, DtBlockingCall *open)
{
    const DtArgument *window = dt_find_argument(signature, DT_ARGUMENT_WINDOW);
    gboolean known =
        signature && (signature->communicator || window) &&
        find_key(own, signature->communicator, window ? window->value : -1, &open->communicator, &open->between);
    open->kind = known ? DT_OPEN_COLLECTIVE : DT_OPEN_OTHER;
    open->is_on_window = signature && !signature->communicator;
    open->collective = dt_collective_call(own->roles, id, signature);
    if (open->between)
        open->collective.bytes = DT_NOT_TOLD;
}

static void describe_open(const Case *own, guint32 id, DtBlockingCall *open)
{
    const DtCallRoles *roles = own->roles;
    const DtSignature *recorded = dt_counted_signature(roles, id);
    DtSignature filled = recorded ? *recorded : (DtSignature){0};
    const DtSignature *signature = recorded ? &filled : NULL;
    const DtArgument *lock;
    if (recorded)
        dt_signature_fill_last(&filled, own->notes);
    open->call = dt_functions_get(roles->functions, dt_functions_base(roles->functions, id))->name;
    open->symbol = id;
    switch (dt_role_of_id(roles, id)) {
    case DT_ROLE_MESSAGE:
    case DT_ROLE_PROBE:
    case DT_ROLE_TEST_PROBE:
        open->kind = DT_OPEN_TRANSFER;
        open->probes = dt_role_of_id(roles, id) != DT_ROLE_MESSAGE;
        open->transfer_count = transfers_of(own, signature, open->transfers);
        break;
    case DT_ROLE_REQUESTS:
    case DT_ROLE_TEST:
    case DT_ROLE_ANY:
        open->kind = DT_OPEN_REQUESTS;
        open->any = dt_role_of_id(roles, id) == DT_ROLE_ANY;
        break;
    case DT_ROLE_COLLECTIVE:
    case DT_ROLE_WINDOW_MADE:
        describe_collective(own, id, signature, open);
        break;
    case DT_ROLE_FINALIZE:
        open->kind = DT_OPEN_FINALIZE;
        break;
    case DT_ROLE_ACQUIRE:
        lock = dt_find_argument(signature, DT_ARGUMENT_LOCK);
        open->kind = lock ? DT_OPEN_LOCK : DT_OPEN_OTHER;
        open->lock = lock ? lock->value : 0;
        break;
    case DT_ROLE_CONDITION:
    case DT_ROLE_OTHER_WAIT:
        open->kind = DT_OPEN_OTHER;
        break;
    case DT_ROLE_NONE:
    case DT_ROLE_POSTED:
    case DT_ROLE_PERSISTENT:
    case DT_ROLE_START:
    case DT_ROLE_RELEASE:
        break;
    }
}

/* Two messages that are asked for in turn as one from anybody. FALSE: they are on different communicators. */
static gboolean merge_transfers(DtTransfer *all, const DtTransfer *other)
{
    if (all->peer != other->peer)
        all->peer = DT_PEER_ANY;
    if (all->tag != other->tag)
        all->tag = DT_TAG_ANY;
    return all->communicator == other->communicator;
}

/* Who asks for several messages or requests in turn waits for any of them; *probes: what it probes for. */
static void add_test(Case *own, const DtBlockingCall *test, DtBlockingCall *open)
{
    const gboolean asks_requests = test->kind == DT_OPEN_REQUESTS || open->kind == DT_OPEN_REQUESTS;
    for (guint i = 0; i < test->transfer_count; i++) {
        if (open->transfer_count == 0)
            open->transfers[open->transfer_count++] = test->transfers[i];
        else if (!merge_transfers(&open->transfers[0], &test->transfers[i]))
            open->transfers[0].peer = DT_PEER_UNKNOWN;
    }
    own->facts->is_partial |= test->kind == DT_OPEN_TRANSFER && test->transfer_count == 0;
    open->kind = asks_requests ? DT_OPEN_REQUESTS : DT_OPEN_TRANSFER;
    open->any = asks_requests;
}

static void find_tests(Case *own, DtBlockingCall *open)
{
    const GArray *tests = own->counts->tests;
    describe_open(own, own->counts->last_test, open);
    for (guint i = 0; i < tests->len; i++) {
        const guint32 id = g_array_index(tests, guint32, i);
        DtBlockingCall test = {.kind = DT_OPEN_NONE};
        if (id == own->counts->last_test)
            continue;
        describe_open(own, id, &test);
        add_test(own, &test, open);
    }
    if (tests->len == DT_MOST_TESTS)
        own->facts->is_partial = TRUE;
}

/* The innermost open call that waits; or, if the last thing done was to ask for a message or a request, that, and all
 * that it asked for in turn: also while the last question is open. */
static void find_open_call(Case *own)
{
    DtBlockingCall *open = &own->facts->open;
    const GArray *calls = own->counts->open;
    for (guint i = calls->len; i > 0 && open->kind == DT_OPEN_NONE; --i) {
        const guint32 id = g_array_index(calls, guint32, i - 1);
        if (!dt_role_asks(dt_role_of_id(own->roles, id)))
            describe_open(own, id, open);
    }
    if (open->kind == DT_OPEN_NONE && own->counts->last_test)
        find_tests(own, open);
}

static gboolean has_ended(const Case *own)
{
    const DtTrace *trace = own->facts->trace;
    return trace->returned || trace->process->end == DT_END_EXITED || own->counts->open->len == 0;
}

/* ---- how it ended --------------------------------------------------------------------------- */

static void add_ending(DtFacts *facts, const DtProcessStatus *process, gboolean moved)
{
    facts->status = process->status;
    facts->died = process->left_others && !facts->trace->returned;
    facts->cut_short = process->cut_short;
    facts->moved = moved;
    if (process->status == DT_STATUS_RUNNING && !moved && facts->trace->process->end != DT_END_RUNNING)
        facts->status = DT_STATUS_STUCK;
    if (facts->status == process->status)
        facts->end = g_strdup(process->text);
}

static const GArray **open_calls(const DtRun *run, const DtCounts *const *counts)
{
    const GArray **open = g_new0(const GArray *, (gsize)dt_run_trace_count(run) + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        open[t] = counts[t] ? counts[t]->open : NULL;
    return open;
}

/* ---- all traces ----------------------------------------------------------------------------- */

/* The windows of each process, by its index; NULL: it has none, or several of its threads made them. */
static GPtrArray **find_windows(const DtRun *run, const DtCounts *const *counts)
{
    const guint processes = dt_run_process_count(run);
    GPtrArray **windows = g_new0(GPtrArray *, (gsize)processes + 1);
    g_autofree guint *makers = g_new0(guint, (gsize)processes + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const guint process = dt_run_trace(run, t)->process->index;
        if (counts[t] && counts[t]->windows->len > 0)
            windows[process] = makers[process]++ == 0 ? counts[t]->windows : NULL;
    }
    return windows;
}

static void find_facts(Case *own)
{
    if (own->counts->locks->len > 0)
        g_array_append_vals(own->facts->locks, own->counts->locks->data, own->counts->locks->len);
    take_back_failures(own);
    add_wakers(own);
    add_collectives(own);
    add_calls(own);
    own->facts->ended = has_ended(own);
    find_open_call(own);
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
            add_members(members, communicator->key, communicator);
        }
    }
    return members;
}

DtMeaning *dt_meaning_new(const DtRun *run, const DtCallRoles *roles, const DtCounts *const *counts, const guint64 *to,
                          GError **error)
{
    g_autoptr(DtMeaning) meaning = g_new0(DtMeaning, 1);
    meaning->facts = g_ptr_array_new_with_free_func((GDestroyNotify)dt_facts_free);
    meaning->members = find_members(run);
    g_autofree GPtrArray **windows = find_windows(run, counts);
    g_autofree const GArray **open = open_calls(run, counts);
    g_autofree gboolean *moved = dt_moved_traces(run);
    DtProcessStatus *statuses = dt_process_statuses(run, open, moved);
    gboolean all_read = TRUE;
    for (guint t = 0; all_read && t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        g_autoptr(DtNotes) notes = counts[t] ? dt_notes_open(run, trace, error) : NULL;
        all_read = !counts[t] || notes;
        if (!notes)
            continue;
        DtFacts *facts = dt_facts_new(trace);
        g_ptr_array_add(meaning->facts, facts);
        add_ending(facts, &statuses[trace->process->index], moved[t]);
        Case own = {.roles = roles,
                    .run = run,
                    .counts = counts[t],
                    .windows = windows[trace->process->index],
                    .notes = notes,
                    .members = meaning->members,
                    .facts = facts,
                    .to = to ? to[t] : G_MAXUINT64};
        find_facts(&own);
    }
    dt_process_statuses_free(statuses, run);
    return all_read ? g_steal_pointer(&meaning) : NULL;
}

void dt_meaning_free(DtMeaning *meaning)
{
    if (!meaning)
        return;
    g_ptr_array_unref(meaning->facts);
    g_hash_table_unref(meaning->members);
    g_free(meaning);
}
