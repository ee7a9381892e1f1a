#include "extrapolate/sizes.h"

#include <string.h>

#include "extrapolate/stage_words.h"
#include "extrapolate/stages.h"
#include "format/arguments.h"
#include "skeleton/class_tree.h"
#include "skeleton/fields.h"
#include "skeleton/merge.h"
#include "skeleton/recorded_calls.h"
#include "text/text.h"

/* Peers of one function, communicator and tag, and in which form the fewest differ. */
typedef struct {
    GHashTable *values[DT_PEER_FORMS]; /* that differ */
    gboolean cannot[DT_PEER_FORMS];
    DtPeerForm form;
} Group;

typedef struct {
    DtSizes *sizes;
    const DtSizesOptions *options;
    DtRecordedCalls *raw, *calls; /* with distances, and with forms */
    GHashTable *functions;        /* name -> index + 1 */
    GHashTable *groups;           /* key -> Group */
    GHashTable *tags;             /* key without the tag -> set of tags */
    guint64 steps;
} Merging;

/* ---- calls ----------------------------------------------------------------------------------- */

static guint function_of(Merging *merging, const char *name)
{
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(merging->functions, name));
    if (known)
        return known - 1;
    g_ptr_array_add(merging->sizes->merged->functions, g_strdup(name));
    known = merging->sizes->merged->functions->len;
    g_hash_table_insert(merging->functions, g_strdup(name), GUINT_TO_POINTER(known));
    return known - 1;
}

static guint32 place_of(Merging *merging, GHashTable *places, const char *comment)
{
    gpointer known = comment ? g_hash_table_lookup(places, comment) : NULL;
    if (!comment || known)
        return GPOINTER_TO_UINT(known);
    const guint32 added = merging->raw->places->len;
    g_ptr_array_add(merging->raw->places, g_strdup(comment));
    g_hash_table_insert(places, merging->raw->places->pdata[added], GUINT_TO_POINTER(added));
    return added;
}

/* `place`: that of the rank among the spots. FALSE: there are too many calls. */
static gboolean add_rank(Merging *merging, const DtSkeleton *from, guint thread, guint rank, guint place,
                         GHashTable *places)
{
    g_autoptr(DtWalk) walk = dt_walk_new(from, thread, rank);
    DtCallSequence *sequence = g_new0(DtCallSequence, 1);
    sequence->thread = thread;
    sequence->rank = place;
    sequence->calls = g_array_new(FALSE, FALSE, sizeof(guint32));
    sequence->places = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_ptr_array_add(merging->raw->sequences, sequence);
    for (const DtSkeletonNode *node = dt_walk_next(walk); node; node = dt_walk_next(walk)) {
        DtRecordedCall call = dt_recorded_call_of_walk(walk, node);
        const guint32 at = place_of(merging, places, node->comment);
        call.function = function_of(merging, from->functions->pdata[node->function]);
        for (guint i = 0; i < call.count; i++)
            if (dt_value_is_atom(call.fields[i].value))
                call.fields[i].value =
                    dt_atoms_intern(merging->sizes->merged->atoms, dt_atoms_text(from->atoms, call.fields[i].value));
        const guint32 number = dt_recorded_calls_intern(merging->raw, &call);
        g_array_append_val(sequence->calls, number);
        g_array_append_val(sequence->places, at);
    }
    merging->steps += dt_walk_steps(walk);
    return merging->steps <= DT_SKELETON_MOST_CALLS;
}

static gboolean add_thread(Merging *merging, guint thread, GError **error)
{
    g_autoptr(GHashTable) places = g_hash_table_new(g_str_hash, g_str_equal);
    guint place = 0;
    for (guint s = 0; s < merging->sizes->count; s++) {
        const DtSkeleton *from = merging->sizes->sizes[s].skeleton;
        for (guint rank = 0; rank < from->ranks; rank++, place++)
            if (!add_rank(merging, from, thread, rank, place, places)) {
                dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_MERGE,
                             "more than %u calls of all sizes are too many: give smaller runs, or fewer steps",
                             DT_SKELETON_MOST_CALLS);
                return FALSE;
            }
    }
    return TRUE;
}

