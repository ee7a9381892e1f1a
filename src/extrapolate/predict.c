/* The skeleton of another size from the formulas. */
#include <string.h>

#include "extrapolate/node_time_laws.h"
#include "extrapolate/stage_laws.h"
#include "format/arguments.h"
#include "skeleton/fields.h"
#include "skeleton/merge.h"
#include "text/text.h"

typedef struct {
    const DtLaws *laws;
    DtSkeleton *skeleton;
    DtMesh mesh;
    gboolean by_steps;   /* peers of the world are told so */
    GHashTable *origins; /* call -> that of the merged skeleton */
    GPtrArray *path;     /* loops around what is predicted */
    guint *functions;    /* by function of the merged skeleton: index + 1; 0: not there yet */
    GError **error;
} Predicting;

static void clear_field(gpointer data)
{
    g_array_unref(((DtField *)data)->pieces);
}

static void clear_piece(gpointer data)
{
    dt_row_free(((DtPiece *)data)->row);
}

static const char *name_of(const Predicting *predicting, const DtSkeletonNode *node)
{
    return dt_skeleton_node_is_loop(node)
               ? "a loop"
               : (const char *)predicting->laws->sizes->merged->functions->pdata[node->function];
}

static gboolean fail_without(const Predicting *predicting, const DtSkeletonNode *node, const char *what)
{
    const DtLawCounts *counts = &predicting->laws->counts;
    g_autofree char *further = dt_laws_further_run(predicting->laws);
    dt_set_error(
        predicting->error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_NO_LAW,
        "no formula for %s of %s%s%s: %u of %u lines have none; --formulas shows them. %s would decide more, if "
        "neither data nor chance do",
        what, name_of(predicting, node), node->comment ? " at " : "", node->comment ? node->comment : "",
        counts->without, counts->without + counts->proved + counts->unproved, further);
    return FALSE;
}

