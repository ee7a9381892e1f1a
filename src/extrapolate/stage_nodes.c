/* Loops over stages in the merged skeleton, where calls stand for them. */
#include "extrapolate/stage_words.h"
#include "skeleton/merge.h"

typedef struct {
    DtStages *stages;
    const DtSizes *sizes;
    GPtrArray *path; /* loops around what is looked at */
} Putting;

/* ---- visits ---------------------------------------------------------------------------------- */

static const DtRow *row_of(const DtField *field, guint rank)
{
    for (guint i = 0; i < field->pieces->len; i++) {
        const DtPiece *piece = &g_array_index(field->pieces, DtPiece, i);
        if (dt_rank_set_has(piece->on, rank))
            return piece->row;
    }
    return NULL;
}

guint64 dt_stages_visits(const GPtrArray *path, guint rank)
{
    guint64 visits = 1;
    for (guint i = 0; i < path->len; i++) {
        const DtSkeletonNode *loop = path->pdata[i];
        const DtRow *row = row_of(&g_array_index(loop->fields, DtField, 0), rank);
        DtRowCursor cursor;
        guint64 rounds = 0;
        if (!row)
            return 0;
        dt_row_cursor_begin(&cursor, row);
        if (row->length == 1)
            rounds = visits * (guint64)MAX(dt_row_cursor_next(&cursor), 0);
        for (guint64 visit = 0; row->length > 1 && visit < visits; visit++)
            rounds += (guint64)MAX(dt_row_cursor_next(&cursor), 0);
        visits = rounds;
    }
    return visits;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void clear_piece(gpointer data)
{
    dt_row_free(((DtPiece *)data)->row);
}

static DtField *add_field(DtSkeletonNode *node, guint kind)
{
    DtField field = {kind, g_array_new(FALSE, FALSE, sizeof(DtPiece))};
    g_array_set_clear_func(field.pieces, clear_piece);
    g_array_append_val(node->fields, field);
    return &g_array_index(node->fields, DtField, node->fields->len - 1);
}

static const DtRankSet *set_of(const Putting *putting, guint rank)
{
    return dt_rank_set_of(putting->sizes->merged->sets, &rank, 1);
}

/* The values of a rank; ranks with the same ones share a piece. */
static void add_values(const Putting *putting, DtField *field, guint rank, const GArray *values)
{
    const DtValue *value = (const DtValue *)(gconstpointer)values->data;
    guint same = 0;
    if (values->len == 0)
        return;
    while (same < values->len && value[same] == value[0])
        same++;
    g_autoptr(DtRow) row = dt_row_fold(value, same == values->len ? 1 : values->len);
    for (guint i = 0; i < field->pieces->len; i++) {
        DtPiece *piece = &g_array_index(field->pieces, DtPiece, i);
        if (!dt_row_equal(piece->row, row))
            continue;
        piece->on = dt_rank_set_union(putting->sizes->merged->sets, piece->on, set_of(putting, rank));
        return;
    }
    const DtPiece piece = {set_of(putting, rank), g_steal_pointer(&row)};
    g_array_append_val(field->pieces, piece);
}

/* ---- what ranks did -------------------------------------------------------------------------- */

/* The bouts of each rank of a node, one behind the other (element-type guint). */
typedef struct {
    const DtSkeletonNode *node;
    const DtStagePhase *phase;
    GHashTable *bouts; /* rank -> GArray */
} Done;

static guint rounds_of(const Putting *putting, const Done *done, guint rank)
{
    return done->phase->rounds[g_array_index(putting->sizes->size_of, guint, rank)];
}

static void read_bouts(const Putting *putting, Done *done, DtStageLoop *loop)
{
    const DtField *field = &g_array_index(done->node->fields, DtField, 0);
    for (guint rank = dt_rank_set_next(done->node->on, 0); rank != G_MAXUINT;
         rank = dt_rank_set_next(done->node->on, rank + 1)) {
        g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
        GArray *bouts = g_array_new(FALSE, FALSE, sizeof(guint));
        const guint64 visits = dt_stages_visits(putting->path, rank);
        DtRowCursor cursor;
        dt_row_cursor_begin(&cursor, row_of(field, rank));
        for (guint64 visit = 0; visit < visits; visit++) {
            const DtStageSeen seen = {rank, (guint)dt_row_cursor_next(&cursor)};
            g_array_append_val(bouts, seen.bout);
            if (g_hash_table_add(known, GUINT_TO_POINTER(seen.bout)))
                g_array_append_val(loop->seen, seen);
        }
        g_hash_table_insert(done->bouts, GUINT_TO_POINTER(rank), bouts);
    }
}

static void find_words(const Putting *putting, DtStageLoop *loop)
{
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < loop->seen->len; i++) {
        const GPtrArray *steps = putting->stages->bouts->pdata[g_array_index(loop->seen, DtStageSeen, i).bout];
        for (guint k = 0; k < steps->len; k++) {
            const DtStageStep *step = steps->pdata[k];
            if (g_hash_table_add(known, GUINT_TO_POINTER(step->word)))
                g_array_append_val(loop->words, step->word);
        }
    }
}

