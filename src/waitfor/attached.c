#include "waitfor/attached.h"

#include <string.h>

#include "waitfor/calls.h"
#include "waitfor/facts.h"

struct DtAttachedWaits {
    const DtAttachedJob *job;
    GPtrArray *facts; /* (element-type DtFacts) */
    GPtrArray *ended; /* (element-type Ended) of ranks that are not there any more */
    DtMembers *members;
    GPtrArray *unknown; /* lines */
    DtWaitFor *graph;
};

/* A rank that has ended, as a trace of a process. */
typedef struct {
    DtProcess process;
    DtTrace trace;
} Ended;

/* Keys of communicators: of others than these two nothing is known but that there are such. */
enum { WORLD = DT_COMMUNICATOR_OF_NOW, SELF_OF_FIRST_RANK };

typedef struct {
    DtAttachedWaits *waits;
    const DtAttachedProcess *process;
    const DtAttachedThread *thread;
    DtFacts *facts;
    GHashTable *locks; /* of the process: address -> number, from 1 on */

} Reading;

static void free_ended(gpointer data)
{
    Ended *ended = data;
    g_free((char *)ended->process.label);
    g_free((char *)ended->trace.label);
    g_free(ended);
}

static void add_unknown(DtAttachedWaits *waits, const char *line)
{
    if (!g_ptr_array_find_with_equal_func(waits->unknown, line, g_str_equal, NULL))
        g_ptr_array_add(waits->unknown, g_strdup(line));
}

/* ---- arguments ------------------------------------------------------------------------------------------ */

/* 0: not known, or one of the program's own. */
static guint64 communicator_of(const Reading *reading, const DtPassed *passed)
{
    for (guint i = 0; passed && i < DT_CALL_MOST_PARAMETERS && passed->call->parameters[i] != DT_PARAMETER_NONE; i++) {
        if (passed->call->parameters[i] != DT_PARAMETER_COMM || !passed->names[i])
            continue;
        return strcmp(passed->names[i], "MPI_COMM_WORLD") == 0
                   ? WORLD
                   : SELF_OF_FIRST_RANK + (guint64)MAX(reading->process->process.rank, 0);
    }
    return 0;
}

static gint peer_of(const Reading *reading, const DtPassed *passed, guint number, guint64 communicator)
{
    switch (dt_passed_peer(passed, number)) {
    case DT_PEER_IS_ANY:
        return DT_PEER_ANY;
    case DT_PEER_IS_RANK:
        if (communicator == WORLD)
            return (gint)passed->values[number];
        return communicator != 0 ? reading->process->process.rank : DT_PEER_UNKNOWN;
    case DT_PEER_IS_NONE:
    case DT_PEER_IS_UNKNOWN:
        break;
    }
    return DT_PEER_UNKNOWN;
}

/* Of the parameter behind a peer's. */
static gint64 tag_of(const DtPassed *passed, guint peer)
{
    guint number = peer + 1;
    gboolean is_tag = number < DT_CALL_MOST_PARAMETERS && passed->call->parameters[number] == DT_PARAMETER_TAG;
    if (!is_tag || !passed->known[number])
        return DT_TAG_UNKNOWN;
    return passed->values[number] < 0 ? DT_TAG_ANY : passed->values[number];
}

static void add_transfers(const Reading *reading, const DtPassed *passed)
{
    DtBlockingCall *open = &reading->facts->open;
    guint64 communicator = communicator_of(reading, passed);
    for (guint i = 0; passed && i < DT_CALL_MOST_PARAMETERS && open->transfer_count < G_N_ELEMENTS(open->transfers);
         i++) {
        guint8 kind = passed->call->parameters[i];
        if ((kind != DT_PARAMETER_DESTINATION && kind != DT_PARAMETER_SOURCE) ||
            dt_passed_peer(passed, i) == DT_PEER_IS_NONE)
            continue;
        open->transfers[open->transfer_count++] = (DtTransfer){.communicator = communicator,
                                                               .peer = peer_of(reading, passed, i, communicator),
                                                               .tag = tag_of(passed, i),
                                                               .send = kind == DT_PARAMETER_DESTINATION,
                                                               .calls = 1};
    }
    if (open->transfer_count > 0 && !open->probes)
        g_array_append_vals(reading->facts->transfers, open->transfers, open->transfer_count);
}

