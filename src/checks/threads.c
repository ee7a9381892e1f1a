/* Threads that call MPI: whether the thread level allows it, and whether two are in MPI at once. */
#include "checks/checking.h"
#include "format/arguments.h"

#include <string.h>

enum { SINGLE, FUNNELED, SERIALIZED, MULTIPLE, NO_LEVEL };

/* Of a call, when several threads call MPI and times are known. */
typedef struct {
    guint64 begin, end;
    DtKeptCall call;
    guint64 communicator; /* of a blocking collective call; 0: it is none */
} Span;

/* A part of a region of OpenMP that lies between two barriers of its team. */
typedef struct {
    guint32 body;
    guint64 visit, barriers; /* of the region, in it */
} Part;

typedef struct {
    Part part;
    DtKeptCall call; /* that a thread made there, without a lock */
} Inside;

typedef struct {
    DtChecking *checking;
    GHashTable *inside; /* Part -> Inside, of the process */
    GArray *pairs;      /* Inside: two behind each other, by threads of one part */
    Part part;          /* that the thread is in */
    guint locks;        /* that the thread holds */
    GArray *unlocked;   /* DtKeptCall: the first of each thread of pthread_create, and of the first thread */
    guint made, alive;  /* threads that the first one made; and that it has not joined yet */
    guint most_alive;   /* of these at the same time */
    gboolean is_unsure; /* tasks and the like, whose order is not that of barriers */
    const DtProcess *process;
    const DtTrace *init; /* the thread that initialised MPI */
    gint level;          /* provided; NO_LEVEL: not known */
    GArray *spans;       /* Span: of the calls of all threads of the process */
    GArray *others;      /* DtKeptCall: first calls of other threads than the first */
    gboolean was_told;   /* of this thread */
} Threads;

static guint hash_part(gconstpointer data)
{
    const Part *part = data;
    const guint64 hash =
        (part->body * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + part->visit) * G_GUINT64_CONSTANT(0xff51afd7ed558ccd) +
        part->barriers;
    return (guint)(hash ^ hash >> 32);
}

static gboolean equal_parts(gconstpointer a, gconstpointer b)
{
    const Part *one = a, *other = b;
    return one->body == other->body && one->visit == other->visit && one->barriers == other->barriers;
}

static gpointer start(DtChecking *checking)
{
    Threads *own = g_new0(Threads, 1);
    own->inside = g_hash_table_new_full(hash_part, equal_parts, NULL, g_free);
    own->pairs = g_array_new(FALSE, FALSE, sizeof(Inside));
    own->unlocked = g_array_new(FALSE, FALSE, sizeof(DtKeptCall));
    own->checking = checking;
    own->level = NO_LEVEL;
    own->spans = g_array_new(FALSE, FALSE, sizeof(Span));
    own->others = g_array_new(FALSE, FALSE, sizeof(DtKeptCall));
    return own;
}

static void stop(gpointer family)
{
    Threads *own = family;
    g_array_unref(own->spans);
    g_array_unref(own->others);
    g_hash_table_unref(own->inside);
    g_array_unref(own->pairs);
    g_array_unref(own->unlocked);
    g_free(own);
}

static const char *level_name(gint level)
{
    static const char *const names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                        "MPI_THREAD_MULTIPLE"};
    return names[level];
}

/* ---- the end of a process -------------------------------------------------------------------- */

static void tell_other_threads(Threads *own)
{
    for (guint i = 0; i < own->others->len; i++) {
        const DtKeptCall *call = &g_array_index(own->others, DtKeptCall, i);
        DtCheckFinding *finding;
        if (call->trace == own->init ||
            !dt_check_report_kept(own->checking, DT_CHECK_THREAD_MAIN, DT_CHECK_ERROR, call, NULL, &finding))
            continue;
        dt_check_expect(finding, "MPI calls by the thread that initialised MPI only, or MPI_Init_thread with a higher "
                                 "level");
        dt_check_add_evidence(finding, "thread %s makes this call, thread %s initialised MPI with %s",
                              call->trace->label, own->init->label, level_name(own->level));
    }
}

