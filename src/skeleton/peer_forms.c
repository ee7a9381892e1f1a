#include "skeleton/peer_forms.h"

#include <string.h>

#include "format/arguments.h"
#include "skeleton/fields.h"

enum { MOST_TAGS = 16, SEARCHED = 8, NO_COST = 1 << 29, LEAST_PLACES = 4, PEER_COST = 4, MOST_FACTORED = 4096 };

/* Calls that have one form: of a field of one function, communicator and tag. */
typedef struct {
    guint function, kind;
    DtValue communicator, tag;
} Key;

/* What a rank does in a group: its peers in the order of their first visit, and in which order it visits them. */
typedef struct {
    GArray *peers;      /* DtValue: distances */
    GHashTable *places; /* distance -> index + 1; of more than SEARCHED peers */
    guint64 pattern;
} Row;

typedef struct {
    Row row;                          /* of the sequence that is looked at */
    guint cost[DT_PEER_FORMS];        /* of all rows; from NO_COST on: the form does not tell some peer */
    GHashTable *known[DT_PEER_FORMS]; /* rows that are counted in it */
    GHashTable *peers[DT_PEER_FORMS]; /* and peers */
    guint tried, is_last;             /* calls behind a receive from anybody; those to its source */
    DtValue first_last;               /* the first of these sources */
    gboolean varies;                  /* there are others */
    guint ranks;                      /* that visit it */
    DtPeerForm form;
} Group;

/* The group of a field of a call. */
typedef struct {
    guint field;
    guint group;
} Place;

typedef struct {
    DtSkeleton *skeleton;
    DtRecordedCalls *calls;
    GHashTable *keys;  /* Key -> group + 1 */
    GArray *groups;    /* Group */
    GPtrArray *places; /* GArray of Place, by call; NULL: it has no peers */
    GHashTable *tags;  /* Key without kind and tag -> GHashTable of tags */
    GHashTable *views; /* communicator -> DtPeerView, of the rank that is looked at */
    const DtMesh *mesh;
    gboolean uses_steps;
} Choosing;

/* ---- groups ---------------------------------------------------------------------------------- */

static guint hash_key(gconstpointer data)
{
    const Key *key = data;
    guint64 hash = key->function * 31u + key->kind;
    hash = (hash ^ (guint64)key->communicator) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    hash = (hash ^ (guint64)key->tag) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

static gboolean equal_keys(gconstpointer first, gconstpointer second)
{
    const Key *a = first, *b = second;
    return a->function == b->function && a->kind == b->kind && a->communicator == b->communicator && a->tag == b->tag;
}

static void clear_group(gpointer data)
{
    Group *group = data;
    g_array_unref(group->row.peers);
    g_hash_table_unref(group->row.places);
    for (guint form = 0; form < DT_PEER_FORMS; form++) {
        g_hash_table_unref(group->known[form]);
        g_hash_table_unref(group->peers[form]);
    }
}

static guint find_group(Choosing *choosing, const Key *key)
{
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(choosing->keys, key));
    if (known)
        return known - 1;
    Group group = {.row = {g_array_new(FALSE, FALSE, sizeof(DtValue)),
                           g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL), 0}};
    for (guint form = 0; form < DT_PEER_FORMS; form++) {
        group.peers[form] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
        group.known[form] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    }
    g_array_append_val(choosing->groups, group);
    g_hash_table_insert(choosing->keys, g_memdup2(key, sizeof *key), GUINT_TO_POINTER(choosing->groups->len));
    return choosing->groups->len - 1;
}

static Group *group_at(const Choosing *choosing, guint group)
{
    return &g_array_index(choosing->groups, Group, group);
}

/* The first or the last one; FALSE: there is none. */
static gboolean find_value(const DtRecordedCall *call, guint kind, gboolean last, DtValue *value)
{
    gboolean found = FALSE;
    for (guint i = 0; i < call->count && (last || !found); i++)
        if (call->fields[i].kind == kind) {
            *value = call->fields[i].value;
            found = TRUE;
        }
    return found;
}

