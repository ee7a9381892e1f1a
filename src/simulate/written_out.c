#include "simulate/written_out.h"

#include <string.h>

#include "format/arguments.h"
#include "skeleton/fields.h"
#include "waitfor/calls.h"

/* ---- writing out ----------------------------------------------------------------------------- */

static void clear_call(gpointer data)
{
    DtWrittenCall *call = data;
    g_clear_pointer(&call->named, g_array_unref);
    g_clear_pointer(&call->completed, g_array_unref);
}

static DtRecordedCall read_call(const DtWalk *walk, const DtSkeletonNode *node)
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

static gboolean value_of(const DtRecordedCall *call, guint kind, DtValue *value)
{
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == kind) {
            *value = call->fields[i].value;
            return TRUE;
        }
    return FALSE;
}

static gboolean is_all(const DtSkeleton *skeleton, DtValue value)
{
    return dt_value_is_atom(value) && g_str_equal(dt_atoms_text(skeleton->atoms, value), "all");
}

/* The calls that made the requests at these places. */
static GArray *makers_of(const DtSkeleton *skeleton, const GArray *live, DtValue value)
{
    GArray *makers = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (is_all(skeleton, value)) {
        g_array_append_vals(makers, live->data, live->len);
        return makers;
    }
    g_autoptr(GArray) places = dt_value_positions(skeleton->atoms, value);
    for (guint i = 0; i < places->len; i++) {
        gint64 place = g_array_index(places, gint64, i);
        if (place >= 0 && place < live->len)
            g_array_append_val(makers, g_array_index(live, guint32, place));
    }
    return makers;
}

static void remove_from(GArray *live, const GArray *gone)
{
    for (guint i = 0; i < gone->len; i++)
        for (guint k = 0; k < live->len; k++)
            if (g_array_index(live, guint32, k) == g_array_index(gone, guint32, i)) {
                g_array_remove_index(live, k);
                break;
            }
}

static void remove_completed(const GArray *calls, const DtRecordedCalls *table, const DtSkeleton *skeleton,
                             GArray *live, const GArray *gone)
{
    g_autoptr(GArray) once = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < gone->len; i++) {
        guint32 maker = g_array_index(gone, guint32, i);
        const DtRecordedCall *made = dt_recorded_call(table, g_array_index(calls, DtWrittenCall, maker).number);
        const struct dt_call *row = dt_call_find(skeleton->functions->pdata[made->function]);
        if (!row || !dt_call_has(row, DT_PARAMETER_PERSISTENT_REQUEST_MADE))
            g_array_append_val(once, maker);
    }
    remove_from(live, once);
}

/* Which requests the call makes, names and ends. */
static void read_requests(const DtWrittenOut *written, GArray *calls, DtWrittenCall *call, GArray *live)
{
    DtValue value;
    const DtRecordedCall *recorded = dt_recorded_call(written->calls, call->number);
    const struct dt_call *row = dt_call_find(written->skeleton->functions->pdata[recorded->function]);
    if (!row)
        return;
    call->makes =
        (dt_call_has(row, DT_PARAMETER_REQUEST_MADE) || dt_call_has(row, DT_PARAMETER_PERSISTENT_REQUEST_MADE)) &&
        !value_of(recorded, DT_FIELD_NOT_MADE, &value);
    if (value_of(recorded, DT_ARGUMENT_LIVE, &value))
        call->named = makers_of(written->skeleton, live, value);
    gboolean told = value_of(recorded, DT_FIELD_COMPLETED, &value);
    if (told && !is_all(written->skeleton, value))
        call->completed = makers_of(written->skeleton, live, value);
    gboolean any = dt_call_has(row, DT_PARAMETER_INDEX) || dt_call_has(row, DT_PARAMETER_INDICES);
    if (call->named && dt_call_has(row, DT_PARAMETER_REQUEST_FREED))
        remove_from(live, call->named);
    else if (call->completed)
        remove_completed(calls, written->calls, written->skeleton, live, call->completed);
    else if (call->named && (told || (row->properties & DT_CALL_BLOCKING && !any)))
        remove_completed(calls, written->calls, written->skeleton, live, call->named);
    if (call->makes) {
        guint32 own = calls->len;
        g_array_append_val(live, own);
    }
}

