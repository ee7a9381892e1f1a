/* Groups that several processes have to name alike: those that communicators are made of, and the origins and targets
 * of access epochs that are posted and started. */
#include "checks/checking.h"
#include "format/arguments.h"

/* A member's call of MPI_Comm_create. */
typedef struct {
    guint64 key; /* of the communicator that it is made from */
    guint nth;   /* of those that are made from it so */
    const DtCommunicator *communicator;
    const DtNumbers *group; /* ranks in the world; NULL: not known */
    DtKeptCall call;
} Creation;

/* How often a target exposes a window to an origin, and how often that one starts to access it. */
typedef struct {
    guint64 key;         /* of the window */
    gint target, origin; /* ranks in the world */
    guint64 posted, started;
    DtKeptCall post, start; /* the last ones */
} Pair;

/* A rank that will not begin any epoch of the window any more. */
typedef struct {
    guint64 key;
    gint rank;
} Freeing;

typedef struct {
    DtChecking *checking;
    GArray *creations;  /* Creation */
    GHashTable *made;   /* of the process: DtCommunicator -> how many were made from it so */
    GHashTable *pairs;  /* Pair */
    GHashTable *unsure; /* keys of windows of which something is not known */
    GArray *freeing;    /* Freeing */
} Groups;

static guint hash_pair(gconstpointer data)
{
    const Pair *pair = data;
    guint64 hash = pair->key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)pair->target;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)pair->origin;
    return (guint)(hash >> 32);
}

static gboolean equal_pairs(gconstpointer a, gconstpointer b)
{
    const Pair *one = a, *other = b;
    return one->key == other->key && one->target == other->target && one->origin == other->origin;
}

static gpointer start(DtChecking *checking)
{
    Groups *own = g_new0(Groups, 1);
    own->checking = checking;
    own->creations = g_array_new(FALSE, FALSE, sizeof(Creation));
    own->made = g_hash_table_new(NULL, NULL);
    own->pairs = g_hash_table_new_full(hash_pair, equal_pairs, g_free, NULL);
    own->unsure = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    own->freeing = g_array_new(FALSE, FALSE, sizeof(Freeing));
    return own;
}