/* FALSE: peers of the call are not of one group of ranks, or of one that is not known. */
static gboolean has_peers(const Choosing *choosing, const DtRecordedCall *call, DtValue *communicator)
{
    if (!find_value(call, DT_ARGUMENT_COMMUNICATOR, FALSE, communicator) || !dt_value_is_atom(*communicator))
        return FALSE;
    const char *name = dt_atoms_text(choosing->skeleton->atoms, *communicator);
    return *name != '#' && !g_hash_table_contains(choosing->calls->between, name);
}

static GHashTable *tags_of(Choosing *choosing, const DtRecordedCall *call, DtValue communicator)
{
    const Key key = {call->function, 0, communicator, 0};
    GHashTable *tags = g_hash_table_lookup(choosing->tags, &key);
    if (!tags) {
        tags = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
        g_hash_table_insert(choosing->tags, g_memdup2(&key, sizeof key), tags);
    }
    return tags;
}

/* Calls that were not looked at yet. A program that numbers its messages by tags has one group for them. */
static void find_places(Choosing *choosing)
{
    const GPtrArray *all = choosing->calls->calls;
    DtValue communicator, tag;
    for (guint i = choosing->places->len; i < all->len; i++)
        for (gboolean last = FALSE; has_peers(choosing, all->pdata[i], &communicator) && last <= TRUE; last++)
            if (find_value(all->pdata[i], DT_ARGUMENT_TAG, last, &tag))
                g_hash_table_add(tags_of(choosing, all->pdata[i], communicator), g_memdup2(&tag, sizeof tag));
    for (guint i = choosing->places->len; i < all->len; i++) {
        const DtRecordedCall *call = all->pdata[i];
        GArray *places = NULL;
        for (guint f = 0; has_peers(choosing, call, &communicator) && f < call->count; f++) {
            Key key = {call->function, call->fields[f].kind, communicator, -1};
            if (!dt_field_is_peer(key.kind) || call->fields[f].value >= DT_PEER_RANK)
                continue;
            if (g_hash_table_size(tags_of(choosing, call, communicator)) <= MOST_TAGS)
                find_value(call, DT_ARGUMENT_TAG, key.kind != DT_ARGUMENT_TO, &key.tag);
            Place place = {f, find_group(choosing, &key)};
            places = places ? places : g_array_new(FALSE, FALSE, sizeof(Place));
            g_array_append_val(places, place);
        }
        g_ptr_array_add(choosing->places, places);
    }
}

static const GArray *places_of(const Choosing *choosing, const DtCallSequence *sequence, guint at)
{
    return choosing->places->pdata[g_array_index(sequence->calls, guint32, at)];
}

/* ---- the source of the latest receive from anybody ------------------------------------------- */

typedef void (*LastVisit)(Choosing *choosing, DtCallSequence *sequence, guint at, const Place *place, DtValue last);

static void visit_last(Choosing *choosing, DtCallSequence *sequence, LastVisit visit)
{
    DtValue last = choosing->skeleton->nobody;
    for (guint at = 0; at < sequence->calls->len; at++) {
        const GArray *places = places_of(choosing, sequence, at);
        DtValue got = last;
        for (guint i = 0; places && i < places->len; i++) {
            const Place *place = &g_array_index(places, Place, i);
            const DtRecordedCall *call = dt_recorded_call(choosing->calls, g_array_index(sequence->calls, guint32, at));
            if (call->fields[place->field].kind == DT_FIELD_SOURCE)
                got = call->fields[place->field].value;
            else if (!dt_value_is_atom(last))
                visit(choosing, sequence, at, place, last);
        }
        last = got;
    }
}

static DtValue peer_at(const Choosing *choosing, const DtCallSequence *sequence, guint at, const Place *place)
{
    return dt_recorded_call(choosing->calls, g_array_index(sequence->calls, guint32, at))->fields[place->field].value;
}