/* Says nothing once there is another call. */
static gboolean asks_in_vain(const DtWrittenOut *written, const DtWrittenCall *call)
{
    DtValue value;
    const DtRecordedCall *recorded = dt_recorded_call(written->calls, call->number);
    const struct dt_call *row = dt_call_find(written->skeleton->functions->pdata[recorded->function]);
    return row && row->properties & DT_CALL_POLLING && !(row->properties & DT_CALL_BLOCKING) &&
           !value_of(recorded, DT_FIELD_COMPLETED, &value) && !value_of(recorded, DT_FIELD_SOURCE, &value);
}

static void drop_question(DtWrittenOut *written, GArray *calls)
{
    if (calls->len == 0 || !asks_in_vain(written, &g_array_index(calls, DtWrittenCall, calls->len - 1)))
        return;
    g_array_set_size(calls, calls->len - 1);
    written->total--;
}

static gboolean write_rank(DtWrittenOut *written, guint rank)
{
    g_autoptr(DtWalk) walk = dt_walk_new(written->skeleton, 0, rank);
    g_autoptr(GArray) live = g_array_new(FALSE, FALSE, sizeof(guint32));
    GArray *calls = written->ranks[rank];
    for (const DtSkeletonNode *node = dt_walk_next(walk); node; node = dt_walk_next(walk)) {
        const DtRecordedCall recorded = read_call(walk, node);
        DtWrittenCall call = {.number = dt_recorded_calls_intern(written->calls, &recorded), .comment = node->comment};
        drop_question(written, calls);
        if (++written->total > DT_WRITTEN_MOST)
            return FALSE;
        g_array_append_val(written->at[rank], calls->len);
        read_requests(written, calls, &call, live);
        g_array_append_val(calls, call);
    }
    return TRUE;
}

/* ---- what belongs together ------------------------------------------------------------------- */

static guint32 place_of_call(const DtWrittenOut *written, const DtMetCalls *pair, guint which)
{
    return g_array_index(written->at[pair->ranks[which]], guint32, pair->calls[which]);
}

guint32 dt_written_unit(const DtWrittenOut *written, guint rank, guint64 call)
{
    return g_array_index(written->ranks[rank], DtWrittenCall, g_array_index(written->at[rank], guint32, call)).unit;
}

static guint32 root_of(guint32 *parents, guint32 of)
{
    while (parents[of] != of)
        of = parents[of] = parents[parents[of]];
    return of;
}

static void join(DtWrittenOut *written, const GArray *pairs)
{
    g_autofree guint32 *parents = g_new(guint32, written->total + 1);
    g_autofree guint32 *first = g_new(guint32, written->skeleton->ranks + 1);
    g_autofree guint32 *number = g_new0(guint32, written->total + 1);
    for (guint rank = 0, at = 0; rank <= written->skeleton->ranks; rank++) {
        first[rank] = at;
        at += rank < written->skeleton->ranks ? written->ranks[rank]->len : 0;
    }
    for (guint32 i = 0; i < written->total; i++)
        parents[i] = i;
    for (guint i = 0; i < pairs->len; i++) {
        const DtMetCalls *pair = &g_array_index(pairs, DtMetCalls, i);
        guint32 a = first[pair->ranks[0]] + place_of_call(written, pair, 0),
                b = first[pair->ranks[1]] + place_of_call(written, pair, 1);
        parents[root_of(parents, a)] = root_of(parents, b);
    }
    /* In the order in which they met: neighbours are of one iteration. */
    for (guint i = 0; i < pairs->len; i++) {
        const DtMetCalls *pair = &g_array_index(pairs, DtMetCalls, i);
        guint32 root = root_of(parents, first[pair->ranks[0]] + place_of_call(written, pair, 0));
        if (number[root] == 0)
            number[root] = ++written->units;
    }
    for (guint rank = 0; rank < written->skeleton->ranks; rank++)
        for (guint i = 0; i < written->ranks[rank]->len; i++) {
            guint32 root = root_of(parents, first[rank] + i);
            if (number[root] == 0)
                number[root] = ++written->units;
            g_array_index(written->ranks[rank], DtWrittenCall, i).unit = number[root] - 1;
        }
    written->is_message = g_new0(gboolean, written->units + 1);
    for (guint i = 0; i < pairs->len; i++) {
        const DtMetCalls *pair = &g_array_index(pairs, DtMetCalls, i);
        if (pair->is_message)
            written->is_message[number[root_of(parents, first[pair->ranks[0]] + place_of_call(written, pair, 0))] - 1] =
                TRUE;
    }
}