/* Calls `visit` with each of the rank's steps that has the word. */
typedef void (*StepVisitor)(const DtStageStep *step, gpointer data);
static void for_each_step(const Putting *putting, const Done *done, guint rank, guint word, StepVisitor visit,
                          gpointer data)
{
    const GArray *bouts = g_hash_table_lookup(done->bouts, GUINT_TO_POINTER(rank));
    for (guint i = 0; i < bouts->len; i++) {
        const GPtrArray *steps = putting->stages->bouts->pdata[g_array_index(bouts, guint, i)];
        for (guint k = 0; k < steps->len; k++)
            if (((const DtStageStep *)steps->pdata[k])->word == word)
                visit(steps->pdata[k], data);
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* 1 at stages with the word, else 0. */
static void append_rounds(const Putting *putting, const Done *done, guint rank, guint word, GArray *values)
{
    const GArray *bouts = g_hash_table_lookup(done->bouts, GUINT_TO_POINTER(rank));
    const guint rounds = rounds_of(putting, done, rank);
    for (guint i = 0; i < bouts->len; i++) {
        const GPtrArray *steps = putting->stages->bouts->pdata[g_array_index(bouts, guint, i)];
        for (guint stage = 0, k = 0; stage < rounds; stage++) {
            const DtStageStep *step = k < steps->len ? steps->pdata[k] : NULL;
            const gboolean is_here = step && step->stage == stage;
            const DtValue value = is_here && step->word == word;
            g_array_append_val(values, value);
            k += is_here ? 1 : 0;
        }
    }
}

typedef struct {
    const DtStages *stages;
    guint call, field; /* places in the word, and in the call */
    GArray *values;
} Reading;

static void append_value(const DtStageStep *step, gpointer data)
{
    const Reading *reading = data;
    const DtRecordedCall *call =
        reading->stages->calls->pdata[g_array_index(step->calls, DtStageCall, reading->call).call];
    g_array_append_val(reading->values, call->fields[reading->field].value);
}

static GArray *values_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(DtValue));
}

static void fill_field(const Putting *putting, const Done *done, guint word, guint call, guint at, DtField *field)
{
    for (guint rank = dt_rank_set_next(done->node->on, 0); rank != G_MAXUINT;
         rank = dt_rank_set_next(done->node->on, rank + 1)) {
        g_autoptr(GArray) values = values_new();
        Reading reading = {putting->stages, call, at, values};
        for_each_step(putting, done, rank, word, append_value, &reading);
        add_values(putting, field, rank, values);
    }
}

static const DtRankSet *ranks_of(const Putting *putting, const DtField *field)
{
    const DtRankSet *on = g_array_index(field->pieces, DtPiece, 0).on;
    for (guint i = 1; i < field->pieces->len; i++)
        on = dt_rank_set_union(putting->sizes->merged->sets, on, g_array_index(field->pieces, DtPiece, i).on);
    return on;
}