static void count_last(Choosing *choosing, DtCallSequence *sequence, guint at, const Place *place, DtValue last)
{
    Group *group = group_at(choosing, place->group);
    DtValue peer = peer_at(choosing, sequence, at, place);
    group->tried++;
    if (peer != last)
        return;
    if (group->is_last++ == 0)
        group->first_last = peer;
    group->varies |= group->first_last != peer;
}

/* It says more than a distance if it is another one from time to time. */
static gboolean answers(const Group *group)
{
    return group->varies && 2 * group->is_last >= group->tried;
}

static void put_last(Choosing *choosing, DtCallSequence *sequence, guint at, const Place *place, DtValue last)
{
    if (!answers(group_at(choosing, place->group)) || peer_at(choosing, sequence, at, place) != last)
        return;
    guint32 *number = &g_array_index(sequence->calls, guint32, at);
    DtRecordedCall call = *dt_recorded_call(choosing->calls, *number);
    call.fields[place->field].value = DT_PEER_LAST;
    *number = dt_recorded_calls_intern(choosing->calls, &call);
}

static void find_last(Choosing *choosing)
{
    for (guint i = 0; i < choosing->calls->sequences->len; i++) {
        for (guint g = 0; g < choosing->groups->len; g++) {
            Group *group = group_at(choosing, g);
            group->tried = group->is_last = 0;
            group->varies = FALSE;
        }
        visit_last(choosing, choosing->calls->sequences->pdata[i], count_last);
        visit_last(choosing, choosing->calls->sequences->pdata[i], put_last);
    }
    find_places(choosing);
}

/* ---- what a form takes ----------------------------------------------------------------------- */

/* The rank's view of a communicator. */
static const DtPeerView *view_of(Choosing *choosing, DtValue communicator, guint rank)
{
    gpointer key = GSIZE_TO_POINTER((gsize)(communicator - DT_FIRST_ATOM) + 1);
    DtPeerView *view = g_hash_table_lookup(choosing->views, key);
    if (!view) {
        view = g_new0(DtPeerView, 1);
        dt_skeleton_find_member(choosing->skeleton, dt_atoms_text(choosing->skeleton->atoms, communicator), rank,
                                &view->index, &view->size);
        view->last = choosing->skeleton->nobody;
        g_hash_table_insert(choosing->views, key, view);
    }
    view->mesh = choosing->mesh;
    return view;
}

static void add_visit(Row *row, DtValue peer)
{
    guint index = 0;
    if (row->peers->len > SEARCHED) {
        guint known = GPOINTER_TO_UINT(g_hash_table_lookup(row->places, &peer));
        index = known ? known - 1 : row->peers->len;
    } else {
        while (index < row->peers->len && g_array_index(row->peers, DtValue, index) != peer)
            index++;
    }
    row->pattern = (row->pattern ^ index) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + 1;
    if (index < row->peers->len)
        return;
    g_array_append_val(row->peers, peer);
    for (guint i = index < SEARCHED ? row->peers->len : index == SEARCHED ? 0 : index; i < row->peers->len; i++)
        g_hash_table_insert(row->places, g_memdup2(&g_array_index(row->peers, DtValue, i), sizeof peer),
                            GUINT_TO_POINTER(i + 1));
}

