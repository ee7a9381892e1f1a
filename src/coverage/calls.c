/* What can go one way or another in calls of MPI and of locks: a family as those that find errors (checks/). */
#include "checks/checking.h"
#include "coverage/coverage.h"
#include "format/arguments.h"
#include "payload/call_messages.h"

#include <string.h>

enum { MOST_HOLDS = 1 << 22 };

/* A receive from anybody at a place of a rank. */
typedef struct {
    DtCoverageRow *row;
    const DtCommunicator *communicator;
    gint64 tag;
    gint rank;
} Wildcard;

/* Messages that were sent: once each of the same. */
typedef struct {
    guint64 communicator;
    gint64 tag;
    gint from, to;
} Sent;

typedef struct {
    Wildcard *wildcard; /* NULL: it is none */
    char *name;         /* "receive from 2" */
    gboolean persistent;
} Request;

/* A time that a thread held a lock. */
typedef struct {
    gint64 lock;
    const DtTrace *trace;
    guint64 begin, from, until; /* asked for, got, gave back; ns */
    DtCoverageRow *row;         /* NULL: whether it waited is not asked */
} Hold;

typedef struct {
    DtChecking *checking;
    DtCoverage *coverage;
    GHashTable *wildcards; /* "trace site function" -> Wildcard */
    GHashTable *sent;      /* set of Sent */
    GHashTable *requests;  /* of the thread: number -> Request */
    GArray *asked;         /* guint32: requests that the open call chooses from */
    GArray *holds;         /* Hold, of the process */
    GHashTable *held;      /* of the thread: lock -> index in holds + 1 */
    const DtProcess *process;
    guint64 untimed; /* locks that were taken without a time */
} Calls;

/* ---- tables --------------------------------------------------------------------------------------------- */

static guint hash_sent(gconstpointer data)
{
    const Sent *sent = data;
    guint64 hash = sent->communicator * 31 + (guint64)sent->tag;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)sent->from;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)sent->to;
    return (guint)(hash >> 32);
}

static gboolean equal_sent(gconstpointer a, gconstpointer b)
{
    const Sent *one = a, *other = b;
    return one->communicator == other->communicator && one->tag == other->tag && one->from == other->from &&
           one->to == other->to;
}

static void free_request(gpointer data)
{
    g_free(((Request *)data)->name);
    g_free(data);
}

static void calls_init(Calls *own, DtChecking *checking, DtCoverage *coverage)
{
    *own = (Calls){.checking = checking, .coverage = coverage};
    own->wildcards = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    own->sent = g_hash_table_new_full(hash_sent, equal_sent, g_free, NULL);
    own->requests = g_hash_table_new_full(NULL, NULL, NULL, free_request);
    own->asked = g_array_new(FALSE, FALSE, sizeof(guint32));
    own->holds = g_array_new(FALSE, FALSE, sizeof(Hold));
    own->held = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

static void calls_clear(Calls *own)
{
    g_hash_table_unref(own->wildcards);
    g_hash_table_unref(own->sent);
    g_hash_table_unref(own->requests);
    g_array_unref(own->asked);
    g_array_unref(own->holds);
    g_hash_table_unref(own->held);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Calls, calls_clear)

/* Where a call stands: its line, else the function around it. g_free(). */
static char *place_of(const Calls *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    char *source = dt_check_source(own->checking, trace->process, call->site, call->caller, call->function);
    if (source)
        return source;
    return g_strdup(call->caller ? dt_check_function_name(own->checking, call->caller) : "");
}

/* ---- receives from anybody --------------------------------------------------------------------------------- */

static Wildcard *wildcard_of(Calls *own, const DtCheckedTrace *trace, const DtCheckedCall *call, gint64 tag)
{
    g_autofree char *key =
        g_strdup_printf("%s %p %u %u %p %" G_GINT64_FORMAT, trace->process->label, (gconstpointer)call->site,
                        call->caller, call->function, (gconstpointer)call->communicator, tag);
    Wildcard *wildcard = g_hash_table_lookup(own->wildcards, key);
    if (wildcard)
        return wildcard;
    g_autofree char *place = place_of(own, trace, call);
    wildcard = g_new0(Wildcard, 1);
    *wildcard =
        (Wildcard){.row = dt_coverage_row(own->coverage, DT_COVERAGE_SENDER, place,
                                          dt_check_function_name(own->checking, call->function), trace->process->label),
                   .communicator = call->communicator,
                   .tag = tag,
                   .rank = trace->process->rank};
    g_hash_table_insert(own->wildcards, g_steal_pointer(&key), wildcard);
    return wildcard;
}

static void keep_sent(Calls *own, const DtCheckedTrace *trace, const DtCheckedCall *call, const DtCallMessage *message)
{
    const Sent sent = {call->communicator->key, message->tag, trace->process->rank, message->peer};
    if (!g_hash_table_contains(own->sent, &sent))
        g_hash_table_add(own->sent, g_memdup2(&sent, sizeof(sent)));
}

static void see_sender(Calls *own, const Wildcard *wildcard, gint64 source)
{
    const gint rank = dt_world_rank(wildcard->communicator, source);
    if (rank < 0)
        return;
    g_autofree char *name = g_strdup_printf("from %d", rank);
    dt_coverage_see(own->coverage, wildcard->row, name);
}

static void require_senders(Calls *own)
{
    GHashTableIter each, messages;
    gpointer value, key;
    g_hash_table_iter_init(&each, own->wildcards);
    while (g_hash_table_iter_next(&each, NULL, &value)) {
        const Wildcard *wildcard = value;
        g_hash_table_iter_init(&messages, own->sent);
        while (g_hash_table_iter_next(&messages, &key, NULL)) {
            const Sent *sent = key;
            if (sent->to != wildcard->rank || sent->communicator != wildcard->communicator->key ||
                (wildcard->tag != DT_NO_TAG && sent->tag != wildcard->tag))
                continue;
            g_autofree char *name = g_strdup_printf("from %d", sent->from);
            dt_coverage_require(wildcard->row, name);
        }
    }
}

/* ---- requests ---------------------------------------------------------------------------------------------- */

static char *name_request(const DtCallMessage *sent, const DtCallMessage *received)
{
    if (received->there)
        return received->peer >= 0 ? g_strdup_printf("receive from %d", received->peer) : g_strdup("receive from any");
    return sent->there ? g_strdup_printf("send to %d", sent->peer) : NULL;
}

static gboolean chooses(const DtCheckedCall *call)
{
    return dt_check_is(call, "Waitany") || dt_check_is(call, "Waitsome") || dt_check_is(call, "Testany") ||
           dt_check_is(call, "Testsome");
}

static const char *request_name(const Calls *own, guint32 number)
{
    const Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number));
    return request ? request->name : NULL;
}