static DtSkeletonNode *call_node(const Putting *putting, const Done *done, guint word, guint at)
{
    const DtStageStep *step = putting->stages->words->pdata[word];
    const DtStageCall *own = &g_array_index(step->calls, DtStageCall, at);
    const DtRecordedCall *call = putting->stages->calls->pdata[own->call];
    DtSkeletonNode *node = dt_skeleton_node_new(done->node->on, call->function);
    node->comment = g_strdup(putting->stages->places->pdata[own->place]);
    for (guint i = 0; i < call->count; i++)
        fill_field(putting, done, word, at, i, add_field(node, call->fields[i].kind));
    if (call->count > 0)
        node->on = ranks_of(putting, &g_array_index(node->fields, DtField, 0));
    return node;
}

static DtSkeletonNode *word_node(const Putting *putting, const Done *done, guint word)
{
    DtSkeletonNode *node = dt_skeleton_node_new(done->node->on, G_MAXUINT);
    DtField *times = add_field(node, DT_FIELD_TIMES);
    node->children = g_ptr_array_new_with_free_func(dt_skeleton_node_free);
    for (guint rank = dt_rank_set_next(node->on, 0); rank != G_MAXUINT; rank = dt_rank_set_next(node->on, rank + 1)) {
        g_autoptr(GArray) values = values_new();
        append_rounds(putting, done, rank, word, values);
        add_values(putting, times, rank, values);
    }
    const guint count = ((const DtStageStep *)putting->stages->words->pdata[word])->calls->len;
    for (guint at = 0; at < count; at++)
        g_ptr_array_add(node->children, call_node(putting, done, word, at));
    return node;
}

static DtSkeletonNode *loop_node(const Putting *putting, const Done *done, const DtStageLoop *loop)
{
    DtSkeletonNode *node = dt_skeleton_node_new(done->node->on, G_MAXUINT);
    DtField *times = add_field(node, DT_FIELD_TIMES);
    node->children = g_ptr_array_new_with_free_func(dt_skeleton_node_free);
    for (guint rank = dt_rank_set_next(node->on, 0); rank != G_MAXUINT; rank = dt_rank_set_next(node->on, rank + 1)) {
        g_autoptr(GArray) values = values_new();
        const DtValue rounds = rounds_of(putting, done, rank);
        g_array_append_val(values, rounds);
        add_values(putting, times, rank, values);
    }
    for (guint i = 0; i < loop->words->len; i++)
        g_ptr_array_add(node->children, word_node(putting, done, g_array_index(loop->words, guint, i)));
    return node;
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

static DtSkeletonNode *stages_of(const Putting *putting, const DtSkeletonNode *node)
{
    g_autoptr(GHashTable) bouts = g_hash_table_new_full(NULL, NULL, NULL, unref_array);
    DtStageLoop *loop = g_new0(DtStageLoop, 1);
    Done done = {node, putting->stages->phases->pdata[node->function - putting->stages->first_function], bouts};
    loop->stages = putting->stages;
    loop->phase = done.phase;
    loop->seen = g_array_new(FALSE, FALSE, sizeof(DtStageSeen));
    loop->words = g_array_new(FALSE, FALSE, sizeof(guint));
    read_bouts(putting, &done, loop);
    find_words(putting, loop);
    DtSkeletonNode *made = loop_node(putting, &done, loop);
    g_hash_table_insert(putting->stages->loops, made, loop);
    return made;
}

static void put_back(Putting *putting, GPtrArray *nodes)
{
    const guint first = putting->stages->first_function, end = first + putting->stages->phases->len;
    for (guint i = 0; i < nodes->len; i++) {
        DtSkeletonNode *node = nodes->pdata[i];
        if (node->children) {
            g_ptr_array_add(putting->path, node);
            put_back(putting, node->children);
            g_ptr_array_set_size(putting->path, (gint)putting->path->len - 1);
        } else if (node->function >= first && node->function < end) {
            nodes->pdata[i] = stages_of(putting, node);
            dt_skeleton_node_free(node);
        }
    }
}

void dt_stages_put_back(DtStages *stages, const DtSizes *sizes, GPtrArray *nodes)
{
    g_autoptr(GPtrArray) path = g_ptr_array_new();
    Putting putting = {stages, sizes, path};
    put_back(&putting, nodes);
}