/* A row that no rank before had takes what there is to write. */
static void count_row(Group *group, DtPeerForm form, const DtPeerView *view)
{
    const GArray *peers = group->row.peers;
    g_autofree DtValue *values = g_new(DtValue, peers->len);
    g_autoptr(GString) key = g_string_new(NULL);
    for (guint i = 0; i < peers->len; i++) {
        DtValue peer = g_array_index(peers, DtValue, i);
        if (!dt_value_is_atom(peer) && !dt_peer_in_form(peer, form, view, &values[i])) {
            group->cost[form] = NO_COST;
            return;
        }
        values[i] = dt_value_is_atom(peer) ? peer : values[i];
        if (group->cost[form] < NO_COST &&
            g_hash_table_add(group->peers[form], g_memdup2(&values[i], sizeof values[i])))
            group->cost[form] += PEER_COST;
        g_string_append_printf(key, "%" G_GINT64_FORMAT " ", values[i]);
    }
    g_string_append_printf(key, "%" G_GUINT64_FORMAT, group->row.pattern);
    if (group->cost[form] >= NO_COST || !g_hash_table_add(group->known[form], g_strdup(key->str)))
        return;
    /* A progression of a few is chance. */
    g_autoptr(DtRow) folded = dt_row_fold(values, peers->len);
    group->cost[form] += 1 + (2 * dt_row_size(folded) < peers->len ? dt_row_size(folded) : peers->len);
}

static void count_sequence(Choosing *choosing, const DtCallSequence *sequence, DtPeerForm first, DtPeerForm end)
{
    g_autofree DtValue *communicator = g_new0(DtValue, choosing->groups->len + 1);
    for (guint at = 0; at < sequence->calls->len; at++) {
        const GArray *places = places_of(choosing, sequence, at);
        for (guint i = 0; places && i < places->len; i++) {
            const Place *place = &g_array_index(places, Place, i);
            const DtRecordedCall *call = dt_recorded_call(choosing->calls, g_array_index(sequence->calls, guint32, at));
            find_value(call, DT_ARGUMENT_COMMUNICATOR, FALSE, &communicator[place->group]);
            add_visit(&group_at(choosing, place->group)->row, call->fields[place->field].value);
        }
    }
    g_hash_table_remove_all(choosing->views);
    for (guint g = 0; g < choosing->groups->len; g++) {
        Group *group = group_at(choosing, g);
        group->ranks += first == 0 && group->row.peers->len > 0;
        for (DtPeerForm form = first; group->row.peers->len > 0 && form < end; form++)
            count_row(group, form, view_of(choosing, communicator[g], sequence->rank));
        g_array_set_size(group->row.peers, 0);
        g_hash_table_remove_all(group->row.places);
        group->row.pattern = 0;
    }
}

/* Of all groups, each in its best form up to the last one counted. */
static guint64 count_forms(Choosing *choosing, DtPeerForm first, DtPeerForm end)
{
    guint64 cost = 0;
    for (guint g = 0; g < choosing->groups->len; g++)
        for (DtPeerForm form = first; form < end; form++) {
            group_at(choosing, g)->cost[form] = 0;
            g_hash_table_remove_all(group_at(choosing, g)->known[form]);
            g_hash_table_remove_all(group_at(choosing, g)->peers[form]);
        }
    for (guint i = 0; i < choosing->calls->sequences->len; i++)
        count_sequence(choosing, choosing->calls->sequences->pdata[i], first, end);
    for (guint g = 0; g < choosing->groups->len; g++) {
        guint best = NO_COST;
        for (DtPeerForm form = 0; form < end; form++)
            best = MIN(best, group_at(choosing, g)->cost[form]);
        cost += best;
    }
    return cost;
}

/* Steps or distances, unless ranks or bits take clearly less, or a single rank has several peers. */
static DtPeerForm best_form(const Group *group)
{
    const guint *cost = group->cost;
    if (group->ranks == 1 && g_hash_table_size(group->peers[DT_BY_RANK]) > 1 && cost[DT_BY_RANK] < NO_COST)
        return DT_BY_RANK;
    DtPeerForm way = cost[DT_BY_STEPS] <= cost[DT_BY_DISTANCE] ? DT_BY_STEPS : DT_BY_DISTANCE;
    DtPeerForm other = cost[DT_BY_RANK] <= cost[DT_BY_BITS] ? DT_BY_RANK : DT_BY_BITS;
    return 4 * cost[other] < 3 * cost[way] ? other : way;
}

/* ---- the mesh -------------------------------------------------------------------------------- */