/* A choice there is only between requests that are told apart. */
static gboolean is_choice(const Calls *own)
{
    const char *first = NULL;
    gboolean differ = FALSE;
    for (guint i = 0; i < own->asked->len; i++) {
        const char *name = request_name(own, g_array_index(own->asked, guint32, i));
        if (!name)
            return FALSE;
        differ |= first && !g_str_equal(first, name);
        first = name;
    }
    return differ;
}

static void see_completions(Calls *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    if (trace->completed_count == 0 || trace->completed_count >= own->asked->len || !is_choice(own))
        return;
    g_autofree char *place = place_of(own, trace, call);
    DtCoverageRow *row = dt_coverage_row(own->coverage, DT_COVERAGE_COMPLETION, place,
                                         dt_check_function_name(own->checking, call->function), trace->process->label);
    for (guint i = 0; i < own->asked->len; i++)
        dt_coverage_require(row, request_name(own, g_array_index(own->asked, guint32, i)));
    for (guint i = 0; i < trace->completed_count; i++) {
        const char *name = request_name(own, trace->completed[i]);
        if (name)
            dt_coverage_see(own->coverage, row, name);
    }
}

static void forget_completed(Calls *own, const DtCheckedTrace *trace)
{
    for (guint i = 0; i < trace->completed_count; i++) {
        gpointer number = GUINT_TO_POINTER(trace->completed[i]);
        const Request *request = g_hash_table_lookup(own->requests, number);
        if (request && !request->persistent)
            g_hash_table_remove(own->requests, number);
    }
}

/* ---- calls of MPI -------------------------------------------------------------------------------------------- */

static void enter_mpi(Calls *own, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    DtCallMessage sent = {0}, received = {0};
    if (chooses(call) && trace->knows_requests) {
        g_array_set_size(own->asked, 0);
        g_array_append_vals(own->asked, trace->named, trace->named_count);
        call->marks[DT_MARK_OTHER] = trace->named_count > 1;
    }
    if (!call->signature || !dt_check_has(call, DT_CALL_POINT_TO_POINT))
        return;
    dt_call_messages(call->row, call->signature, call->communicator, &sent, &received);
    if (sent.there && sent.peer >= 0 && call->communicator)
        keep_sent(own, trace, call, &sent);
    Wildcard *wildcard = received.there && received.peer == DT_ANY_RANK && call->communicator
                             ? wildcard_of(own, trace, call, received.tag)
                             : NULL;
    call->marks[DT_MARK_RECEIVE] = (guint64)GPOINTER_TO_SIZE(wildcard);
    if (!call->makes)
        return;
    Request *request = g_new0(Request, 1);
    *request = (Request){wildcard, name_request(&sent, &received), call->persistent};
    g_hash_table_replace(own->requests, GUINT_TO_POINTER(call->made), request);
}

/* ---- locks ----------------------------------------------------------------------------------------------------- */