/* ---- forms of peers -------------------------------------------------------------------------- */

static const char *communicator_of(const Merging *merging, const DtRecordedCall *call)
{
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == DT_ARGUMENT_COMMUNICATOR && dt_value_is_atom(call->fields[i].value))
            return dt_atoms_text(merging->sizes->merged->atoms, call->fields[i].value);
    return NULL;
}

static DtValue tag_of(const DtRecordedCall *call, gboolean last)
{
    DtValue tag = -1;
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == DT_ARGUMENT_TAG && (last || tag == -1))
            tag = call->fields[i].value;
    return tag;
}

static void unref_table(gpointer table)
{
    g_hash_table_unref(table);
}

static void free_group(gpointer data)
{
    Group *group = data;
    for (guint form = 0; form < DT_PEER_FORMS; form++)
        g_hash_table_unref(group->values[form]);
    g_free(group);
}

/* A program that numbers its messages by tags has one group for them. */
static Group *group_of(Merging *merging, const DtRecordedCall *call, guint kind, const char *communicator)
{
    enum { MOST_TAGS = 16 };
    const DtValue tag = tag_of(call, kind != DT_ARGUMENT_TO);
    g_autofree char *rest = g_strdup_printf("%u %u %s", call->function, kind, communicator);
    GHashTable *tags = g_hash_table_lookup(merging->tags, rest);
    const gboolean by_tag = tags && g_hash_table_size(tags) <= MOST_TAGS;
    g_autofree char *key = by_tag ? g_strdup_printf("%s %" G_GINT64_FORMAT, rest, tag) : g_strdup(rest);
    Group *group = g_hash_table_lookup(merging->groups, key);
    if (group)
        return group;
    group = g_new0(Group, 1);
    for (guint form = 0; form < DT_PEER_FORMS; form++)
        group->values[form] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_hash_table_insert(merging->groups, g_steal_pointer(&key), group);
    return group;
}

static void note_tags(Merging *merging)
{
    for (guint i = 0; i < merging->raw->calls->len; i++) {
        const DtRecordedCall *call = merging->raw->calls->pdata[i];
        const char *communicator = communicator_of(merging, call);
        for (guint f = 0; communicator && f < call->count; f++) {
            if (!dt_field_is_peer(call->fields[f].kind))
                continue;
            g_autofree char *rest = g_strdup_printf("%u %u %s", call->function, call->fields[f].kind, communicator);
            GHashTable *tags = g_hash_table_lookup(merging->tags, rest);
            if (!tags) {
                tags = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
                g_hash_table_insert(merging->tags, g_steal_pointer(&rest), tags);
            }
            const DtValue tag = tag_of(call, call->fields[f].kind != DT_ARGUMENT_TO);
            g_hash_table_add(tags, g_memdup2(&tag, sizeof tag));
        }
    }
}

typedef struct {
    DtPeerView view;
    DtMesh mesh;
} Seen;

static Seen view_of(const DtSizes *sizes, guint place, const char *communicator)
{
    const DtSpot *spot = &g_array_index(sizes->spots, DtSpot, place);
    Seen seen = {.mesh = {.axes = spot->axes}};
    for (guint axis = 0; axis < spot->axes; axis++)
        seen.mesh.size[axis] = (guint)spot->size[axis];
    dt_skeleton_find_member(sizes->sizes[g_array_index(sizes->size_of, guint, place)].skeleton, communicator,
                            (guint)spot->rank, &seen.view.index, &seen.view.size);
    seen.view.last = DT_PEER_LAST;
    return seen;
}

/* Along an axis of two places a step back is one back, and not one on round the end: meshes without wrapping are the
 * common ones, and of those with it such small ones say nothing. */