/* "<4 2-3>": what a call was given. */
static gboolean read_dimensions(const char *text, DtMesh *mesh)
{
    *mesh = (DtMesh){0};
    for (const char *at = text + strcspn(text, "0123456789"); g_ascii_isdigit(*at); at += strcspn(at, "0123456789")) {
        char *end;
        guint64 first = g_ascii_strtoull(at, &end, 10), last = first, times = 1;
        if (*end == '-')
            last = g_ascii_strtoull(end + 1, &end, 10);
        if (*end == '^')
            times = g_ascii_strtoull(end + 1, &end, 10);
        for (guint64 time = 0; time < times; time++)
            for (guint64 size = first; size <= last; size++) {
                if (mesh->axes == DT_MESH_AXES || size == 0 || size > G_MAXINT)
                    return FALSE;
                mesh->size[mesh->axes++] = (guint)size;
            }
        at = end;
    }
    return mesh->axes > 0;
}

static guint count_axes(const DtMesh *mesh)
{
    guint axes = 0;
    for (guint axis = 0; axis < mesh->axes; axis++)
        axes += mesh->size[axis] > 1;
    return axes;
}

/* That of the recorded MPI_Cart_create with the most axes, and then the most places. */
static gboolean find_recorded_mesh(const Choosing *choosing, DtMesh *best)
{
    *best = (DtMesh){0};
    for (guint i = 0; i < choosing->calls->calls->len; i++) {
        const DtRecordedCall *call = choosing->calls->calls->pdata[i];
        DtValue dimensions;
        DtMesh mesh;
        if (!g_str_equal(choosing->skeleton->functions->pdata[call->function], "MPI_Cart_create") ||
            !find_value(call, DT_ARGUMENT_DIMENSIONS, FALSE, &dimensions) || !dt_value_is_atom(dimensions) ||
            !read_dimensions(dt_atoms_text(choosing->skeleton->atoms, dimensions), &mesh))
            continue;
        gint order = (gint)count_axes(&mesh) - (gint)count_axes(best);
        gint64 places = (gint64)dt_mesh_places(&mesh) - (gint64)dt_mesh_places(best);
        if (order == 0 && places == 0)
            order = memcmp(best->size, mesh.size, sizeof mesh.size);
        if (order > 0 || (order == 0 && places > 0))
            *best = mesh;
    }
    return count_axes(best) >= 2 && dt_mesh_places(best) <= choosing->skeleton->ranks;
}

typedef struct {
    DtMesh mesh;
    guint64 cost;
    guint groups; /* that it tells by steps */
} Factors;

static guint count_groups_by_steps(const Choosing *choosing)
{
    guint count = 0;
    for (guint g = 0; g < choosing->groups->len; g++)
        count += best_form(group_at(choosing, g)) == DT_BY_STEPS;
    return count;
}

/* All ways to write `left` as a product of two or three numbers. Of those that take the same that which tells most
 * groups, then the one with fewer axes, then the first. */
static void try_meshes(Choosing *choosing, DtMesh *mesh, guint left, Factors *best)
{
    if (mesh->axes > 0 && left > 1) {
        DtMesh whole = *mesh;
        whole.size[whole.axes++] = left;
        choosing->mesh = &whole;
        Factors own = {whole, count_forms(choosing, DT_BY_STEPS, DT_BY_STEPS + 1), 0};
        own.groups = count_groups_by_steps(choosing);
        gint order = own.cost != best->cost ? (own.cost < best->cost ? -1 : 1) : (gint)best->groups - (gint)own.groups;
        if (order < 0 || (order == 0 && whole.axes < best->mesh.axes))
            *best = own;
    }
    for (guint size = 2; mesh->axes < 2 && size < left; size++)
        if (left % size == 0) {
            mesh->size[mesh->axes++] = size;
            try_meshes(choosing, mesh, left / size, best);
            mesh->axes--;
        }
}