static gboolean fail_there(const Predicting *predicting, const DtSkeletonNode *node, const char *what, guint rank)
{
    g_autofree char *mesh = dt_mesh_text(&predicting->mesh), *further = dt_laws_further_run(predicting->laws);
    dt_set_error(predicting->error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_NOT_WHOLE,
                 "the formula for %s of %s%s%s gives nothing that can be on rank %u of %s: take another size. %s would "
                 "decide more",
                 what, name_of(predicting, node), node->comment ? " at " : "", node->comment ? node->comment : "", rank,
                 mesh, further);
    return FALSE;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Ranks with equal rows. */
typedef struct {
    GArray *values; /* DtValue */
    GArray *ranks;  /* guint */
} Same;

static void free_same(gpointer data)
{
    Same *same = data;
    g_array_unref(same->values);
    g_array_unref(same->ranks);
    g_free(same);
}

/* Of peers in the call's communicator, which is known when they come. */
static DtSpot spot_of_peers(const Predicting *predicting, const DtSkeletonNode *node, const DtSpot *own)
{
    const DtAtoms *atoms = predicting->skeleton->atoms;
    for (guint i = 0; i < node->fields->len; i++) {
        const DtField *field = &g_array_index(node->fields, DtField, i);
        for (guint k = 0; field->kind == DT_ARGUMENT_COMMUNICATOR && k < field->pieces->len; k++) {
            const DtPiece *piece = &g_array_index(field->pieces, DtPiece, k);
            if (!dt_rank_set_has(piece->on, (guint)own->rank))
                continue;
            DtRowCursor cursor;
            dt_row_cursor_begin(&cursor, piece->row);
            const DtValue value = dt_row_cursor_next(&cursor);
            const char *name = dt_value_is_atom(value) ? dt_atoms_text(atoms, value) : "world";
            guint index, size;
            if (g_str_equal(name, "world"))
                return *own;
            dt_skeleton_find_member(predicting->skeleton, name, (guint)own->rank, &index, &size);
            return size == (guint)own->ranks ? dt_spot(index, size, &predicting->mesh)
                                             : dt_spot_in_row(index, MAX(size, 1));
        }
    }
    return *own;
}

static DtValue distance_of(const Predicting *predicting, const DtSpot *spot, DtValue peer)
{
    if (dt_value_is_atom(peer) || peer >= DT_PEER_LAST)
        return peer;
    const DtPeerView view = {(guint)spot->rank, (guint)spot->ranks, &predicting->mesh, DT_PEER_LAST};
    DtValue distance = dt_peer_distance(DT_PEER_RANK + peer, &view), steps;
    if (predicting->by_steps && spot->axes > 1 && dt_peer_in_form(distance, DT_BY_STEPS, &view, &steps))
        return steps;
    return distance;
}

static const DtPieceLaw *piece_at(const DtFieldLaw *law, const DtSpot *spot)
{
    for (guint i = 0; i < law->pieces->len; i++) {
        const DtPieceLaw *piece = law->pieces->pdata[i];
        if (dt_condition_holds(piece->on, spot))
            return piece;
    }
    return NULL;
}

static void add_same(GHashTable *known, GPtrArray *all, const GArray *values, guint rank)
{
    GBytes *key = g_bytes_new(values->data, values->len * sizeof(DtValue));
    Same *same = g_hash_table_lookup(known, key);
    if (!same) {
        same = g_new0(Same, 1);
        same->values = g_array_copy((GArray *)values);
        same->ranks = g_array_new(FALSE, FALSE, sizeof(guint));
        g_ptr_array_add(all, same);
        g_hash_table_insert(known, g_bytes_ref(key), same);
    }
    g_bytes_unref(key);
    g_array_append_val(same->ranks, rank);
}

static void add_field(Predicting *predicting, DtSkeletonNode *node, guint kind, const GPtrArray *all)
{
    DtField field = {kind, g_array_new(FALSE, FALSE, sizeof(DtPiece))};
    g_array_set_clear_func(field.pieces, clear_piece);
    for (guint i = 0; i < all->len; i++) {
        const Same *same = all->pdata[i];
        const DtPiece piece = {dt_rank_set_of(predicting->skeleton->sets,
                                              (const guint *)(gconstpointer)same->ranks->data, same->ranks->len),
                               dt_row_fold((const DtValue *)(gconstpointer)same->values->data, same->values->len)};
        g_array_append_val(field.pieces, piece);
    }
    g_array_append_val(node->fields, field);
}

/* Arguments without a formula are unknown, outcomes left out. */
static void leave_open(Predicting *predicting, const DtFieldLaw *law, const GArray *members, DtSkeletonNode *node)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_same);
    Same *same = g_new0(Same, 1);
    const DtValue unknown = dt_atoms_intern(predicting->skeleton->atoms, dt_special_word(DT_SPECIAL_UNKNOWN));
    same->values = g_array_new(FALSE, FALSE, sizeof(DtValue));
    same->ranks = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_val(same->values, unknown);
    g_ptr_array_add(all, same);
    for (guint i = 0; !dt_field_is_outcome(law->kind) && i < members->len; i++) {
        const guint rank = g_array_index(members, guint, i);
        const DtSpot own = dt_spot(rank, predicting->skeleton->ranks, &predicting->mesh);
        if (dt_condition_holds(law->on, &own))
            g_array_append_val(same->ranks, rank);
    }
    if (same->ranks->len > 0)
        add_field(predicting, node, law->kind, all);
}