DtWrittenOut *dt_written_out_new(const DtSkeleton *skeleton, const GArray *pairs)
{
    g_autoptr(DtWrittenOut) written = g_new0(DtWrittenOut, 1);
    written->skeleton = skeleton;
    written->groups = dt_groups_new(skeleton);
    written->calls = dt_recorded_calls_new();
    written->ranks = g_new0(GArray *, skeleton->ranks + 1);
    written->at = g_new0(GArray *, skeleton->ranks + 1);
    for (guint rank = 0; rank < skeleton->ranks; rank++) {
        written->ranks[rank] = g_array_new(FALSE, FALSE, sizeof(DtWrittenCall));
        g_array_set_clear_func(written->ranks[rank], clear_call);
        written->at[rank] = g_array_new(FALSE, FALSE, sizeof(guint32));
    }
    for (guint rank = 0; rank < skeleton->ranks; rank++)
        if (!write_rank(written, rank))
            return NULL;
    join(written, pairs);
    return g_steal_pointer(&written);
}

void dt_written_out_free(DtWrittenOut *written)
{
    if (!written)
        return;
    for (guint rank = 0; rank < written->skeleton->ranks; rank++) {
        g_clear_pointer(&written->ranks[rank], g_array_unref);
        g_clear_pointer(&written->at[rank], g_array_unref);
    }
    g_free(written->at);
    g_free(written->ranks);
    g_free(written->is_message);
    dt_recorded_calls_free(written->calls);
    dt_groups_free(written->groups);
    g_free(written);
}

/* ---- a skeleton again ------------------------------------------------------------------------ */

typedef struct {
    const DtWrittenOut *written;
    const gboolean *units, *ranks; /* that are gone */
    gboolean *broken;              /* units of messages whose other half is gone with its rank */
    DtSkeleton *skeleton;
    DtRecordedCalls *calls;
    GHashTable
        *places; /* group -> gint by rank in the world: the place in what is left of it, -1: none; the size last */
    GHashTable *comments; /* text -> number of its place */
    GHashTable *names;    /* of communicators that are used */
    guint64 count;
} Building;

static void mark_broken(Building *building)
{
    const DtWrittenOut *written = building->written;
    for (guint rank = 0; rank < written->skeleton->ranks; rank++)
        for (guint i = 0; building->ranks[rank] && i < written->ranks[rank]->len; i++) {
            guint unit = g_array_index(written->ranks[rank], DtWrittenCall, i).unit;
            building->broken[unit] |= written->is_message[unit];
        }
}

static const gint *places_in(const Building *building, guint64 group)
{
    gpointer key = GSIZE_TO_POINTER(group + 1);
    const guint ranks = building->written->skeleton->ranks;
    gint *places = g_hash_table_lookup(building->places, key);
    if (places)
        return places;
    places = g_new(gint, ranks + 1);
    memset(places, 0xff, ranks * sizeof(gint));
    places[ranks] = 0;
    for (guint i = 0; i < dt_groups_size(building->written->groups, group); i++) {
        gint member = dt_groups_member(building->written->groups, group, i);
        if (member >= 0 && !building->ranks[member])
            places[member] = places[ranks]++;
    }
    g_hash_table_insert(building->places, key, places);
    return places;
}

static DtValue moved_atom(const Building *building, DtValue value)
{
    return dt_atoms_intern(building->skeleton->atoms, dt_atoms_text(building->written->skeleton->atoms, value));
}