static void stop(gpointer family)
{
    Groups *own = family;
    g_array_unref(own->creations);
    g_hash_table_unref(own->made);
    g_hash_table_unref(own->pairs);
    g_hash_table_unref(own->unsure);
    g_array_unref(own->freeing);
    g_free(own);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void add_creation(Groups *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    gpointer of = (gpointer)call->communicator;
    const guint nth = GPOINTER_TO_UINT(g_hash_table_lookup(own->made, of)) + 1;
    const DtArgument *group = dt_check_argument(call->signature, DT_ARGUMENT_GROUP);
    g_hash_table_insert(own->made, of, GUINT_TO_POINTER(nth));
    Creation creation = {call->communicator->key, nth, call->communicator, group ? group->numbers : NULL,
                         dt_check_keep(trace, call)};
    g_array_append_val(own->creations, creation);
}

static Pair *pair_of(Groups *own, guint64 key, gint target, gint origin)
{
    const Pair wanted = {.key = key, .target = target, .origin = origin};
    Pair *pair = g_hash_table_lookup(own->pairs, &wanted);
    if (!pair) {
        pair = g_memdup2(&wanted, sizeof wanted);
        g_hash_table_add(own->pairs, pair);
    }
    return pair;
}

static void add_epoch(Groups *own, const DtCheckedTrace *trace, const DtCheckedCall *call, gboolean posts)
{
    const DtCheckedObject *object = dt_checked_objects_of(trace->objects, call->signature);
    const DtArgument *group = dt_check_argument(call->signature, DT_ARGUMENT_GROUP);
    const gint rank = trace->process->rank;
    if (!object || !object->key)
        return;
    if (!group || !group->numbers || !trace->is_complete || own->checking->processes[trace->process->index].is_shared) {
        g_hash_table_add(own->unsure, g_memdup2(&object->key, sizeof object->key));
        return;
    }
    for (guint i = 0; i < group->numbers->count; i++) {
        const gint other = (gint)group->numbers->values[i];
        Pair *pair = pair_of(own, object->key, posts ? rank : other, posts ? other : rank);
        *(posts ? &pair->posted : &pair->started) += 1;
        *(posts ? &pair->post : &pair->start) = dt_check_keep(trace, call);
    }
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Groups *own = family;
    if (call->of != DT_CALL_MPI || !call->row || !call->signature)
        return;
    if (dt_check_is(call, "Comm_create") && call->communicator && call->communicator->remote_size < 0 &&
        call->communicator->is_sure && !own->checking->processes[trace->process->index].is_shared)
        add_creation(own, trace, call);
    else if (dt_check_is(call, "Win_post") || dt_check_is(call, "Win_start"))
        add_epoch(own, trace, call, dt_check_is(call, "Win_post"));
    else if (dt_check_is(call, "Win_free")) {
        const DtCheckedObject *object = dt_checked_objects_of(trace->objects, call->signature);
        const Freeing freeing = {object ? object->key : 0, trace->process->rank};
        if (freeing.key)
            g_array_append_val(own->freeing, freeing);
    }
}

static void end_process(gpointer family, const DtProcess *process, gboolean is_complete)
{
    Groups *own = family;
    (void)process;
    (void)is_complete;
    g_hash_table_remove_all(own->made);
}

/* ---- communicators --------------------------------------------------------------------------- */

static gint compare_creations(gconstpointer a, gconstpointer b)
{
    const Creation *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    if (one->nth != other->nth)
        return one->nth < other->nth ? -1 : 1;
    const gint first = one->call.trace->process->rank, second = other->call.trace->process->rank;
    return first < second ? -1 : first > second;
}

/* Of creations in the order of ranks; NULL: it made none. */
static const Creation *creation_of(const Creation *all, guint count, gint64 rank)
{
    guint first = 0, last = count;
    while (first < last) {
        const guint middle = first + (last - first) / 2;
        if (all[middle].call.trace->process->rank < rank)
            first = middle + 1;
        else
            last = middle;
    }
    return first < count && all[first].call.trace->process->rank == rank ? &all[first] : NULL;
}

/* Whoever is in a group gives that group (MPI 3.1, 6.4.2); equal numbers are the same object in one run. */
static void look_at_creation(Groups *own, const Creation *creation, const Creation *all, guint count)
{
    const DtNumbers *group = creation->group;
    for (guint i = 0; group && i < group->count; i++) {
        const Creation *other = creation_of(all, count, group->values[i]);
        DtCheckFinding *finding;
        if (!other || !other->group || other->group == group)
            continue;
        if (dt_check_report_kept(own->checking, DT_CHECK_COLLECTIVE_GROUP, DT_CHECK_ERROR, &creation->call, NULL,
                                 &finding)) {
            g_autofree char *text = dt_kept_call_text(own->checking, &other->call);
            dt_check_expect(finding, "the same group, in the same order, on all who are in it");
            dt_check_add_evidence(finding, "rank %d gives the group %s, of which rank %d is a member",
                                  creation->call.trace->process->rank, group->text, other->call.trace->process->rank);
            dt_check_add_evidence(finding, "rank %d gives the group %s: %s", other->call.trace->process->rank,
                                  other->group->text, text);
        }
        if (finding)
            dt_check_add_trace(own->checking, finding, other->call.trace);
        return;
    }
}

static void look_at_creations(Groups *own)
{
    g_array_sort(own->creations, compare_creations);
    for (guint first = 0, next; first < own->creations->len; first = next) {
        const Creation *all = &g_array_index(own->creations, Creation, first);
        for (next = first + 1; next < own->creations->len; next++) {
            const Creation *other = &g_array_index(own->creations, Creation, next);
            if (other->key != all->key || other->nth != all->nth)
                break;
        }
        for (guint i = 0; i < next - first; i++)
            look_at_creation(own, &all[i], all, next - first);
    }
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static gint compare_pairs(gconstpointer a, gconstpointer b)
{
    const Pair *one = *(const Pair *const *)a, *other = *(const Pair *const *)b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    if (one->target != other->target)
        return one->target < other->target ? -1 : 1;
    return one->origin < other->origin ? -1 : one->origin > other->origin;
}

/* The rank is done with the window: what it has not begun, it never will. */
static gboolean is_done(const Groups *own, guint64 key, gint rank)
{
    const DtProcess *process = g_hash_table_lookup(own->checking->by_rank, GINT_TO_POINTER(rank));
    const DtCheckedProcess *checked = process ? &own->checking->processes[process->index] : NULL;
    if (!checked || !checked->is_read || !checked->is_complete || checked->lacks_arguments)
        return FALSE;
    for (guint i = 0; i < own->freeing->len; i++) {
        const Freeing *freeing = &g_array_index(own->freeing, Freeing, i);
        if (freeing->key == key && freeing->rank == rank)
            return TRUE;
    }
    return checked->finalized;
}

static void tell_pair(Groups *own, const Pair *pair)
{
    const gboolean lacks_post = pair->started > pair->posted;
    const DtKeptCall *call = lacks_post ? &pair->start : &pair->post, *other = lacks_post ? &pair->post : &pair->start;
    const gint late = lacks_post ? pair->target : pair->origin;
    DtCheckFinding *finding;
    if (!is_done(own, pair->key, late) ||
        !dt_check_report_kept(own->checking, DT_CHECK_RMA_GROUPS, DT_CHECK_ERROR, call, NULL, &finding))
        return;
    dt_check_expect(finding, "for each MPI_Win_start that names a target one MPI_Win_post there that names the origin");
    dt_check_add_evidence(finding,
                          "rank %d started to access rank %d %" G_GUINT64_FORMAT
                          " times, which was posted to it %" G_GUINT64_FORMAT " times",
                          pair->origin, pair->target, pair->started, pair->posted);
    if (other->trace) {
        g_autofree char *text = dt_kept_call_text(own->checking, other);
        dt_check_add_evidence(finding, "rank %d: %s", late, text);
    }
}

static void finish(gpointer family)
{
    Groups *own = family;
    g_autoptr(GPtrArray) pairs = g_ptr_array_new();
    GHashTableIter iter;
    gpointer key;
    look_at_creations(own);
    g_hash_table_iter_init(&iter, own->pairs);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        if (((const Pair *)key)->posted != ((const Pair *)key)->started &&
            !g_hash_table_contains(own->unsure, &((const Pair *)key)->key))
            g_ptr_array_add(pairs, key);
    g_ptr_array_sort(pairs, compare_pairs);
    for (guint i = 0; i < pairs->len; i++)
        tell_pair(own, pairs->pdata[i]);
}

const DtCheckFamily dt_check_groups = {
    .start = start, .enter = enter, .end_process = end_process, .finish = finish, .stop = stop};
