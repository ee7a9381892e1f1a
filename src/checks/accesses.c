/*
 * Accesses to windows of other ranks: whether both sides fit, whether they stay inside of the window, whether two of
 * them touch the same bytes between two fences, and the order in which targets are locked.
 */
#include "checks/checking.h"
#include "checks/types.h"
#include "format/arguments.h"
#include "payload/call_messages.h"

#include <string.h>

enum { NOT_KNOWN = -1, EXCLUSIVE = 1 };

/* The memory of a rank in a window. */
typedef struct {
    guint64 key; /* of the window */
    gint rank;   /* in the world */
    gint64 size, unit;
    DtKeptCall call; /* that made it */
} Memory;

/* Accesses of one place to one target with so many bytes. */
typedef struct {
    guint64 key;
    gint rank;                 /* of the target, in the world */
    gint64 bytes, first, last; /* displacements, the least and the greatest */
    DtKeptCall call;
} Reach;

typedef enum { READS, WRITES, UPDATES } Manner;

/* An access between two fences: of a derived datatype the first element. */
typedef struct {
    guint64 key, fences;
    gint rank;
    gint64 displacement, bytes;
    Manner manner;
    gint64 operation;
    DtKeptCall call;
} Touch;

/* A target was locked while another one was. */
typedef struct {
    guint64 first_key, second_key;
    gint first, second; /* ranks in the world */
    DtKeptCall took_first, took_second;
} Edge;

typedef struct {
    guint64 key;
    gint rank;
    gboolean is_exclusive;
    DtKeptCall call;
} Lock;

/* A window as the process that is being read uses it. */
typedef struct {
    guint64 key, fences;
    guint epochs; /* of locks and groups that are open */
} Window;

typedef struct {
    DtChecking *checking;
    GArray *memories;    /* Memory */
    GHashTable *reaches; /* Reach */
    GArray *touches;     /* Touch */
    GArray *edges;       /* Edge */
    GArray *locks;       /* Lock: that the process has */
    GArray *windows;     /* Window: of the process */
    guint of_process;    /* touches of it */
} Accesses;

/* ---- tables ---------------------------------------------------------------------------------- */

static guint hash_reach(gconstpointer data)
{
    const Reach *reach = data;
    guint64 hash = reach->key + (guint64)reach->rank * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    hash = (hash ^ (guint64)reach->bytes) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)(gsize)reach->call.site;
    return (guint)((hash * G_GUINT64_CONSTANT(0xff51afd7ed558ccd)) >> 32);
}

static gboolean equal_reaches(gconstpointer a, gconstpointer b)
{
    const Reach *one = a, *other = b;
    return one->key == other->key && one->rank == other->rank && one->bytes == other->bytes &&
           one->call.site == other->call.site && one->call.function == other->call.function &&
           one->call.trace->process == other->call.trace->process;
}

static gpointer start(DtChecking *checking)
{
    Accesses *own = g_new0(Accesses, 1);
    own->checking = checking;
    own->memories = g_array_new(FALSE, FALSE, sizeof(Memory));
    own->reaches = g_hash_table_new_full(hash_reach, equal_reaches, g_free, NULL);
    own->touches = g_array_new(FALSE, FALSE, sizeof(Touch));
    own->edges = g_array_new(FALSE, FALSE, sizeof(Edge));
    own->locks = g_array_new(FALSE, FALSE, sizeof(Lock));
    own->windows = g_array_new(FALSE, FALSE, sizeof(Window));
    return own;
}

static void stop(gpointer family)
{
    Accesses *own = family;
    g_array_unref(own->memories);
    g_hash_table_unref(own->reaches);
    g_array_unref(own->touches);
    g_array_unref(own->edges);
    g_array_unref(own->locks);
    g_array_unref(own->windows);
    g_free(own);
}

static Window *window_of(Accesses *own, guint64 key)
{
    for (guint i = own->windows->len; i-- > 0;)
        if (g_array_index(own->windows, Window, i).key == key)
            return &g_array_index(own->windows, Window, i);
    Window window = {.key = key};
    g_array_append_val(own->windows, window);
    return &g_array_index(own->windows, Window, own->windows->len - 1);
}