static gint64 value_of(const DtPassed *passed, guint8 kind)
{
    for (guint i = 0; passed && i < DT_CALL_MOST_PARAMETERS; i++)
        if (passed->call->parameters[i] == kind && passed->known[i])
            return passed->values[i];
    return DT_NOT_TOLD;
}

/* -1: not known. */
static gint64 bytes_of(const DtPassed *passed)
{
    for (guint i = 0; passed && i + 1 < DT_CALL_MOST_PARAMETERS; i++)
        if (passed->call->parameters[i] == DT_PARAMETER_COUNT && passed->known[i] && passed->known[i + 1] &&
            passed->sizes[i + 1] > 0)
            return passed->values[i] * passed->sizes[i + 1];
    return DT_NOT_TOLD;
}

/* Predefined ones compare by their places in MPI's library only where all ranks have the same; names do. */
static gint32 operation_of(const DtPassed *passed)
{
    for (guint i = 0; passed && i < DT_CALL_MOST_PARAMETERS; i++)
        if (passed->call->parameters[i] == DT_PARAMETER_OPERATION && passed->names[i])
            return dt_passed_operation(passed->names[i]);
    return DT_NOT_TOLD;
}

static void describe_collective(const Reading *reading, const DtAttachedFrame *frame, const char *name)
{
    DtFacts *facts = reading->facts;
    guint64 communicator = communicator_of(reading, frame->passed);
    facts->open.kind = communicator != 0 ? DT_OPEN_COLLECTIVE : DT_OPEN_OTHER;
    if (communicator == 0) {
        add_unknown(reading->waits, "communicators of the program's own: their ranks are not known from outside");
        return;
    }
    facts->open.communicator = communicator;
    facts->open.collective =
        (DtCollectiveCall){.function = frame->function,
                           .root = (gint32)value_of(frame->passed, DT_PARAMETER_ROOT),
                           .operation = operation_of(frame->passed),
                           .bytes = dt_has_equal_counts(name) ? bytes_of(frame->passed) : DT_NOT_TOLD};
    DtCollectives own = dt_collectives_new(communicator);
    dt_collectives_add(&own, &facts->open.collective);
    g_array_append_val(facts->collectives, own);
    add_unknown(reading->waits, "how many collective calls were made before: equal calls count as the same one");
}

/* ---- locks and threads ------------------------------------------------------------------------------------ */

static gint64 lock_number(const Reading *reading, gint64 address)
{
    gpointer known = g_hash_table_lookup(reading->locks, &address);
    if (!known) {
        known = GUINT_TO_POINTER(g_hash_table_size(reading->locks) + 1);
        g_hash_table_insert(reading->locks, g_memdup2(&address, sizeof address), known);
    }
    return GPOINTER_TO_UINT(known);
}

static DtFacts *facts_of_thread(const Reading *reading, gint64 tid)
{
    for (guint i = 0; i < reading->waits->facts->len; i++) {
        DtFacts *facts = reading->waits->facts->pdata[i];
        if (facts->trace->process != &reading->process->process)
            continue;
        for (guint k = 0; k < reading->process->threads->len; k++) {
            const DtAttachedThread *thread = reading->process->threads->pdata[k];
            if (&thread->trace == facts->trace && thread->tid == tid)
                return facts;
        }
    }
    return NULL;
}

static void describe_lock(const Reading *reading, const DtPassed *passed)
{
    DtBlockingCall *open = &reading->facts->open;
    open->kind = passed && passed->known[0] ? DT_OPEN_LOCK : DT_OPEN_OTHER;
    if (open->kind == DT_OPEN_OTHER)
        return;
    open->lock = lock_number(reading, passed->values[0]);
    DtFacts *owner = passed->owner != 0 ? facts_of_thread(reading, passed->owner) : NULL;
    DtLockUse use = {open->lock, 1};
    if (owner)
        g_array_append_val(owner->locks, use);
    else
        add_unknown(reading->waits, "who holds locks that are no mutexes of pthreads");
}

static void describe_other(const Reading *reading, const DtPassed *passed)
{
    DtBlockingCall *open = &reading->facts->open;
    const DtFacts *joined = passed && passed->owner != 0 ? facts_of_thread(reading, passed->owner) : NULL;
    open->kind = joined ? DT_OPEN_JOIN : DT_OPEN_OTHER;
    open->joined = joined ? joined->trace : NULL;
}