static gboolean predict_field(Predicting *predicting, const DtNodeLaw *of, const DtFieldLaw *law, const GArray *members,
                              DtSkeletonNode *node)
{
    const char *what = law->kind == DT_FIELD_TIMES ? "the rounds" : dt_field_name(law->kind);
    if (!dt_laws_tell(predicting->laws, law)) {
        if (!dt_field_may_be_untold(law))
            return fail_without(predicting, of->node, what);
        leave_open(predicting, law, members, node);
        return TRUE;
    }
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_same);
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(DtValue));
    for (guint i = 0; i < members->len; i++) {
        const guint rank = g_array_index(members, guint, i);
        const DtSpot own = dt_spot(rank, predicting->skeleton->ranks, &predicting->mesh);
        if (!dt_condition_holds(law->on, &own))
            continue;
        const DtPieceLaw *piece = piece_at(law, &own);
        const gboolean is_peer = dt_field_is_peer(law->kind);
        const DtSpot spot = is_peer ? spot_of_peers(predicting, node, &own) : own;
        g_array_set_size(values, 0);
        if (!piece ||
            !dt_series_at(piece->series, predicting->laws->sizes, &own, &spot, predicting->skeleton->atoms, values) ||
            values->len == 0)
            return fail_there(predicting, of->node, what, rank);
        for (guint k = 0; is_peer && k < values->len; k++) {
            DtValue *value = &g_array_index(values, DtValue, k);
            *value = distance_of(predicting, &spot, *value);
        }
        add_same(known, all, values, rank);
    }
    if (all->len > 0)
        add_field(predicting, node, law->kind, all);
    return TRUE;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static guint function_of(Predicting *predicting, guint function)
{
    guint *known = &predicting->functions[function];
    if (*known == 0) {
        g_ptr_array_add(predicting->skeleton->functions,
                        g_strdup(predicting->laws->sizes->merged->functions->pdata[function]));
        *known = predicting->skeleton->functions->len;
    }
    return *known - 1;
}

static GArray *members_there(const Predicting *predicting, const DtNodeLaw *law, const GArray *among)
{
    GArray *members = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < among->len; i++) {
        const guint rank = g_array_index(among, guint, i);
        const DtSpot spot = dt_spot(rank, predicting->skeleton->ranks, &predicting->mesh);
        if (dt_condition_holds(law->on, &spot))
            g_array_append_val(members, rank);
    }
    return members;
}

static DtSkeletonNode *add_node(Predicting *predicting, const DtNodeLaw *law, const GArray *members, GPtrArray *nodes)
{
    DtSkeletonNode *node = g_new0(DtSkeletonNode, 1);
    node->on = dt_rank_set_of(predicting->skeleton->sets, (const guint *)(gconstpointer)members->data, members->len);
    node->function = law->children ? G_MAXUINT : function_of(predicting, law->node->function);
    node->fields = g_array_new(FALSE, FALSE, sizeof(DtField));
    node->comment = g_strdup(law->node->comment);
    g_array_set_clear_func(node->fields, clear_field);
    g_ptr_array_add(nodes, node);
    g_hash_table_insert(predicting->origins, node, (gpointer)law->node);
    return node;
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* Ranks at the stages of a loop. */
typedef struct {
    const DtNodeLaw *law;
    guint rank;
    gint64 rounds;
    guint64 visits; /* of the loop */
    DtSpot spot;
} Staged;

static Staged staged_of(const Predicting *predicting, const DtNodeLaw *law, const DtSkeletonNode *loop, guint rank)
{
    Staged staged = {.law = law, .rank = rank, .visits = dt_stages_visits(predicting->path, rank)};
    const DtField *times = &g_array_index(loop->fields, DtField, 0);
    for (guint i = 0; i < times->pieces->len; i++) {
        const DtPiece *piece = &g_array_index(times->pieces, DtPiece, i);
        DtRowCursor cursor;
        if (!dt_rank_set_has(piece->on, rank))
            continue;
        dt_row_cursor_begin(&cursor, piece->row);
        staged.rounds = dt_row_cursor_next(&cursor);
    }
    guint member, members;
    dt_skeleton_find_member(predicting->skeleton, law->communicator, rank, &member, &members);
    staged.spot = dt_stage_spot(member, MAX(members, 1), 0, staged.rounds);
    return staged;
}

static gboolean has_word(const Staged *staged, const DtNodeLaw *word, gint64 stage, DtSpot *spot)
{
    *spot = staged->spot;
    spot->visit = stage;
    return dt_condition_holds(word->at, spot);
}

/* A row as often as its loop is come to; its last value says how often. */
static DtRow *row_of_visits(const GArray *values)
{
    const DtValue *value = (const DtValue *)(gconstpointer)values->data;
    const guint count = values->len - 1;
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(DtRowPart));
    const DtRowPart part = {.count = (guint64)value[count], .inner = dt_row_fold(value, count)};
    if (part.count == 1)
        return part.inner;
    g_array_append_val(parts, part);
    return dt_row_of_parts(parts);
}