static gint compare_spans(gconstpointer a, gconstpointer b)
{
    const Span *one = a, *other = b;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

static void tell_overlap(Threads *own, const Span *one, const Span *other, gboolean collective)
{
    DtCheckFinding *finding;
    if (!dt_check_report_kept(own->checking, DT_CHECK_THREAD_OVERLAP, DT_CHECK_ERROR, &other->call, NULL, &finding))
        return;
    g_autofree char *text = dt_kept_call_text(own->checking, &one->call);
    dt_check_expect(finding, collective ? "one thread at a time in collective calls of a communicator"
                                        : "one thread at a time in MPI, or MPI_THREAD_MULTIPLE");
    dt_check_add_evidence(finding, "thread %s was in this call while thread %s was in %s", other->call.trace->label,
                          one->call.trace->label, text);
    if (own->level != NO_LEVEL)
        dt_check_add_evidence(finding, "the thread level is %s", level_name(own->level));
}

/* Times are off by a little: an overlap counts if it is most of the shorter call. */
static gboolean overlap(const Span *one, const Span *other)
{
    guint64 both = MIN(one->end, other->end), shorter = MIN(one->end - one->begin, other->end - other->begin);
    return other->begin < both && both - other->begin > 1000 && 2 * (both - other->begin) > shorter;
}

static void look_at_overlaps(Threads *own)
{
    g_array_sort(own->spans, compare_spans);
    const Span *last = NULL; /* of those before the one that ends last */
    for (guint i = 0; i < own->spans->len; i++) {
        const Span *span = &g_array_index(own->spans, Span, i);
        if (last && last->call.trace != span->call.trace && overlap(last, span)) {
            gboolean collective = span->communicator && span->communicator == last->communicator;
            if (own->level < MULTIPLE || collective)
                tell_overlap(own, last, span, collective);
        }
        if (!last || span->end > last->end)
            last = span;
    }
}

/* ---- calls between the same barriers --------------------------------------------------------- */

/* Semaphores are no calls that rules are told of. */
static gboolean has_semaphores(const Threads *own)
{
    for (guint32 i = 1; i <= dt_functions_count(own->checking->functions); i++)
        if (g_str_has_prefix(dt_functions_get(own->checking->functions, i)->name, "sem_"))
            return TRUE;
    return FALSE;
}

/* Of threads of pthread_create: two that were there at the same time, and nothing but luck keeps their calls apart. */
static void find_pair(Threads *own)
{
    const gboolean with_first =
        own->unlocked->len > 0 && g_array_index(own->unlocked, DtKeptCall, 0).trace == own->init;
    if (own->level != SERIALIZED || own->unlocked->len < 2 || own->is_unsure ||
        own->made + 1 != own->checking->processes[own->process->index].threads ||
        (!with_first && own->most_alive < 2) || has_semaphores(own))
        return;
    for (guint i = 0; i < 2; i++) {
        const Inside inside = {.call = g_array_index(own->unlocked, DtKeptCall, i)};
        g_array_append_val(own->pairs, inside);
    }
}

static void tell_pairs(Threads *own)
{
    find_pair(own);
    for (guint i = 0; i + 1 < own->pairs->len && !own->is_unsure && own->level == SERIALIZED; i += 2) {
        const Inside *one = &g_array_index(own->pairs, Inside, i), *other = &g_array_index(own->pairs, Inside, i + 1);
        DtCheckFinding *finding;
        if (!dt_check_report_kept(own->checking, DT_CHECK_THREAD_OVERLAP, DT_CHECK_WARNING, &other->call, NULL,
                                  &finding))
            continue;
        g_autofree char *text = dt_kept_call_text(own->checking, &one->call);
        dt_check_expect(finding, "a critical section around the call, or MPI_THREAD_MULTIPLE");
        dt_check_add_evidence(finding,
                              "thread %s and thread %s make calls of MPI, with no lock and no barrier between: %s",
                              one->call.trace->label, other->call.trace->label, text);
        dt_check_add_evidence(finding, "the thread level is %s", level_name(own->level));
    }
    g_array_set_size(own->pairs, 0);
    g_hash_table_remove_all(own->inside);
}

static void find_part(Threads *own, const DtCheckedTrace *trace)
{
    const guint64 *visit = trace->body ? g_hash_table_lookup(trace->bodies, GUINT_TO_POINTER(trace->body)) : NULL;
    const Part part = {.body = visit ? trace->body : 0, .visit = visit ? *visit : 0};
    if (own->part.body != part.body || own->part.visit != part.visit)
        own->part = part;
}

static void add_inside(Threads *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    enum { MOST = 1 << 16, MOST_PAIRS = 512 };
    if (own->level != SERIALIZED || own->locks > 0 || !trace->is_complete)
        return;
    if (own->part.body == 0) {
        const DtKeptCall kept = dt_check_keep(trace, call);
        const guint known = own->unlocked->len;
        if ((trace->trace != own->init || own->alive > 0) &&
            (known == 0 || g_array_index(own->unlocked, DtKeptCall, known - 1).trace != trace->trace))
            g_array_append_val(own->unlocked, kept);
        return;
    }
    const Inside *known = g_hash_table_lookup(own->inside, &own->part);
    Inside here = {own->part, dt_check_keep(trace, call)};
    if (!known && g_hash_table_size(own->inside) < MOST) {
        Inside *added = g_memdup2(&here, sizeof here);
        g_hash_table_insert(own->inside, &added->part, added);
    } else if (known && known->call.trace != trace->trace && own->pairs->len < MOST_PAIRS) {
        g_array_append_val(own->pairs, *known);
        g_array_append_val(own->pairs, here);
    }
}

static gboolean is_barrier(const char *name)
{
    return g_str_equal(name, "GOMP_barrier") || g_str_equal(name, "__kmpc_barrier") ||
           g_str_equal(name, "GOMP_loop_end") || g_str_equal(name, "GOMP_sections_end");
}

static void pass_thread(Threads *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const char *name = call->row->name;
    own->is_unsure |= g_str_has_prefix(name, "pthread_cond_") || g_str_has_prefix(name, "pthread_barrier_") ||
                      g_str_equal(name, "pthread_detach");
    if (trace->trace->thread != 0 || trace->depth > 1)
        return;
    if (g_str_equal(name, "pthread_create") && !call->lock_error) {
        own->made++;
        own->alive++;
        own->most_alive = MAX(own->most_alive, own->alive);
    } else if (g_str_equal(name, "pthread_join")) {
        own->alive -= own->alive > 0 ? 1 : 0;
    }
}

static void pass_lock(Threads *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const char *name = call->row->name;
    if (call->of == DT_CALL_PTHREAD)
        pass_thread(own, trace, call);
    find_part(own, trace);
    own->is_unsure |=
        strstr(name, "task") || strstr(name, "ordered") || strstr(name, "doacross") || strstr(name, "cancel");
    if (dt_check_has(call, DT_CALL_ACQUIRING) && !call->lock_error)
        own->locks++;
    else if (dt_check_has(call, DT_CALL_RELEASING) && own->locks > 0)
        own->locks--;
    own->part.barriers += is_barrier(name) ? 1 : 0;
}

static void end_process(Threads *own)
{
    if (own->init)
        tell_pairs(own);
    g_array_set_size(own->unlocked, 0);
    own->made = own->alive = own->most_alive = 0;
    own->is_unsure = FALSE;
    if (own->init && own->level <= FUNNELED)
        tell_other_threads(own);
    if (own->init && own->level > FUNNELED && own->level != NO_LEVEL && own->others->len > 0)
        look_at_overlaps(own);
    g_array_set_size(own->spans, 0);
    g_array_set_size(own->others, 0);
    own->init = NULL;
    own->level = NO_LEVEL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void begin(gpointer family, const DtCheckedTrace *trace)
{
    Threads *own = family;
    if (own->process != trace->process)
        end_process(own);
    own->process = trace->process;
    own->was_told = FALSE;
    own->locks = 0;
    own->part = (Part){0};
}

/* What any thread may ask. */
static gboolean is_harmless(const DtCheckedCall *call)
{
    static const char *const names[] = {"Initialized", "Finalized",           "Query_thread", "Is_thread_main",
                                        "Get_version", "Get_library_version", "Wtime",        "Wtick"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (dt_check_is(call, names[i]))
            return TRUE;
    return g_str_has_prefix(call->row->name, "T_");
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Threads *own = family;
    if (call->of == DT_CALL_MPI && call->row && !is_harmless(call)) {
        find_part(own, trace);
        add_inside(own, trace, call);
    }
    if (call->of != DT_CALL_MPI || !call->row || own->was_told || trace->trace == own->init || is_harmless(call) ||
        dt_check_is(call, "Init") || dt_check_is(call, "Init_thread"))
        return;
    DtKeptCall kept = dt_check_keep(trace, call);
    g_array_append_val(own->others, kept);
    own->was_told = TRUE;
}

static void take_level(Threads *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const DtArgument *required = dt_check_argument(call->signature, DT_ARGUMENT_THREAD_LEVEL);
    const guint64 told = call->marks[DT_MARK_OTHER]; /* the level provided + 1, if it is another one */
    own->init = trace->trace;
    own->level = dt_check_is(call, "Init") ? SINGLE : NO_LEVEL;
    if (!required || required->special != DT_SPECIAL_NONE || required->value < SINGLE || required->value > MULTIPLE)
        return;
    own->level = told > 0 && told <= MULTIPLE + 1 ? (gint)told - 1 : (gint)required->value;
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_THREAD_LEVEL, DT_CHECK_WARNING, trace->trace, call, NULL};
    if (own->level >= required->value || !dt_check_report(own->checking, &report, &finding))
        return;
    dt_check_expect(finding, "look at what MPI_Init_thread provides, and do with that");
    dt_check_add_evidence(finding, "%s was asked for, %s is provided", level_name((gint)required->value),
                          level_name(own->level));
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    enum { MOST = 1 << 22 };
    Threads *own = family;
    if (call->of != DT_CALL_MPI && call->row)
        pass_lock(own, trace, call);
    if (call->of != DT_CALL_MPI || !call->row || call->failed)
        return;
    if (dt_check_is(call, "Init") || dt_check_is(call, "Init_thread")) {
        take_level(own, trace, call);
        return;
    }
    if (call->begin_ns == 0 || call->end_ns <= call->begin_ns || trace->process->traces < 2 || is_harmless(call) ||
        own->level <= FUNNELED || own->spans->len >= MOST)
        return;
    const guint32 wanted = DT_CALL_COLLECTIVE | DT_CALL_BLOCKING;
    gboolean collective = (call->row->properties & wanted) == wanted && call->communicator;
    Span span = {call->begin_ns, call->end_ns, dt_check_keep(trace, call), collective ? call->communicator->key : 0};
    g_array_append_val(own->spans, span);
}

static void finish(gpointer family)
{
    end_process(family);
}

const DtCheckFamily dt_check_threads = {
    .start = start, .begin = begin, .enter = enter, .leave = leave, .finish = finish, .stop = stop};