/* ---- the open call -------------------------------------------------------------------------------------------- */

static void describe(const Reading *reading, const DtAttachedFrame *frame)
{
    DtBlockingCall *open = &reading->facts->open;
    const char *name = dt_functions_get(reading->waits->job->functions, frame->function)->name;
    const DtRole role = dt_role_of(name);
    if (role == DT_ROLE_NONE || role == DT_ROLE_POSTED || role == DT_ROLE_RELEASE)
        return;
    open->call = name;
    switch (role) {
    case DT_ROLE_TEST: /* these return at once */
    case DT_ROLE_TEST_PROBE:
        break;
    case DT_ROLE_MESSAGE:
    case DT_ROLE_PROBE:
        open->kind = DT_OPEN_TRANSFER;
        open->probes = role != DT_ROLE_MESSAGE;
        add_transfers(reading, frame->passed);
        break;
    case DT_ROLE_REQUESTS:
    case DT_ROLE_ANY:
        open->kind = DT_OPEN_REQUESTS;
        open->any = role == DT_ROLE_ANY;
        open->communicator = WORLD;
        add_unknown(reading->waits, "what the requests are that MPI_Wait and its kin wait for: any rank may be meant");
        break;
    case DT_ROLE_COLLECTIVE:
    case DT_ROLE_WINDOW_MADE:
        describe_collective(reading, frame, name);
        break;
    case DT_ROLE_FINALIZE:
        open->kind = DT_OPEN_FINALIZE;
        reading->facts->finalizes = TRUE;
        break;
    case DT_ROLE_ACQUIRE:
        describe_lock(reading, frame->passed);
        break;
    default:
        describe_other(reading, frame->passed);
        break;
    }
}

static void set_unknown(DtFacts *facts, const char *why)
{
    facts->is_unknown = TRUE;
    g_free(facts->end);
    facts->end = g_strdup(why);
}

/* Who cannot move, or whose stack is not known, may be about to leave its call. */
static void describe_motion(const DtAttachedJob *job, const DtAttachedThread *thread, DtFacts *facts)
{
    const gboolean waits = facts->open.kind != DT_OPEN_NONE;
    facts->moved = thread->motion == DT_MOTION_MOVED;
    if (facts->moved)
        facts->end = g_strdup("moved between the looks");
    facts->is_still = thread->motion == DT_MOTION_NONE;
    if (thread->state == 'T')
        set_unknown(facts, "is stopped by a signal");
    else if (thread->problem && !waits)
        set_unknown(facts, thread->problem);
    else if (job->looks > 1 && waits && thread->return_address != 0 && thread->motion == DT_MOTION_UNKNOWN)
        set_unknown(facts, "had too little of a processor to go on");
}

/* The innermost call that waits, of those that the program made itself. */
static void read_thread(Reading *reading)
{
    const GArray *frames = reading->thread->frames;
    for (guint i = frames->len; i-- > 0 && reading->facts->open.kind == DT_OPEN_NONE;) {
        const DtAttachedFrame *frame = &g_array_index(frames, DtAttachedFrame, i);
        if (!frame->is_hidden)
            describe(reading, frame);
    }
    describe_motion(reading->waits->job, reading->thread, reading->facts);
}

/* ---- processes ----------------------------------------------------------------------------------------------------
 */

static DtFacts *add_facts(DtAttachedWaits *waits, const DtTrace *trace)
{
    DtFacts *facts = dt_facts_new(trace);
    facts->is_of_now = facts->is_partial = TRUE;
    g_ptr_array_add(waits->facts, facts);
    return facts;
}

