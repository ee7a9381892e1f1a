/* The calls of a skeleton, made into a skeleton again. */
#include <string.h>

#include "calls/calls.h"
#include "format/arguments.h"
#include "skeleton/recorded_calls.h"
#include "skeleton/walk.h"
#include "text/text.h"

typedef struct {
    const DtSkeleton *from;
    DtSkeleton *skeleton;
    DtRecordedCalls *calls;
    guint *functions;     /* by function of `from`: its index + 1; 0: not known yet, G_MAXUINT: left out */
    GHashTable *comments; /* text -> number of its place */
    GHashTable *children; /* name of a communicator -> how many the rank has made of it */
    gboolean all;         /* calls that say nothing to others, too */
    guint64 count;
} Again;

DtRecordedCall dt_recorded_call_of_walk(const DtWalk *walk, const DtSkeletonNode *node)
{
    DtRecordedCall call = {.function = node->function};
    for (guint i = 0; i < node->fields->len && call.count < DT_CALL_FIELDS; i++) {
        guint kind = g_array_index(node->fields, DtField, i).kind, which = 0;
        for (guint k = 0; k < call.count; k++)
            which += call.fields[k].kind == kind ? 1 : 0;
        call.fields[call.count].kind = kind;
        if (dt_walk_value(walk, kind, which, &call.fields[call.count].value))
            call.count++;
    }
    return call;
}

static const DtCallField *find_field(const DtRecordedCall *call, guint kind)
{
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == kind)
            return &call->fields[i];
    return NULL;
}

/* Communicators between two groups, whose peers are no distances, are those that such calls make, and what is made of
 * them. They are named by who made the how-manieth. */
static void follow_communicators(Again *again, const DtRecordedCall *call, const char *function)
{
    const struct dt_call *row = dt_call_find(function);
    const DtCallField *of = find_field(call, DT_ARGUMENT_COMMUNICATOR);
    if (!row || !of || !dt_value_is_atom(of->value) || find_field(call, DT_FIELD_FAILED) ||
        (!dt_call_has(row, DT_PARAMETER_COMM_MADE) && !dt_call_has(row, DT_PARAMETER_COMM_MADE_LATER)))
        return;
    const char *parent = dt_atoms_text(again->from->atoms, of->value);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(again->children, parent)) + 1;
    g_hash_table_insert(again->children, g_strdup(parent), GUINT_TO_POINTER(number));
    gboolean is_between =
        row->properties & DT_CALL_BETWEEN_GROUPS || g_hash_table_contains(again->calls->between, parent);
    if (is_between && !g_str_equal(function, "MPI_Intercomm_merge"))
        g_hash_table_add(again->calls->between, g_strdup_printf("%s/%u", parent, number));
}

/* FALSE: calls of the function are left out. */
static gboolean find_function(Again *again, guint *function)
{
    guint *known = &again->functions[*function];
    const char *name = again->from->functions->pdata[*function];
    if (*known == 0 && (again->all || dt_call_communicates(name))) {
        g_ptr_array_add(again->skeleton->functions, g_strdup(name));
        *known = again->skeleton->functions->len;
    }
    if (*known == 0)
        *known = G_MAXUINT;
    *function = *known - 1;
    return *known != G_MAXUINT;
}

static guint32 find_place(Again *again, const char *comment)
{
    if (!comment)
        return 0;
    guint32 known = GPOINTER_TO_UINT(g_hash_table_lookup(again->comments, comment));
    if (known)
        return known;
    known = again->calls->places->len;
    g_ptr_array_add(again->calls->places, g_strdup(comment));
    g_hash_table_insert(again->comments, again->calls->places->pdata[known], GUINT_TO_POINTER(known));
    return known;
}

static void add_call(Again *again, DtCallSequence *sequence, DtRecordedCall *call, const char *comment)
{
    const guint32 place = find_place(again, comment);
    for (guint i = 0; i < call->count; i++)
        if (dt_value_is_atom(call->fields[i].value))
            call->fields[i].value =
                dt_atoms_intern(again->skeleton->atoms, dt_atoms_text(again->from->atoms, call->fields[i].value));
    const guint32 number = dt_recorded_calls_intern(again->calls, call);
    g_array_append_val(sequence->calls, number);
    g_array_append_val(sequence->places, place);
}