static gboolean in_steps(const Seen *seen, DtValue distance, DtValue *value)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const guint size = seen->view.size;
    const DtSpot from = dt_spot(seen->view.index, size, &seen->mesh),
                 to = dt_spot((guint)(((seen->view.index + distance) % size + size) % size), size, &seen->mesh);
    const char *at, *problem;
    for (guint axis = 0; axis < from.axes; axis++) {
        gint64 steps = to.at[axis] - from.at[axis];
        if (from.size[axis] > 2)
            steps += 2 * steps > from.size[axis]     ? -from.size[axis]
                     : 2 * steps <= -from.size[axis] ? from.size[axis]
                                                     : 0;
        if (steps != 0)
            g_string_append_printf(text, "%c%+" G_GINT64_FORMAT, dt_axis_name(axis), steps);
    }
    at = text->str;
    return text->len > 0 && dt_peer_parse(&at, value, &problem) && *at == '\0';
}

static gboolean in_form(Seen *seen, DtValue distance, DtPeerForm form, DtValue *value)
{
    seen->view.mesh = &seen->mesh;
    if (form == DT_BY_STEPS && dt_mesh_places(&seen->mesh) == seen->view.size)
        return in_steps(seen, distance, value);
    return dt_peer_in_form(distance, form, &seen->view, value);
}

static gboolean is_peer(const DtCallField *field)
{
    return dt_field_is_peer(field->kind) && field->value < DT_PEER_RANK;
}

static void count_values(Merging *merging, const DtCallSequence *sequence, GHashTable *done)
{
    g_hash_table_remove_all(done);
    for (guint i = 0; i < sequence->calls->len; i++) {
        const guint32 number = g_array_index(sequence->calls, guint32, i);
        const DtRecordedCall *call = dt_recorded_call(merging->raw, number);
        const char *communicator;
        if (!g_hash_table_add(done, GUINT_TO_POINTER(number)) || !(communicator = communicator_of(merging, call)))
            continue;
        Seen seen = view_of(merging->sizes, sequence->rank, communicator);
        for (guint f = 0; f < call->count; f++) {
            if (!is_peer(&call->fields[f]))
                continue;
            Group *group = group_of(merging, call, call->fields[f].kind, communicator);
            for (DtPeerForm form = 0; form < DT_PEER_FORMS; form++) {
                DtValue value;
                if (in_form(&seen, call->fields[f].value, form, &value))
                    g_hash_table_add(group->values[form], g_memdup2(&value, sizeof value));
                else
                    group->cannot[form] = TRUE;
            }
        }
    }
}

static void choose_forms(Merging *merging)
{
    static const DtPeerForm order[] = {DT_BY_STEPS, DT_BY_DISTANCE, DT_BY_RANK, DT_BY_BITS};
    g_autoptr(GHashTable) done = g_hash_table_new(NULL, NULL);
    note_tags(merging);
    for (guint i = 0; i < merging->raw->sequences->len; i++)
        count_values(merging, merging->raw->sequences->pdata[i], done);
    GHashTableIter iter;
    gpointer data;
    g_hash_table_iter_init(&iter, merging->groups);
    while (g_hash_table_iter_next(&iter, NULL, &data)) {
        Group *group = data;
        guint least = G_MAXUINT;
        for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
            const guint count = g_hash_table_size(group->values[order[i]]);
            if (!group->cannot[order[i]] && count < least && !(merging->options->no_steps && order[i] == DT_BY_STEPS)) {
                least = count;
                group->form = order[i];
            }
        }
    }
}

static guint32 rewritten(Merging *merging, guint32 number, guint place)
{
    DtRecordedCall call = *dt_recorded_call(merging->raw, number);
    const char *communicator = communicator_of(merging, &call);
    if (!communicator)
        return dt_recorded_calls_intern(merging->calls, &call);
    Seen seen = view_of(merging->sizes, place, communicator);
    for (guint f = 0; f < call.count; f++)
        if (is_peer(&call.fields[f]))
            in_form(&seen, call.fields[f].value, group_of(merging, &call, call.fields[f].kind, communicator)->form,
                    &call.fields[f].value);
    return dt_recorded_calls_intern(merging->calls, &call);
}