static gboolean add_rows(Predicting *predicting, DtSkeletonNode *node, guint kind, const GPtrArray *all)
{
    DtField field = {kind, g_array_new(FALSE, FALSE, sizeof(DtPiece))};
    gboolean good = TRUE;
    g_array_set_clear_func(field.pieces, clear_piece);
    for (guint i = 0; i < all->len; i++) {
        const Same *same = all->pdata[i];
        const DtPiece piece = {dt_rank_set_of(predicting->skeleton->sets,
                                              (const guint *)(gconstpointer)same->ranks->data, same->ranks->len),
                               row_of_visits(same->values)};
        good = good && piece.row;
        g_array_append_val(field.pieces, piece);
    }
    g_array_append_val(node->fields, field);
    return good;
}

/* The value of a field of the rank at a stage. FALSE: there is none. */
static gboolean value_at_stage(const Predicting *predicting, const DtFieldLaw *law, const DtSkeletonNode *node,
                               const DtSpot *spot, guint rank, DtValue *value)
{
    DtSpot own = dt_spot(rank, predicting->skeleton->ranks, &predicting->mesh);
    const DtSpot peers = spot_of_peers(predicting, node, &own);
    const DtPieceLaw *piece = piece_at(law, spot);
    own.visit = spot->visit;
    own.visits = spot->visits;
    if (!piece ||
        !dt_series_at_stage(piece->series, predicting->laws->sizes, &own, spot, predicting->skeleton->atoms, value))
        return FALSE;
    if (dt_field_is_peer(law->kind))
        *value = distance_of(predicting, &peers, *value);
    return TRUE;
}

typedef struct {
    GPtrArray *all; /* Same */
    GHashTable *known;
    GArray *values;
} Rows;

static void add_row(Rows *rows, const Staged *staged)
{
    const DtValue visits = (DtValue)staged->visits;
    if (rows->values->len > 0 && visits > 0) {
        g_array_append_val(rows->values, visits);
        add_same(rows->known, rows->all, rows->values, staged->rank);
    }
    g_array_set_size(rows->values, 0);
}

static gboolean fill_stages(Predicting *predicting, const GArray *staged, const DtNodeLaw *word, const DtNodeLaw *law,
                            const DtFieldLaw *field, DtSkeletonNode *node, Rows *rows)
{
    for (guint i = 0; i < staged->len; i++) {
        const Staged *own = &g_array_index(staged, Staged, i);
        const gint64 rounds = dt_rank_set_has(node->on, own->rank) ? own->rounds : 0;
        for (gint64 stage = 0; stage < rounds; stage++) {
            DtSpot spot;
            DtValue value = has_word(own, word, stage, &spot);
            if (field && !value)
                continue;
            if (field && !value_at_stage(predicting, field, node, &spot, own->rank, &value))
                return fail_there(predicting, law->node, dt_field_name(field->kind), own->rank);
            g_array_append_val(rows->values, value);
        }
        add_row(rows, own);
    }
    return TRUE;
}

/* Rounds of a word, or a field of a call in it. */
static gboolean predict_at_stages(Predicting *predicting, const GArray *staged, const DtNodeLaw *word,
                                  const DtNodeLaw *law, const DtFieldLaw *field, DtSkeletonNode *node)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_same);
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(DtValue));
    Rows rows = {all, known, values};
    if (!fill_stages(predicting, staged, word, law, field, node, &rows))
        return FALSE;
    return all->len == 0 || add_rows(predicting, node, field ? field->kind : DT_FIELD_TIMES, all) ||
           fail_there(predicting, law->node, "the stages", 0);
}

/* The ranks that have the word at some stage. */
static GArray *members_of_word(const GArray *staged, const DtNodeLaw *word)
{
    GArray *members = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < staged->len; i++) {
        const Staged *own = &g_array_index(staged, Staged, i);
        gboolean any = FALSE;
        DtSpot spot;
        for (gint64 stage = 0; !any && own->visits > 0 && stage < own->rounds; stage++)
            any = has_word(own, word, stage, &spot);
        if (any)
            g_array_append_val(members, own->rank);
    }
    return members;
}