/* FALSE: there is no such peer any more. */
static gboolean move_peer(const Building *building, guint64 group, guint rank, DtValue *value)
{
    const gint *places = places_in(building, group);
    gint peer = dt_groups_peer(building->written->groups, group, rank, *value);
    gint64 size = places[building->written->skeleton->ranks];
    if (peer < 0 || places[peer] < 0 || places[rank] < 0)
        return FALSE;
    gint64 steps = (places[peer] - places[rank] + size) % size;
    *value = 2 * steps > size ? steps - size : steps;
    return TRUE;
}

static gboolean move_root(const Building *building, guint64 group, DtValue *value)
{
    gint root = dt_groups_member(building->written->groups, group, (guint)*value);
    if (root < 0 || places_in(building, group)[root] < 0)
        return FALSE;
    *value = places_in(building, group)[root];
    return TRUE;
}

/* The places of those requests that are still made; FALSE: there is none of them. */
static gboolean move_requests(const Building *building, const GArray *live, const GArray *makers, gboolean all,
                              DtValue *value)
{
    g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint i = 0; i < makers->len; i++)
        for (gint64 k = 0; k < live->len; k++)
            if (g_array_index(live, guint32, k) == g_array_index(makers, guint32, i))
                g_array_append_val(places, k);
    if (all || (places->len == live->len && live->len > 1))
        *value = dt_atoms_intern(building->skeleton->atoms, "all");
    else if (places->len == 1)
        *value = g_array_index(places, gint64, 0);
    else
        *value = dt_numbers_atom(building->skeleton->atoms, (const gint64 *)(gconstpointer)places->data, places->len);
    return places->len > 0 || makers->len == 0;
}

static gboolean move_field(const Building *building, guint rank, guint64 group, const DtWrittenCall *call,
                           const GArray *live, DtCallField *field)
{
    const gboolean is_atom = dt_value_is_atom(field->value);
    const gboolean all = is_atom && is_all(building->written->skeleton, field->value);
    if (field->kind == DT_ARGUMENT_LIVE && call->named)
        return move_requests(building, live, call->named, all, &field->value);
    if (field->kind == DT_FIELD_COMPLETED && call->completed)
        return move_requests(building, live, call->completed, FALSE, &field->value);
    if (is_atom) {
        field->value = moved_atom(building, field->value);
        return TRUE;
    }
    if (field->kind == DT_ARGUMENT_ROOT)
        return move_root(building, group, &field->value);
    return !dt_field_is_distance(field->kind) || field->kind == DT_ARGUMENT_KEY ||
           move_peer(building, group, rank, &field->value);
}

static guint64 group_of(const Building *building, guint rank, const DtRecordedCall *recorded, const char **name)
{
    DtValue value;
    *name = value_of(recorded, DT_ARGUMENT_COMMUNICATOR, &value) && dt_value_is_atom(value)
                ? dt_atoms_text(building->written->skeleton->atoms, value)
                : "world";
    return dt_groups_find(building->written->groups, *name, rank);
}

/* FALSE: it is gone. */
static gboolean move_call(Building *building, guint rank, const DtWrittenCall *call, const GArray *live,
                          DtRecordedCall *moved)
{
    const char *name;
    const DtRecordedCall *recorded = dt_recorded_call(building->written->calls, call->number);
    if (building->units[call->unit] || building->broken[call->unit])
        return FALSE;
    guint64 group = group_of(building, rank, recorded, &name);
    memset(moved, 0, sizeof *moved);
    moved->function = recorded->function;
    for (guint i = 0; i < recorded->count; i++) {
        DtCallField field = recorded->fields[i];
        if (field.kind == DT_ARGUMENT_REQUESTS)
            continue;
        if (!move_field(building, rank, group, call, live, &field))
            return FALSE;
        moved->fields[moved->count++] = field;
    }
    g_hash_table_add(building->names, (gpointer)name);
    return TRUE;
}

static guint32 place_of(Building *building, const char *comment)
{
    if (!comment)
        return 0;
    guint32 known = GPOINTER_TO_UINT(g_hash_table_lookup(building->comments, comment));
    if (known)
        return known;
    g_ptr_array_add(building->calls->places, g_strdup(comment));
    known = building->calls->places->len - 1;
    g_hash_table_insert(building->comments, (gpointer)comment, GUINT_TO_POINTER(known));
    return known;
}