static void rewrite(Merging *merging)
{
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < merging->raw->sequences->len; i++) {
        DtCallSequence *sequence = merging->raw->sequences->pdata[i];
        g_hash_table_remove_all(known);
        for (guint at = 0; at < sequence->calls->len; at++) {
            guint32 *number = &g_array_index(sequence->calls, guint32, at);
            gpointer found = g_hash_table_lookup(known, GUINT_TO_POINTER(*number));
            if (!found) {
                found = GUINT_TO_POINTER(rewritten(merging, *number, sequence->rank) + 1);
                g_hash_table_insert(known, GUINT_TO_POINTER(*number), found);
            }
            *number = GPOINTER_TO_UINT(found) - 1;
        }
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

static GBytes *calls_of(const DtCallSequence *sequence)
{
    return g_bytes_new(sequence->calls->data, sequence->calls->len * sizeof(guint32));
}

static void free_tree(gpointer tree)
{
    dt_class_tree_free(tree);
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

static void mark_whole(GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        DtTreeNode *node = nodes->pdata[i];
        node->is_whole = node->children != NULL;
        if (node->children)
            mark_whole(node->children);
    }
}

/* Of the sequences of a thread; their ranks go to `members` (element-type GArray of guint). */
static GPtrArray *make_trees(Merging *merging, const guint8 *rungs, GPtrArray *members)
{
    g_autoptr(GHashTable) classes =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    GPtrArray *trees = g_ptr_array_new_with_free_func(free_tree);
    for (guint i = 0; i < merging->raw->sequences->len; i++) {
        const DtCallSequence *sequence = merging->raw->sequences->pdata[i];
        g_autoptr(GBytes) key = calls_of(sequence);
        guint class = GPOINTER_TO_UINT(g_hash_table_lookup(classes, key));
        if (!class) {
            DtClassTree *tree = merging->options->by_ladder ? dt_class_tree_new(merging->calls, sequence)
                                                            : dt_class_tree_build(merging->calls, sequence, rungs);
            if (merging->options->whole)
                mark_whole(tree->nodes);
            g_ptr_array_add(trees, tree);
            g_ptr_array_add(members, g_array_new(FALSE, FALSE, sizeof(guint)));
            class = trees->len;
            g_hash_table_insert(classes, g_steal_pointer(&key), GUINT_TO_POINTER(class));
        }
        g_array_append_val(members->pdata[class - 1], sequence->rank);
    }
    return trees;
}

static void merge_thread(Merging *merging, guint number)
{
    DtSkeleton *merged = merging->sizes->merged;
    g_autoptr(GPtrArray) members = g_ptr_array_new_with_free_func(unref_array);
    DtStages *stages = merging->options->words ? dt_stages_cut(merging->sizes, merging->calls, merging->raw->sequences,
                                                               !merging->options->any_line, merged->functions)
                                               : NULL;
    g_autofree guint8 *rungs = dt_stages_find(merging->sizes, merging->calls, merging->raw->sequences);
    for (guint i = stages ? stages->first_number : G_MAXUINT; i < merging->calls->calls->len; i++)
        rungs[i] = DT_RUNG_COUNTS;
    g_autoptr(GPtrArray) trees = make_trees(merging, rungs, members);
    g_autofree const DtRankSet **on = g_new0(const DtRankSet *, trees->len + 1);
    if (!merging->options->by_ladder)
        dt_stages_complete(merging->calls, rungs, trees);
    for (guint i = 0; i < trees->len; i++) {
        const GArray *own = members->pdata[i];
        on[i] = dt_rank_set_of(merged->sets, (const guint *)(gconstpointer)own->data, own->len);
    }
    DtSkeletonThread *thread = g_new0(DtSkeletonThread, 1);
    thread->number = number;
    thread->nodes = dt_merge_classes(merged, merging->calls, trees, on);
    g_ptr_array_add(merged->threads, thread);
    if (!stages)
        return;
    dt_stages_put_back(stages, merging->sizes, thread->nodes);
    g_ptr_array_add(merging->sizes->stages, stages);
}

static gboolean merge_threads(Merging *merging, GError **error)
{
    const DtSkeleton *first = merging->sizes->sizes[0].skeleton;
    for (guint t = 0; t < first->threads->len; t++) {
        const guint number = ((const DtSkeletonThread *)first->threads->pdata[t])->number;
        g_autoptr(DtRecordedCalls) raw = dt_recorded_calls_new(), calls = dt_recorded_calls_new();
        g_autoptr(GHashTable) groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_group),
                              tags = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_table);
        merging->raw = raw;
        merging->calls = calls;
        merging->groups = groups;
        merging->tags = tags;
        if (!add_thread(merging, number, error))
            return FALSE;
        choose_forms(merging);
        rewrite(merging);
        g_ptr_array_unref(calls->places);
        calls->places = g_ptr_array_ref(raw->places);
        merge_thread(merging, number);
    }
    return TRUE;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void free_stages(gpointer stages)
{
    dt_stages_free(stages);
}