static gboolean predict_call(Predicting *predicting, const GArray *staged, const DtNodeLaw *word, const DtNodeLaw *law,
                             const GArray *members, GPtrArray *nodes)
{
    DtSkeletonNode *node = add_node(predicting, law, members, nodes);
    for (guint i = 0; i < law->fields->len; i++) {
        const DtFieldLaw *field = law->fields->pdata[i];
        if (dt_laws_tell(predicting->laws, field)) {
            if (!predict_at_stages(predicting, staged, word, law, field, node))
                return FALSE;
        } else if (dt_field_may_be_untold(field)) {
            leave_open(predicting, field, members, node);
        } else {
            return fail_without(predicting, law->node, dt_field_name(field->kind));
        }
    }
    return TRUE;
}

static gboolean predict_word(Predicting *predicting, const GArray *staged, const DtNodeLaw *word, GPtrArray *nodes)
{
    if (!word->at)
        return fail_without(predicting, ((const DtNodeLaw *)word->children->pdata[0])->node, "the stages");
    g_autoptr(GArray) members = members_of_word(staged, word);
    if (members->len == 0)
        return TRUE;
    DtSkeletonNode *node = add_node(predicting, word, members, nodes);
    node->children = g_ptr_array_new_with_free_func(dt_skeleton_node_free);
    if (!predict_at_stages(predicting, staged, word, word, NULL, node))
        return FALSE;
    for (guint i = 0; i < word->children->len; i++)
        if (!predict_call(predicting, staged, word, word->children->pdata[i], members, node->children))
            return FALSE;
    return TRUE;
}

static gboolean predict_words(Predicting *predicting, const DtNodeLaw *law, const GArray *members, DtSkeletonNode *loop)
{
    g_autoptr(GArray) staged = g_array_new(FALSE, FALSE, sizeof(Staged));
    for (guint i = 0; i < members->len; i++) {
        const Staged own = staged_of(predicting, law, loop, g_array_index(members, guint, i));
        g_array_append_val(staged, own);
    }
    for (guint i = 0; i < law->children->len; i++)
        if (!predict_word(predicting, staged, law->children->pdata[i], loop->children))
            return FALSE;
    return TRUE;
}

static gboolean predict_nodes(Predicting *predicting, const GPtrArray *laws, const GArray *among, GPtrArray *nodes);

static gboolean predict_node(Predicting *predicting, const DtNodeLaw *law, const GArray *among, GPtrArray *nodes)
{
    if (!law->on)
        return fail_without(predicting, law->node, "the ranks");
    g_autoptr(GArray) members = members_there(predicting, law, among);
    if (members->len == 0)
        return TRUE;
    const gboolean is_loop = law->children != NULL;
    DtSkeletonNode *node = add_node(predicting, law, members, nodes);
    for (guint i = 0; i < law->fields->len; i++)
        if (!predict_field(predicting, law, law->fields->pdata[i], members, node))
            return FALSE;
    if (!is_loop)
        return TRUE;
    node->children = g_ptr_array_new_with_free_func(dt_skeleton_node_free);
    if (law->communicator)
        return predict_words(predicting, law, members, node);
    g_ptr_array_add(predicting->path, node);
    const gboolean good = predict_nodes(predicting, law->children, members, node->children);
    g_ptr_array_set_size(predicting->path, (gint)predicting->path->len - 1);
    return good;
}

static gboolean predict_nodes(Predicting *predicting, const GPtrArray *laws, const GArray *among, GPtrArray *nodes)
{
    for (guint i = 0; i < laws->len; i++)
        if (!predict_node(predicting, laws->pdata[i], among, nodes))
            return FALSE;
    return TRUE;
}

/* ---- all ------------------------------------------------------------------------------------- */