/* ---- what a call says ------------------------------------------------------------------------ */

static gint64 number_of(const DtCheckedCall *call, guint kind)
{
    const DtArgument *argument = dt_check_argument(call->signature, kind);
    return argument && argument->special == DT_SPECIAL_NONE ? argument->value : NOT_KNOWN;
}

/* In the world; NOT_KNOWN. */
static gint target_of(const DtCheckedCall *call, const DtCommunicator *communicator)
{
    const DtArgument *target = dt_check_argument(call->signature, DT_ARGUMENT_TARGET);
    if (!target || target->special != DT_SPECIAL_NONE || communicator->size <= 0)
        return NOT_KNOWN;
    const gint64 size = communicator->size;
    return dt_world_rank(communicator, ((communicator->rank + target->value) % size + size) % size);
}

/* TRUE if `manner` is that of a call whose target is described as its origin is. */
static gboolean is_access(const struct dt_call *row, Manner *manner)
{
    static const struct {
        const char *name;
        Manner manner;
    } calls[] = {{"Put", WRITES}, {"Rput", WRITES},        {"Get", READS},
                 {"Rget", READS}, {"Accumulate", UPDATES}, {"Raccumulate", UPDATES}};
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        if (g_str_equal(row->name, calls[i].name)) {
            *manner = calls[i].manner;
            return TRUE;
        }
    return FALSE;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void look_at_types(Accesses *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                          const DtCheckedData *origin, const DtCheckedData *target)
{
    const gint64 sent = dt_checked_bytes(origin), got = dt_checked_bytes(target);
    /* A datatype that is made of others has a multiple of their size. */
    const gboolean clash = (origin->datatype && origin->size > 0 && target->size % origin->size != 0) ||
                           dt_checked_types_match(origin, target) == DT_TYPES_CLASH;
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_RMA_TYPE, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (sent < 0 || got < 0 || (sent == got && !clash) || !dt_check_report(own->checking, &report, &finding))
        return;
    g_autofree char *here = dt_checked_data_text(origin), *there = dt_checked_data_text(target);
    dt_check_expect(finding, "as many elements of the same datatypes at the origin and at the target");
    dt_check_add_evidence(finding, "%s at the origin, %s at the target", here, there);
}

static void add_reach(Accesses *own, const DtCheckedTrace *trace, const DtCheckedCall *call, guint64 key, gint rank,
                      gint64 displacement, gint64 bytes)
{
    enum { MOST = 1 << 20 };
    Reach reach = {key, rank, bytes, displacement, displacement, dt_check_keep(trace, call)};
    Reach *known = g_hash_table_lookup(own->reaches, &reach);
    if (known) {
        known->first = MIN(known->first, displacement);
        known->last = MAX(known->last, displacement);
    } else if (g_hash_table_size(own->reaches) < MOST) {
        g_hash_table_add(own->reaches, g_memdup2(&reach, sizeof reach));
    }
}

static void add_touch(Accesses *own, const Touch *touch)
{
    enum { MOST = 1 << 14 };
    if (own->of_process >= MOST)
        return;
    g_array_append_val(own->touches, *touch);
    own->of_process++;
}

static void look_at_access(Accesses *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                           const DtCheckedObject *object, Manner manner)
{
    const DtCheckedData origin = dt_checked_data(dt_check_argument(call->signature, DT_ARGUMENT_DATA));
    const DtArgument *other = dt_check_argument(call->signature, DT_ARGUMENT_OTHER_DATA);
    const DtCheckedData target = other ? dt_checked_data(other) : origin;
    const DtArgument *place = dt_check_argument(call->signature, DT_ARGUMENT_DISPLACEMENT);
    const gint64 bytes = dt_checked_bytes(&target), displacement = place ? place->value : 0;
    const gint rank = target_of(call, object->communicator);
    const Window *window = window_of(own, object->key);
    if (other)
        look_at_types(own, trace, call, &origin, &target);
    if (rank < 0 || bytes <= 0 || !place || place->special != DT_SPECIAL_NONE)
        return;
    add_reach(own, trace, call, object->key, rank, displacement, bytes);
    /* How far elements of a derived datatype are from each other is not known, but where the first one is. */
    const Touch touch = {.key = object->key,
                         .fences = window->fences,
                         .rank = rank,
                         .displacement = displacement,
                         .bytes = target.datatype ? bytes : target.size,
                         .manner = manner,
                         .operation = number_of(call, DT_ARGUMENT_OPERATION),
                         .call = dt_check_keep(trace, call)};
    if (window->fences > 0 && window->epochs == 0 && target.datatype && displacement >= 0)
        add_touch(own, &touch);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void add_edges(Accesses *own, const Lock *lock)
{
    enum { MOST = 1 << 12 };
    for (guint i = 0; i < own->locks->len; i++) {
        const Lock *held = &g_array_index(own->locks, Lock, i);
        Edge edge = {held->key, lock->key, held->rank, lock->rank, held->call, lock->call};
        gboolean is_known = !held->is_exclusive || !lock->is_exclusive || own->edges->len >= MOST;
        for (guint k = own->edges->len; k-- > 0 && !is_known;) {
            const Edge *one = &g_array_index(own->edges, Edge, k);
            is_known = one->first == edge.first && one->second == edge.second && one->first_key == edge.first_key &&
                       one->second_key == edge.second_key &&
                       one->took_first.trace->process == edge.took_first.trace->process;
        }
        if (!is_known)
            g_array_append_val(own->edges, edge);
    }
}

static void pass_lock(Accesses *own, const DtCheckedTrace *trace, const DtCheckedCall *call,
                      const DtCheckedObject *object)
{
    Lock lock = {object->key, target_of(call, object->communicator),
                 number_of(call, DT_ARGUMENT_LOCK_TYPE) == EXCLUSIVE, dt_check_keep(trace, call)};
    if (lock.rank < 0)
        return;
    add_edges(own, &lock);
    g_array_append_val(own->locks, lock);
}

static void pass_unlock(Accesses *own, const DtCheckedCall *call, const DtCheckedObject *object)
{
    const gint rank = target_of(call, object->communicator);
    for (guint i = own->locks->len; i-- > 0;) {
        const Lock *lock = &g_array_index(own->locks, Lock, i);
        if (lock->key == object->key && lock->rank == rank) {
            g_array_remove_index(own->locks, i);
            return;
        }
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static const DtCheckedObject *window_of_call(const Accesses *own, const DtCheckedTrace *trace,
                                             const DtCheckedCall *call)
{
    if (call->of != DT_CALL_MPI || !dt_check_has(call, DT_CALL_ONE_SIDED) || !trace->is_complete ||
        own->checking->processes[trace->process->index].is_shared)
        return NULL;
    const DtCheckedObject *object = dt_checked_objects_of(trace->objects, call->signature);
    return object && object->key && !object->is_file ? object : NULL;
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Accesses *own = family;
    const DtCheckedObject *object = window_of_call(own, trace, call);
    Manner manner;
    if (object && is_access(call->row, &manner))
        look_at_access(own, trace, call, object, manner);
    else if (object && dt_check_is(call, "Win_lock"))
        pass_lock(own, trace, call, object);
}

static void add_memory(Accesses *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const DtCheckedObject *object = dt_checked_objects_last(trace->objects, FALSE);
    Memory memory = {.key = object ? object->key : 0,
                     .rank = trace->process->rank,
                     .size = number_of(call, DT_ARGUMENT_SIZE),
                     .unit = number_of(call, DT_ARGUMENT_UNIT),
                     .call = dt_check_keep(trace, call)};
    if (memory.key && memory.size >= 0 && memory.unit > 0)
        g_array_append_val(own->memories, memory);
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Accesses *own = family;
    if (call->of != DT_CALL_MPI || !call->row || call->failed)
        return;
    if (dt_call_has(call->row, DT_PARAMETER_WINDOW_MADE)) {
        add_memory(own, trace, call);
        return;
    }
    const DtCheckedObject *object = window_of_call(own, trace, call);
    Window *window = object ? window_of(own, object->key) : NULL;
    if (!window)
        return;
    if (dt_check_is(call, "Win_fence"))
        window->fences++;
    else if (dt_check_is(call, "Win_lock") || dt_check_is(call, "Win_lock_all") || dt_check_is(call, "Win_start"))
        window->epochs++;
    else if (dt_check_is(call, "Win_unlock") || dt_check_is(call, "Win_unlock_all") ||
             dt_check_is(call, "Win_complete"))
        window->epochs -= window->epochs > 0;
    if (dt_check_is(call, "Win_unlock"))
        pass_unlock(own, call, object);
}

static void end_process(gpointer family, const DtProcess *process, gboolean is_complete)
{
    Accesses *own = family;
    (void)process;
    (void)is_complete;
    g_array_set_size(own->windows, 0);
    g_array_set_size(own->locks, 0);
    own->of_process = 0;
}

/* ---- what is told ---------------------------------------------------------------------------- */

static gint compare_memories(gconstpointer a, gconstpointer b)
{
    const Memory *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

static const Memory *memory_of(const Accesses *own, guint64 key, gint rank)
{
    const Memory wanted = {.key = key, .rank = rank};
    guint index;
    return g_array_binary_search(own->memories, &wanted, compare_memories, &index)
               ? &g_array_index(own->memories, Memory, index)
               : NULL;
}

static void tell_range(Accesses *own, const Reach *reach, const Memory *memory)
{
    DtCheckFinding *finding;
    const gint64 displacement = reach->first < 0 ? reach->first : reach->last;
    if (!dt_check_report_kept(own->checking, DT_CHECK_RMA_RANGE, DT_CHECK_ERROR, &reach->call, NULL, &finding) &&
        (!finding || finding->evidence->len > 2)) /* MPI may have told of it already */
        return;
    g_autofree char *text = dt_kept_call_text(own->checking, &memory->call);
    dt_check_expect(finding, "displacements inside of the target's window, in its units");
    dt_check_add_evidence(finding,
                          "displacement %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes, %" G_GINT64_FORMAT
                          " bytes from there; the window of rank %d has %" G_GINT64_FORMAT " bytes: %s",
                          displacement, memory->unit, reach->bytes, reach->rank, memory->size, text);
}

static gint compare_reaches(gconstpointer a, gconstpointer b)
{
    const Reach *one = *(const Reach *const *)a, *other = *(const Reach *const *)b;
    if (one->call.trace->index != other->call.trace->index)
        return one->call.trace->index < other->call.trace->index ? -1 : 1;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->bytes < other->bytes ? -1 : one->bytes > other->bytes;
}

static void look_at_ranges(Accesses *own)
{
    g_autoptr(GPtrArray) reaches = g_ptr_array_new();
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, own->reaches);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        g_ptr_array_add(reaches, key);
    g_ptr_array_sort(reaches, compare_reaches);
    for (guint i = 0; i < reaches->len; i++) {
        const Reach *reach = reaches->pdata[i];
        const Memory *memory = memory_of(own, reach->key, reach->rank);
        if (!memory || (reach->first >= 0 && reach->last <= (memory->size - reach->bytes) / memory->unit &&
                        reach->bytes <= memory->size))
            continue;
        tell_range(own, reach, memory);
    }
}

static gint compare_touches(gconstpointer a, gconstpointer b)
{
    const Touch *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    if (one->fences != other->fences)
        return one->fences < other->fences ? -1 : 1;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->displacement < other->displacement ? -1 : one->displacement > other->displacement;
}

/* Accumulates of one origin are ordered (MPI 3.1, 11.7.2), unless an info key that is not recorded says otherwise. */
static gboolean are_ordered(const Touch *one, const Touch *other)
{
    return one->manner == UPDATES && other->manner == UPDATES && one->call.trace->process == other->call.trace->process;
}

static gboolean exclude_each_other(const Touch *one, const Touch *other)
{
    if ((one->manner == READS && other->manner == READS) || are_ordered(one, other))
        return FALSE;
    return !(one->manner == UPDATES && other->manner == UPDATES) ||
           (one->operation != other->operation && one->operation != DT_OPERATION_NO_OP &&
            other->operation != DT_OPERATION_NO_OP);
}

static void tell_conflict(Accesses *own, const Touch *one, const Touch *other)
{
    DtCheckFinding *finding;
    const gboolean turned = one->manner == READS;
    const DtKeptCall *call = turned ? &other->call : &one->call, *against = turned ? &one->call : &other->call;
    if (dt_check_report_kept(own->checking, DT_CHECK_RMA_CONFLICT, DT_CHECK_ERROR, call, NULL, &finding)) {
        g_autofree char *text = dt_kept_call_text(own->checking, against);
        dt_check_expect(finding, "a fence between them, or MPI_Accumulate with one operation");
        dt_check_add_evidence(
            finding, "ranks %d and %d access displacement %" G_GINT64_FORMAT " of rank %d between the same two fences",
            call->trace->process->rank, against->trace->process->rank, other->displacement, other->rank);
        dt_check_add_evidence(finding, "rank %d: %s", against->trace->process->rank, text);
    }
    if (finding)
        dt_check_add_trace(own->checking, finding, against->trace);
}

static void look_at_conflicts(Accesses *own)
{
    enum { MOST_NEIGHBOURS = 64 };
    g_array_sort(own->touches, compare_touches);
    for (guint i = 0; i < own->touches->len; i++) {
        const Touch *one = &g_array_index(own->touches, Touch, i);
        const Memory *memory = memory_of(own, one->key, one->rank);
        for (guint k = i + 1; memory && k < MIN(own->touches->len, i + MOST_NEIGHBOURS); k++) {
            const Touch *other = &g_array_index(own->touches, Touch, k);
            if (other->key != one->key || other->fences != one->fences || other->rank != one->rank ||
                (other->displacement - one->displacement) * memory->unit >= one->bytes)
                break;
            if (exclude_each_other(one, other))
                tell_conflict(own, one, other);
        }
    }
}

static void look_at_locks(Accesses *own)
{
    for (guint i = 0; i < own->edges->len; i++)
        for (guint k = i + 1; k < own->edges->len; k++) {
            const Edge *one = &g_array_index(own->edges, Edge, i), *other = &g_array_index(own->edges, Edge, k);
            DtCheckFinding *finding;
            if (one->took_first.trace->process == other->took_first.trace->process || one->first != other->second ||
                one->second != other->first || one->first_key != other->second_key ||
                one->second_key != other->first_key ||
                !dt_check_report_kept(own->checking, DT_CHECK_RMA_LOCK_ORDER, DT_CHECK_WARNING, &one->took_second, NULL,
                                      &finding))
                continue;
            g_autofree char *text = dt_kept_call_text(own->checking, &other->took_second);
            dt_check_expect(finding, "one order of targets on all ranks, or one lock at a time");
            dt_check_add_evidence(finding, "rank %d locks rank %d and then rank %d",
                                  one->took_first.trace->process->rank, one->first, one->second);
            dt_check_add_evidence(finding, "rank %d locks rank %d and then rank %d: %s",
                                  other->took_first.trace->process->rank, other->first, other->second, text);
            dt_check_add_trace(own->checking, finding, other->took_second.trace);
        }
}

static void finish(gpointer family)
{
    Accesses *own = family;
    g_array_sort(own->memories, compare_memories);
    look_at_ranges(own);
    look_at_conflicts(own);
    look_at_locks(own);
}

const DtCheckFamily dt_check_accesses = {
    .start = start, .enter = enter, .leave = leave, .end_process = end_process, .finish = finish, .stop = stop};