static gboolean threads_agree(const DtSizes *sizes, GError **error)
{
    const DtSize *first = &sizes->sizes[0];
    for (guint s = 1; s < sizes->count; s++) {
        const GPtrArray *own = sizes->sizes[s].skeleton->threads, *expected = first->skeleton->threads;
        gboolean agree = own->len == expected->len;
        for (guint t = 0; agree && t < own->len; t++)
            agree = ((const DtSkeletonThread *)own->pdata[t])->number ==
                    ((const DtSkeletonThread *)expected->pdata[t])->number;
        if (!agree) {
            dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_MERGE,
                         "%s and %s do not have the same threads that call MPI: give runs with as many threads a rank",
                         first->name, sizes->sizes[s].name);
            return FALSE;
        }
    }
    return TRUE;
}

DtSizes *dt_sizes_merge(const DtSize *sizes, const DtMesh *meshes, guint count, const DtSizesOptions *options,
                        GError **error)
{
    g_autoptr(DtSizes) own = g_new0(DtSizes, 1);
    g_autoptr(GHashTable) functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    own->sizes = sizes;
    own->count = count;
    own->spots = g_array_new(FALSE, FALSE, sizeof(DtSpot));
    own->size_of = g_array_new(FALSE, FALSE, sizeof(guint));
    own->effort = g_new0(guint64, 2);
    own->merged = dt_skeleton_new();
    own->stages = g_ptr_array_new_with_free_func(free_stages);
    for (guint s = 0; s < count; s++)
        for (guint rank = 0; rank < sizes[s].skeleton->ranks; rank++) {
            const DtSpot spot = dt_spot(rank, sizes[s].skeleton->ranks, &meshes[s]);
            g_array_append_val(own->spots, spot);
            g_array_append_val(own->size_of, s);
        }
    own->merged->ranks = own->spots->len;
    own->merged->sets = dt_rank_sets_new(own->spots->len);
    Merging merging = {.sizes = own, .options = options, .functions = functions};
    if (!threads_agree(own, error) || !merge_threads(&merging, error))
        return NULL;
    return g_steal_pointer(&own);
}

void dt_sizes_free(DtSizes *sizes)
{
    if (!sizes)
        return;
    g_array_unref(sizes->spots);
    g_array_unref(sizes->size_of);
    g_ptr_array_unref(sizes->stages);
    dt_skeleton_free(sizes->merged);
    g_free(sizes->effort);
    g_free(sizes);
}

DtSpot dt_sizes_spot(const DtSizes *sizes, guint place, const char *communicator)
{
    const DtSpot *own = &g_array_index(sizes->spots, DtSpot, place);
    Seen seen = view_of(sizes, place, communicator);
    if (seen.view.size != own->ranks)
        return dt_spot_in_row(seen.view.index, MAX(seen.view.size, 1));
    return dt_spot(seen.view.index, seen.view.size, &seen.mesh);
}

DtValue dt_sizes_distance(const DtSizes *sizes, guint place, const char *communicator, DtValue value)
{
    if (dt_value_is_atom(value) || value < DT_PEER_NUMBERS || value >= DT_PEER_LAST)
        return value;
    Seen seen = view_of(sizes, place, communicator);
    seen.view.mesh = &seen.mesh;
    return dt_peer_distance(value, &seen.view);
}