static void build_rank(Building *building, guint rank)
{
    const GArray *calls = building->written->ranks[rank];
    g_autoptr(GArray) live = g_array_new(FALSE, FALSE, sizeof(guint32));
    DtCallSequence *sequence = g_new0(DtCallSequence, 1);
    sequence->rank = (guint)places_in(building, 0)[rank];
    sequence->calls = g_array_new(FALSE, FALSE, sizeof(guint32));
    sequence->places = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_ptr_array_add(building->calls->sequences, sequence);
    for (guint32 i = 0; i < calls->len; i++) {
        const DtWrittenCall *call = &g_array_index(calls, DtWrittenCall, i);
        DtRecordedCall moved;
        if (!move_call(building, rank, call, live, &moved))
            continue;
        guint32 number = dt_recorded_calls_intern(building->calls, &moved);
        guint32 place = place_of(building, call->comment);
        g_array_append_val(sequence->calls, number);
        g_array_append_val(sequence->places, place);
        building->count++;
        const struct dt_call *row = dt_call_find(building->written->skeleton->functions->pdata[moved.function]);
        DtValue told;
        gboolean any = row && (dt_call_has(row, DT_PARAMETER_INDEX) || dt_call_has(row, DT_PARAMETER_INDICES));
        gboolean ends =
            value_of(&moved, DT_FIELD_COMPLETED, &told) || (row && row->properties & DT_CALL_BLOCKING && !any);
        if (call->named && row && dt_call_has(row, DT_PARAMETER_REQUEST_FREED))
            remove_from(live, call->named);
        else if (call->completed || (call->named && ends))
            remove_completed(calls, building->written->calls, building->written->skeleton, live,
                             call->completed ? call->completed : call->named);
        if (call->makes)
            g_array_append_val(live, i);
    }
}

static void build_communicators(Building *building)
{
    const DtSkeleton *old = building->written->skeleton;
    const gint *places = places_in(building, 0);
    for (guint i = 0; i < old->communicators->len; i++) {
        const DtSkeletonCommunicator *from = old->communicators->pdata[i];
        if (!g_hash_table_contains(building->names, from->name))
            continue;
        DtSkeletonCommunicator *to = g_new0(DtSkeletonCommunicator, 1);
        to->name = g_strdup(from->name);
        to->groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
        g_ptr_array_add(building->skeleton->communicators, to);
        for (guint k = 0; k < from->groups->len; k++) {
            const GArray *group = from->groups->pdata[k];
            GArray *kept = g_array_new(FALSE, FALSE, sizeof(gint));
            for (guint m = 0; m < group->len; m++) {
                gint member = g_array_index(group, gint, m);
                if (member >= 0 && places[member] >= 0)
                    g_array_append_val(kept, places[member]);
            }
            if (kept->len > 0)
                g_ptr_array_add(to->groups, kept);
            else
                g_array_unref(kept);
        }
    }
}

DtSkeleton *dt_written_out_without(const DtWrittenOut *written, const gboolean *units, const gboolean *ranks,
                                   guint64 *count)
{
    g_autoptr(DtRecordedCalls) calls = dt_recorded_calls_new();
    g_autoptr(GHashTable) places = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) comments = g_hash_table_new(g_str_hash, g_str_equal);
    const DtSkeletonOptions how = {0};
    g_autofree gboolean *broken = g_new0(gboolean, written->units + 1);
    Building building = {written, units, ranks, broken, dt_skeleton_new(), calls, places, comments, names, 0};
    for (guint i = 0; i < written->skeleton->functions->len; i++)
        g_ptr_array_add(building.skeleton->functions, g_strdup(written->skeleton->functions->pdata[i]));
    mark_broken(&building);
    for (guint rank = 0; rank < written->skeleton->ranks; rank++)
        if (!ranks[rank]) {
            building.skeleton->ranks++;
            build_rank(&building, rank);
        }
    build_communicators(&building);
    dt_skeleton_merge(building.skeleton, calls, &how);
    if (count)
        *count = building.count;
    return building.skeleton;
}