/* That by which rows take clearly less. */
static DtMesh find_factors(Choosing *choosing, guint64 without)
{
    DtMesh factors = {0};
    Factors best = {.cost = without};
    const guint ranks = choosing->skeleton->ranks;
    if (ranks >= LEAST_PLACES && ranks <= MOST_FACTORED)
        try_meshes(choosing, &factors, ranks, &best);
    return 4 * best.cost < 3 * without ? best.mesh : (DtMesh){0};
}

static void find_mesh(Choosing *choosing, const DtSkeletonOptions *options)
{
    DtMesh *mesh = &choosing->skeleton->mesh;
    choosing->mesh = mesh;
    guint64 without = count_forms(choosing, 0, DT_BY_STEPS);
    if (options->mesh.axes > 0)
        *mesh = options->mesh;
    else if (!options->no_mesh && !find_recorded_mesh(choosing, mesh))
        *mesh = find_factors(choosing, without);
    choosing->mesh = mesh;
    count_forms(choosing, DT_BY_STEPS, DT_BY_STEPS + 1);
}

/* ---- rewriting ------------------------------------------------------------------------------- */

static guint32 rewritten(Choosing *choosing, guint32 number, guint rank)
{
    const GArray *places = choosing->places->pdata[number];
    DtRecordedCall call = *dt_recorded_call(choosing->calls, number);
    DtValue communicator = 0;
    for (guint i = 0; places && i < places->len; i++) {
        const Place *place = &g_array_index(places, Place, i);
        DtValue *value = &call.fields[place->field].value;
        if (dt_value_is_atom(*value) || !find_value(&call, DT_ARGUMENT_COMMUNICATOR, FALSE, &communicator))
            continue;
        dt_peer_in_form(*value, group_at(choosing, place->group)->form, view_of(choosing, communicator, rank), value);
        choosing->uses_steps |= dt_peer_axes(*value) > 0;
    }
    return dt_recorded_calls_intern(choosing->calls, &call);
}

static void rewrite(Choosing *choosing, DtCallSequence *sequence)
{
    g_autofree guint32 *known = g_new0(guint32, choosing->places->len + 1);
    g_hash_table_remove_all(choosing->views);
    for (guint at = 0; at < sequence->calls->len; at++) {
        guint32 *number = &g_array_index(sequence->calls, guint32, at);
        if (!choosing->places->pdata[*number])
            continue;
        if (!known[*number])
            known[*number] = rewritten(choosing, *number, sequence->rank) + 1;
        *number = known[*number] - 1;
    }
}

static void free_places(gpointer places)
{
    if (places)
        g_array_unref(places);
}

static void unref_table(gpointer table)
{
    g_hash_table_unref(table);
}

void dt_peers_choose_forms(DtSkeleton *skeleton, DtRecordedCalls *calls, const DtSkeletonOptions *options)
{
    g_autoptr(GHashTable) keys = g_hash_table_new_full(hash_key, equal_keys, g_free, NULL);
    g_autoptr(GHashTable) tags = g_hash_table_new_full(hash_key, equal_keys, g_free, unref_table);
    g_autoptr(GHashTable) views = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(Group));
    g_autoptr(GPtrArray) places = g_ptr_array_new_with_free_func(free_places);
    Choosing choosing = {.skeleton = skeleton,
                         .calls = calls,
                         .keys = keys,
                         .groups = groups,
                         .places = places,
                         .tags = tags,
                         .views = views};
    g_array_set_clear_func(groups, clear_group);
    find_places(&choosing);
    find_last(&choosing);
    find_mesh(&choosing, options);
    for (guint g = 0; g < groups->len; g++)
        group_at(&choosing, g)->form = best_form(group_at(&choosing, g));
    for (guint i = 0; i < calls->sequences->len; i++)
        rewrite(&choosing, calls->sequences->pdata[i]);
    if (!choosing.uses_steps && options->mesh.axes == 0)
        skeleton->mesh = (DtMesh){0};
}