/* Facts of all threads are there before one of them is said to wait for another. */
static void read_process(DtAttachedWaits *waits, const DtAttachedProcess *process)
{
    Reading reading = {
        .waits = waits, .process = process, .locks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
    guint first = waits->facts->len;
    for (guint i = 0; i < process->threads->len; i++) {
        const DtAttachedThread *thread = process->threads->pdata[i];
        if (!thread->trace.library)
            add_facts(waits, &thread->trace)->status = DT_STATUS_RUNNING;
    }
    for (guint i = 0, at = first; i < process->threads->len; i++) {
        reading.thread = process->threads->pdata[i];
        if (reading.thread->trace.library)
            continue;
        reading.facts = waits->facts->pdata[at++];
        read_thread(&reading);
    }
    g_hash_table_unref(reading.locks);
}

static DtFacts *add_rank(DtAttachedWaits *waits, gint rank, const char *label)
{
    Ended *ended = g_new0(Ended, 1);
    ended->process = (DtProcess){.label = g_strdup(label), .rank = rank, .end = DT_END_EXITED};
    ended->trace = (DtTrace){.label = g_strdup_printf("%s.0", label), .process = &ended->process, .name = ""};
    g_ptr_array_add(waits->ended, ended);
    return add_facts(waits, &ended->trace);
}

static void add_ended(DtAttachedWaits *waits, gint rank, const char *label)
{
    DtFacts *facts = add_rank(waits, rank, label);
    facts->ended = facts->died = TRUE;
    facts->status = DT_STATUS_EXITED;
    facts->end = g_strdup("has ended");
}

static void add_unseen(DtAttachedWaits *waits, gint rank, const char *label, const char *why)
{
    DtFacts *facts = add_rank(waits, rank, label);
    facts->status = DT_STATUS_MISSING;
    set_unknown(facts, why);
}

/* Ranks that are not there: they have ended if all were started here. */
static void add_missing(DtAttachedWaits *waits, gint ranks, gboolean all_are_here)
{
    for (gint rank = 0; rank < ranks; rank++) {
        gboolean is_there = FALSE;
        for (guint i = 0; !is_there && i < waits->facts->len; i++)
            is_there = ((const DtFacts *)waits->facts->pdata[i])->trace->process->rank == rank;
        g_autofree char *label = g_strdup_printf("%d", rank);
        if (!is_there && all_are_here)
            add_ended(waits, rank, label);
        else if (!is_there)
            add_unseen(waits, rank, label, "is not among the processes here");
    }
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

static DtMembers *members_of(gint ranks)
{
    DtMembers *members = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, unref_array);
    guint64 key = WORLD;
    GArray *all = g_array_new(FALSE, FALSE, sizeof(gint));
    for (gint rank = 0; rank < ranks; rank++) {
        guint64 self = SELF_OF_FIRST_RANK + (guint64)rank;
        GArray *alone = g_array_new(FALSE, FALSE, sizeof(gint));
        g_array_append_val(alone, rank);
        g_array_append_val(all, rank);
        g_hash_table_insert(members, g_memdup2(&self, sizeof self), alone);
    }
    g_hash_table_insert(members, g_memdup2(&key, sizeof key), all);
    return members;
}

DtAttachedWaits *dt_attached_waits_new(const DtAttachedJob *job)
{
    DtAttachedWaits *waits = g_new0(DtAttachedWaits, 1);
    gint ranks = 0;
    waits->job = job;
    waits->facts = g_ptr_array_new_with_free_func((GDestroyNotify)dt_facts_free);
    waits->ended = g_ptr_array_new_with_free_func(free_ended);
    waits->unknown = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < job->processes->len; i++) {
        const DtAttachedProcess *process = job->processes->pdata[i];
        ranks = MAX(ranks, MAX(process->process.world_size, process->process.rank + 1));
        if (process->has_ended && process->process.rank >= 0)
            add_ended(waits, process->process.rank, process->process.label);
        else if (process->is_seen)
            read_process(waits, process);
        else if (process->process.rank >= 0)
            add_unseen(waits, process->process.rank, process->process.label,
                       process->problem ? process->problem : "cannot be looked at");
    }
    add_missing(waits, ranks, job->is_whole);
    waits->members = members_of(ranks);
    waits->graph = dt_wait_for_of_facts(waits->facts, waits->members, job->functions);
    waits->graph->looks = job->looks;
    waits->graph->seconds = (double)job->watched_us / G_USEC_PER_SEC;
    return waits;
}

void dt_attached_waits_free(DtAttachedWaits *waits)
{
    if (!waits)
        return;
    dt_wait_for_free(waits->graph);
    g_hash_table_unref(waits->members);
    g_ptr_array_unref(waits->facts);
    g_ptr_array_unref(waits->ended);
    g_ptr_array_unref(waits->unknown);
    g_free(waits);
}

const DtWaitFor *dt_attached_waits_graph(const DtAttachedWaits *waits)
{
    return waits->graph;
}

const GPtrArray *dt_attached_waits_unknown(const DtAttachedWaits *waits)
{
    return waits->unknown;
}