/* FALSE: there are too many. */
static gboolean add_rank(Again *again, guint thread, guint rank)
{
    g_autoptr(DtWalk) walk = dt_walk_new(again->from, thread, rank);
    DtCallSequence *sequence = g_new0(DtCallSequence, 1);
    sequence->thread = thread;
    sequence->rank = rank;
    sequence->calls = g_array_new(FALSE, FALSE, sizeof(guint32));
    sequence->places = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_ptr_array_add(again->calls->sequences, sequence);
    g_hash_table_remove_all(again->children);
    for (const DtSkeletonNode *node = dt_walk_next(walk); node; node = dt_walk_next(walk)) {
        guint function = node->function;
        if (!find_function(again, &function))
            continue;
        DtRecordedCall call = dt_recorded_call_of_walk(walk, node);
        call.function = function;
        follow_communicators(again, &call, again->from->functions->pdata[node->function]);
        add_call(again, sequence, &call, node->comment);
    }
    again->count += dt_walk_steps(walk);
    if (sequence->calls->len == 0)
        g_ptr_array_remove_index(again->calls->sequences, again->calls->sequences->len - 1);
    return again->count <= DT_SKELETON_MOST_CALLS;
}

static void add_communicators(Again *again)
{
    for (guint i = 0; i < again->from->communicators->len; i++) {
        const DtSkeletonCommunicator *own = again->from->communicators->pdata[i];
        DtSkeletonCommunicator *added = g_new0(DtSkeletonCommunicator, 1);
        added->name = g_strdup(own->name);
        added->groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
        for (guint k = 0; k < own->groups->len; k++)
            g_ptr_array_add(added->groups, g_array_ref(own->groups->pdata[k]));
        g_ptr_array_add(again->skeleton->communicators, added);
    }
}

static gboolean add_ranks(Again *again, GError **error)
{
    for (guint t = 0; t < again->from->threads->len; t++)
        for (guint rank = 0; rank < again->from->ranks; rank++)
            if (!add_rank(again, ((const DtSkeletonThread *)again->from->threads->pdata[t])->number, rank)) {
                dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE,
                             again->all
                                 ? "more than %u calls are too many to find loops in"
                                 : "more than %u calls are too many to leave some out: make the skeleton of the run "
                                   "without them",
                             DT_SKELETON_MOST_CALLS);
                return FALSE;
            }
    return TRUE;
}

DtRecordedCalls *dt_recorded_calls_of_skeleton(const DtSkeleton *from, gboolean all, DtSkeleton *skeleton,
                                               GError **error)
{
    g_autoptr(DtRecordedCalls) calls = dt_recorded_calls_new();
    g_autoptr(GHashTable) comments = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) children = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree guint *functions = g_new0(guint, from->functions->len + 1);
    Again again = {from, skeleton, calls, functions, comments, children, all, 0};
    skeleton->ranks = from->ranks;
    add_communicators(&again);
    return add_ranks(&again, error) ? g_steal_pointer(&calls) : NULL;
}

static DtSkeleton *make_again(const DtSkeleton *from, gboolean all, const DtSkeletonOptions *options, GError **error)
{
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_new();
    if (!dt_mesh_fits(&options->mesh, from->ranks, error))
        return NULL;
    g_autoptr(DtRecordedCalls) calls = dt_recorded_calls_of_skeleton(from, all, skeleton, error);
    if (!calls)
        return NULL;
    dt_skeleton_merge(skeleton, calls, options);
    return g_steal_pointer(&skeleton);
}

DtSkeleton *dt_skeleton_communicating(const DtSkeleton *from, const DtSkeletonOptions *options, GError **error)
{
    return make_again(from, FALSE, options, error);
}

DtSkeleton *dt_skeleton_as_recorded(const DtSkeleton *from, const DtSkeletonOptions *options, GError **error)
{
    return make_again(from, TRUE, options, error);
}