static void take_lock(Calls *own, const DtCheckedTrace *trace, const DtCheckedCall *call, gint64 lock)
{
    const char *name = dt_check_function_name(own->checking, call->function);
    const gboolean tries = dt_check_has(call, DT_CALL_MAY_FAIL);
    if (!tries && call->end_ns == 0) {
        own->untimed++;
        return;
    }
    g_autofree char *place = place_of(own, trace, call);
    g_autofree char *node = g_strdup_printf("%s, lock %" G_GINT64_FORMAT, trace->process->label, lock);
    /* Those who read let each other in. */
    const gboolean asks = !strstr(name, "rdlock");
    DtCoverageRow *row = asks ? dt_coverage_row(own->coverage, DT_COVERAGE_LOCK, place, name, node) : NULL;
    if (tries && row) {
        dt_coverage_require(row, "taken");
        dt_coverage_require(row, "not taken");
        dt_coverage_see(own->coverage, row, call->lock_error ? "not taken" : "taken");
    }
    if (call->lock_error || call->end_ns == 0 || own->holds->len >= MOST_HOLDS)
        return;
    const Hold hold = {lock, trace->trace, call->begin_ns, call->end_ns, G_MAXUINT64, tries ? NULL : row};
    g_array_append_val(own->holds, hold);
    g_hash_table_replace(own->held, g_memdup2(&lock, sizeof(lock)), GUINT_TO_POINTER(own->holds->len));
}

static void give_lock(Calls *own, const DtCheckedCall *call, gint64 lock)
{
    const guint index = GPOINTER_TO_UINT(g_hash_table_lookup(own->held, &lock));
    if (index == 0)
        return;
    g_array_index(own->holds, Hold, index - 1).until = call->begin_ns ? call->begin_ns : call->end_ns;
    g_hash_table_remove(own->held, &lock);
}

static gint compare_holds(gconstpointer a, gconstpointer b)
{
    const Hold *one = a, *other = b;
    if (one->lock != other->lock)
        return one->lock < other->lock ? -1 : 1;
    return one->from < other->from ? -1 : one->from > other->from;
}

/* It waited if the one who had the lock before gave it back after it was asked for. */
static void end_process(Calls *own)
{
    g_array_sort(own->holds, compare_holds);
    for (guint i = 0; i < own->holds->len; i++) {
        const Hold *hold = &g_array_index(own->holds, Hold, i);
        const Hold *before = i > 0 ? hold - 1 : NULL;
        if (!hold->row)
            continue;
        const gboolean waited = before && before->lock == hold->lock && before->trace != hold->trace &&
                                before->until != G_MAXUINT64 && before->until > hold->begin;
        dt_coverage_require(hold->row, "held by another");
        dt_coverage_require(hold->row, "free");
        dt_coverage_see(own->coverage, hold->row, waited ? "held by another" : "free");
    }
    g_array_set_size(own->holds, 0);
}

/* ---- the family -------------------------------------------------------------------------------------------------- */

static void begin(gpointer family, const DtCheckedTrace *trace)
{
    Calls *own = family;
    if (trace->process != own->process)
        end_process(own);
    own->process = trace->process;
    g_hash_table_remove_all(own->requests);
    g_hash_table_remove_all(own->held);
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    if (call->of == DT_CALL_MPI && call->row)
        enter_mpi(family, trace, call);
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Calls *own = family;
    if (!call->row || call->of == DT_CALL_GO)
        return;
    if (call->of == DT_CALL_MPI) {
        if (call->marks[DT_MARK_OTHER] && chooses(call))
            see_completions(own, trace, call);
        forget_completed(own, trace);
        return;
    }
    const DtArgument *lock = call->signature ? dt_check_argument(call->signature, DT_ARGUMENT_LOCK) : NULL;
    if (!lock || lock->special != DT_SPECIAL_NONE)
        return;
    if (dt_check_has(call, DT_CALL_ACQUIRING))
        take_lock(own, trace, call, lock->value);
    else if (dt_check_has(call, DT_CALL_RELEASING))
        give_lock(own, call, lock->value);
}

static void got(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call, guint32 number, gint64 source,
                gint64 tag)
{
    Calls *own = family;
    (void)trace;
    (void)tag;
    const Request *request = number ? g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number)) : NULL;
    const Wildcard *wildcard = request ? request->wildcard
                               : call  ? GSIZE_TO_POINTER((gsize)call->marks[DT_MARK_RECEIVE])
                                       : NULL;
    if (wildcard)
        see_sender(own, wildcard, source);
}

gboolean dt_coverage_add_calls(DtCoverage *coverage, const DtRun *run, GError **error)
{
    static const DtCheckFamily family = {.begin = begin, .enter = enter, .leave = leave, .got = got};
    static const DtCheckFamily *const families[] = {&family};
    g_autoptr(DtChecking) checking = dt_checking_new(run, NULL);
    g_auto(Calls) own = {0};
    gpointer data[] = {&own};
    calls_init(&own, checking, coverage);
    if (!dt_checking_read(checking, families, data, G_N_ELEMENTS(families), error))
        return FALSE;
    end_process(&own);
    require_senders(&own);
    if (own.untimed > 0)
        g_ptr_array_add(coverage->silent,
                        g_strdup_printf("%s: whether locks were held by others is not known: it has no times of locks",
                                        ((const DtCoverageRun *)coverage->runs->pdata[coverage->runs->len - 1])->name));
    return TRUE;
}