static gboolean predict_groups(Predicting *predicting)
{
    const DtLaws *laws = predicting->laws;
    for (guint i = 0; i < laws->groups->len; i++) {
        const DtGroupsLaw *law = laws->groups->pdata[i];
        g_autoptr(GPtrArray) groups =
            law->is_known ? dt_groups_at(law, &predicting->mesh, predicting->skeleton->ranks) : NULL;
        if (!groups) {
            g_autofree char *further = dt_laws_further_run(laws);
            dt_set_error(predicting->error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_NO_LAW,
                         "no formula for the members of the communicator %s: --formulas shows what is known. %s would "
                         "decide more, "
                         "if the data do not",
                         law->name, further);
            return FALSE;
        }
        DtSkeletonCommunicator *communicator = g_new0(DtSkeletonCommunicator, 1);
        communicator->name = g_strdup(law->name);
        communicator->groups = g_steal_pointer(&groups);
        g_ptr_array_add(predicting->skeleton->communicators, communicator);
    }
    return TRUE;
}

static gboolean predict_threads(Predicting *predicting)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(guint));
    const GPtrArray *threads = predicting->laws->sizes->merged->threads;
    for (guint rank = 0; rank < predicting->skeleton->ranks; rank++)
        g_array_append_val(all, rank);
    for (guint t = 0; t < threads->len; t++) {
        DtSkeletonThread *thread = g_new0(DtSkeletonThread, 1);
        thread->number = ((const DtSkeletonThread *)threads->pdata[t])->number;
        thread->nodes = g_ptr_array_new_with_free_func(dt_skeleton_node_free);
        g_ptr_array_add(predicting->skeleton->threads, thread);
        if (!predict_nodes(predicting, predicting->laws->threads->pdata[t], all, thread->nodes))
            return FALSE;
    }
    return TRUE;
}

/* The mesh there: that which was asked for, or one like those of the sizes. */
static gboolean find_mesh(const DtLaws *laws, guint ranks, const DtMesh *to, DtMesh *mesh, GError **error)
{
    *mesh = to->axes > 0 ? *to : dt_mesh_of_family(laws->family, ranks);
    if (mesh->axes > 0 && mesh->axes == laws->meshes[0].axes && dt_mesh_places(mesh) == ranks)
        return TRUE;
    g_autofree char *text = dt_mesh_text(&laws->meshes[0]);
    dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_MESH,
                 "the runs have meshes like %s: say the mesh to come with as many axes, as --to 8x8", text);
    return FALSE;
}

static gboolean add_times(const Predicting *predicting, DtSkeleton *predicted)
{
    if (!predicting->laws->has_times)
        return TRUE;
    g_autoptr(DtNodeTimeLaws) times = dt_node_time_laws_find(predicting->laws, predicted->ranks);
    return dt_node_time_laws_put(times, predicting->skeleton, predicting->origins, predicted, predicting->error);
}

DtSkeleton *dt_laws_predict(const DtLaws *laws, guint ranks, const DtMesh *to, gboolean as_recorded, GError **error)
{
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_new();
    g_autofree guint *functions = g_new0(guint, laws->sizes->merged->functions->len + 1);
    g_autoptr(GHashTable) origins = g_hash_table_new(NULL, NULL);
    g_autoptr(GPtrArray) path = g_ptr_array_new();
    Predicting predicting = {
        .laws = laws, .skeleton = skeleton, .origins = origins, .path = path, .functions = functions, .error = error};
    if (ranks == 0 || ranks > DT_MOST_PREDICTED) {
        dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_SIZES,
                     "%u ranks cannot be predicted: ask for 1 to %d", ranks, DT_MOST_PREDICTED);
        return NULL;
    }
    if (!find_mesh(laws, ranks, to, &predicting.mesh, error))
        return NULL;
    predicting.by_steps = !as_recorded && predicting.mesh.axes > 1;
    skeleton->ranks = ranks;
    skeleton->sets = dt_rank_sets_new(ranks);
    if (predicting.by_steps)
        skeleton->mesh = predicting.mesh;
    if (!predict_groups(&predicting) || !predict_threads(&predicting))
        return NULL;
    if (!as_recorded)
        return add_times(&predicting, skeleton) ? g_steal_pointer(&skeleton) : NULL;
    g_autoptr(DtSkeleton) recorded = dt_skeleton_as_recorded(skeleton, &(DtSkeletonOptions){0}, error);
    return recorded && add_times(&predicting, recorded) ? g_steal_pointer(&recorded) : NULL;
}
