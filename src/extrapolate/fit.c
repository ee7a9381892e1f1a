/* Formulas for the ranks and the values of each node. */
#include <string.h>

#include "extrapolate/laws.h"
#include "extrapolate/stage_laws.h"
#include "format/arguments.h"
#include "skeleton/fields.h"

enum {
    MOST_VALUES = 1 << 14,
    MOST_ROW = 4096,
    MOST_PIECES = 9,
    LONGEST_SPLIT = 16,
    MOST_TRIED = 1 << 15 /* values of parts of ranks, of all nodes: a program without structure ends */
};

typedef struct {
    DtSizes *sizes;
    DtTests *tests;
    GArray *splits;
    guint *tried;
    guint held; /* the size that proves formulas: they are first sought without it */
} Fitting;

/* The row of a field of one rank. */
typedef struct {
    guint place;
    const DtRow *row;
    DtSpot spot;     /* in the communicator */
    DtValue *values; /* peers as distances; owned */
} Sample;

static void free_piece(gpointer data)
{
    DtPieceLaw *piece = data;
    dt_condition_free(piece->on);
    dt_series_free(piece->series);
    g_free(piece);
}

void dt_field_law_free(gpointer data)
{
    DtFieldLaw *field = data;
    g_ptr_array_unref(field->pieces);
    dt_condition_free(field->on);
    g_free(field);
}

void dt_node_law_free(gpointer data)
{
    DtNodeLaw *law = data;
    dt_condition_free(law->on);
    dt_condition_free(law->at);
    g_free(law->communicator);
    g_ptr_array_unref(law->fields);
    g_clear_pointer(&law->children, g_ptr_array_unref);
    g_free(law);
}

/* ---- what proves a formula ------------------------------------------------------------------- */

static gboolean is_held(const Fitting *fitting, guint place)
{
    return g_array_index(fitting->sizes->size_of, guint, place) == fitting->held;
}

/* TRUE: along the axis the size that is held back is none of the others, so it can contradict a formula there. */
static gboolean is_new_along(const DtSizes *sizes, guint held, guint axis)
{
    const GArray *spots = sizes->spots;
    gint64 longest = 0;
    for (guint place = 0; place < spots->len; place++)
        if (g_array_index(sizes->size_of, guint, place) == held)
            longest = dt_spot_size(&g_array_index(spots, DtSpot, place), axis);
    for (guint place = 0; place < spots->len; place++)
        if (g_array_index(sizes->size_of, guint, place) != held &&
            dt_spot_size(&g_array_index(spots, DtSpot, place), axis) == longest)
            return FALSE;
    return TRUE;
}

guint dt_laws_proof(const DtSizes *sizes, guint held, guint mask, guint values)
{
    const guint axes = g_array_index(sizes->spots, DtSpot, 0).axes;
    for (guint axis = 0; axis <= axes; axis++)
        if ((mask >> axis & 1) != 0 && !is_new_along(sizes, held, axis))
            return 0;
    return values;
}

static guint proof_of(const Fitting *fitting, guint mask, guint values)
{
    return dt_laws_proof(fitting->sizes, fitting->held, mask, values);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static GArray *members_of(const DtRankSet *set)
{
    GArray *members = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint place = dt_rank_set_next(set, 0); place != G_MAXUINT; place = dt_rank_set_next(set, place + 1))
        g_array_append_val(members, place);
    return members;
}

/* The condition that the other sizes give, if it holds at the one that is held back, too. */
static DtCondition *proved_condition(const Fitting *fitting, const GArray *among, const gboolean *inside)
{
    g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree gboolean *own = g_new(gboolean, among->len + 1);
    for (guint i = 0; i < among->len; i++)
        if (!is_held(fitting, g_array_index(among, guint, i))) {
            own[others->len] = inside[i];
            g_array_append_val(others, g_array_index(among, guint, i));
        }
    g_autoptr(DtCondition) condition = dt_condition_find(fitting->tests, others, own, TRUE);
    for (guint i = 0; condition && i < among->len; i++) {
        const DtSpot *spot = &g_array_index(fitting->sizes->spots, DtSpot, g_array_index(among, guint, i));
        if (!dt_condition_holds(condition, spot) != !inside[i])
            return NULL;
    }
    if (condition)
        dt_condition_set_spare(condition, proof_of(fitting, dt_condition_sizes(condition), among->len - others->len));
    return g_steal_pointer(&condition);
}

static DtCondition *find_condition(const Fitting *fitting, const GArray *among, const gboolean *inside)
{
    DtCondition *condition = proved_condition(fitting, among, inside);
    if (!condition) {
        condition = dt_condition_find(fitting->tests, among, inside, TRUE);
        if (condition)
            dt_condition_set_spare(condition, 0);
    }
    return condition;
}

static DtCondition *condition_of(const Fitting *fitting, const GArray *among, const DtRankSet *set)
{
    g_autofree gboolean *inside = g_new(gboolean, among->len + 1);
    for (guint i = 0; i < among->len; i++)
        inside[i] = dt_rank_set_has(set, g_array_index(among, guint, i));
    return find_condition(fitting, among, inside);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void clear_sample(gpointer data)
{
    g_free(((Sample *)data)->values);
}

static const DtRow *row_of(const DtField *field, guint place)
{
    for (guint i = 0; i < field->pieces->len; i++) {
        const DtPiece *piece = &g_array_index(field->pieces, DtPiece, i);
        if (dt_rank_set_has(piece->on, place))
            return piece->row;
    }
    return NULL;
}

/* The communicator of a call at a place; "world" if it has none. */
static const char *communicator_of(const Fitting *fitting, const DtSkeletonNode *node, guint place)
{
    for (guint i = 0; i < node->fields->len; i++) {
        const DtField *field = &g_array_index(node->fields, DtField, i);
        const DtRow *row = field->kind == DT_ARGUMENT_COMMUNICATOR ? row_of(field, place) : NULL;
        if (!row)
            continue;
        DtRowCursor cursor;
        dt_row_cursor_begin(&cursor, row);
        DtValue value = dt_row_cursor_next(&cursor);
        return dt_value_is_atom(value) ? dt_atoms_text(fitting->sizes->merged->atoms, value) : "world";
    }
    return "world";
}

/* FALSE: there are too many values. */
static gboolean add_sample(const Fitting *fitting, const DtSkeletonNode *node, const DtField *field, guint place,
                           GArray *samples)
{
    const DtRow *row = row_of(field, place);
    const gboolean is_peer = dt_field_is_peer(field->kind);
    if (!row)
        return TRUE;
    if (row->length > MOST_ROW)
        return FALSE;
    Sample sample = {place, row, g_array_index(fitting->sizes->spots, DtSpot, place), g_new(DtValue, row->length)};
    const char *communicator = is_peer ? communicator_of(fitting, node, place) : NULL;
    DtRowCursor cursor;
    dt_row_cursor_begin(&cursor, row);
    for (guint i = 0; i < row->length; i++) {
        sample.values[i] = dt_row_cursor_next(&cursor);
        if (is_peer)
            sample.values[i] = dt_sizes_distance(fitting->sizes, place, communicator, sample.values[i]);
    }
    if (is_peer)
        sample.spot = dt_sizes_spot(fitting->sizes, place, communicator);
    g_array_append_val(samples, sample);
    return TRUE;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Of those of the samples that are `chosen`; NULL: of all. */
static DtSeries *series_of(const Fitting *fitting, guint kind, const GArray *samples, const gboolean *chosen,
                           gboolean value, DtTrials trials)
{
    g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(DtSeriesSample));
    guint64 values = 0;
    for (guint i = 0; i < samples->len; i++) {
        const Sample *sample = &g_array_index(samples, Sample, i);
        const DtSeriesSample one = {sample->place, sample->spot, sample->values, (guint)sample->row->length};
        if (chosen && !chosen[i] != !value)
            continue;
        values += one.count;
        g_array_append_val(own, one);
    }
    if (own->len == 0 || values > MOST_VALUES || (chosen && trials == DT_TRY_FEW && *fitting->tried > MOST_TRIED))
        return NULL;
    *fitting->tried += trials == DT_TRY_FEW ? g_array_index(own, DtSeriesSample, 0).count : 0;
    return dt_series_find(fitting->sizes, dt_field_is_peer(kind), own, trials);
}

static DtCondition *condition_of_chosen(const Fitting *fitting, const GArray *samples, const gboolean *chosen)
{
    g_autoptr(GArray) among = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < samples->len; i++)
        g_array_append_val(among, g_array_index(samples, Sample, i).place);
    return dt_condition_find(fitting->tests, among, chosen, FALSE);
}

/* FALSE: the ranks have no condition, or the values no formula; the law then has one piece less. */
static gboolean add_piece(const Fitting *fitting, DtFieldLaw *law, const GArray *samples, const gboolean *chosen,
                          DtTrials trials)
{
    DtSeries *series = series_of(fitting, law->kind, samples, chosen, TRUE, trials);
    DtCondition *on = series ? condition_of_chosen(fitting, samples, chosen) : NULL;
    if (!on) {
        dt_series_free(series);
        return FALSE;
    }
    dt_field_law_add(law, on, series);
    return TRUE;
}

void dt_field_law_add(DtFieldLaw *law, DtCondition *on, DtSeries *series)
{
    DtPieceLaw *piece = g_new0(DtPieceLaw, 1);
    piece->on = on;
    piece->series = series;
    law->spare = MIN(law->spare, MIN(series->spare, dt_condition_spare(on)));
    g_ptr_array_add(law->pieces, piece);
}

DtFieldLaw *dt_field_law_new(guint kind)
{
    DtFieldLaw *law = g_new0(DtFieldLaw, 1);
    law->kind = kind;
    law->spare = G_MAXUINT;
    law->pieces = g_ptr_array_new_with_free_func(free_piece);
    return law;
}

static DtFieldLaw *try_single(const Fitting *fitting, guint kind, const GArray *samples)
{
    DtFieldLaw *law = dt_field_law_new(kind);
    g_autofree gboolean *all = g_new(gboolean, samples->len + 1);
    for (guint i = 0; i < samples->len; i++)
        all[i] = TRUE;
    if (add_piece(fitting, law, samples, all, kind == DT_ARGUMENT_DIMENSIONS ? DT_TRY_SIZES : DT_TRY_MANY))
        return law;
    dt_field_law_free(law);
    return NULL;
}

static gboolean passes_as(const Fitting *fitting, guint test, const Sample *sample, guint expected)
{
    return (expected == 1) == (dt_test_passes(fitting->tests, test, sample->place) != 0);
}

/* The parts into which `tests` split the samples. */
static DtFieldLaw *try_splits(const Fitting *fitting, guint kind, const GArray *samples, const guint *tests,
                              guint count)
{
    DtFieldLaw *law = dt_field_law_new(kind);
    g_autofree gboolean *chosen = g_new(gboolean, samples->len + 1);
    for (guint part = 0; part < 1u << count; part++) {
        guint members = 0;
        for (guint i = 0; i < samples->len; i++) {
            chosen[i] = TRUE;
            for (guint t = 0; t < count; t++)
                chosen[i] =
                    chosen[i] && passes_as(fitting, tests[t], &g_array_index(samples, Sample, i), part >> t & 1);
            members += chosen[i] ? 1 : 0;
        }
        if (members == samples->len || (members > 0 && !add_piece(fitting, law, samples, chosen, DT_TRY_FEW))) {
            dt_field_law_free(law);
            return NULL;
        }
    }
    return law;
}

/* Those with the same row, as it stands in the merged skeleton, belong together. */
static DtFieldLaw *try_rows(const Fitting *fitting, guint kind, const GArray *samples)
{
    DtFieldLaw *law = dt_field_law_new(kind);
    g_autofree gboolean *chosen = g_new(gboolean, samples->len + 1), *done = g_new0(gboolean, samples->len + 1);
    for (guint first = 0; first < samples->len; first++) {
        if (done[first])
            continue;
        for (guint i = 0; i < samples->len; i++) {
            chosen[i] = dt_row_equal(g_array_index(samples, Sample, i).row, g_array_index(samples, Sample, first).row);
            done[i] |= chosen[i];
        }
        if (law->pieces->len == MOST_PIECES || !add_piece(fitting, law, samples, chosen, DT_TRY_FEW)) {
            dt_field_law_free(law);
            return NULL;
        }
    }
    return law;
}

/* Keeps the better one of two, of equal ones the first. */
static DtFieldLaw *better(DtFieldLaw *a, DtFieldLaw *b)
{
    DtFieldLaw *kept = !a || (b && a->spare == 0 && b->spare > 0) ? b : a;
    DtFieldLaw *other = kept == a ? b : a;
    if (other)
        dt_field_law_free(other);
    return kept;
}

static DtFieldLaw *try_all_splits(const Fitting *fitting, guint kind, const GArray *samples, gboolean pairs,
                                  DtFieldLaw *best)
{
    for (guint a = 0; a < fitting->splits->len && (!best || best->spare == 0); a++)
        for (guint b = pairs ? a + 1 : a; b < (pairs ? fitting->splits->len : a + 1); b++) {
            const guint tests[] = {g_array_index(fitting->splits, guint, a), g_array_index(fitting->splits, guint, b)};
            best = better(best, try_splits(fitting, kind, samples, tests, pairs ? 2 : 1));
            if (best && best->spare > 0)
                break;
        }
    return best;
}

/* All ranks of a size have the same values: then ranks, conditions on them included, tell nothing but the sizes. */
static gboolean are_of_size(const Fitting *fitting, const GArray *samples)
{
    for (guint i = 1; i < samples->len; i++) {
        const Sample *before = &g_array_index(samples, Sample, i - 1), *own = &g_array_index(samples, Sample, i);
        const guint size = g_array_index(fitting->sizes->size_of, guint, own->place);
        if (g_array_index(fitting->sizes->size_of, guint, before->place) == size &&
            !dt_row_equal(before->row, own->row))
            return FALSE;
    }
    return TRUE;
}

static DtFieldLaw *fit_samples(const Fitting *fitting, guint kind, const GArray *samples)
{
    DtFieldLaw *best = try_single(fitting, kind, samples);
    if (!best && fitting->sizes->count > 1 && are_of_size(fitting, samples))
        return NULL;
    if (best && (best->spare > 0 || kind == DT_ARGUMENT_DIMENSIONS))
        return best;
    best = better(best, try_rows(fitting, kind, samples));
    for (guint i = 0; i < samples->len; i++)
        if (g_array_index(samples, Sample, i).row->length > LONGEST_SPLIT)
            return best;
    best = try_all_splits(fitting, kind, samples, FALSE, best);
    return best ? best : try_all_splits(fitting, kind, samples, TRUE, best);
}

/* ---- proved by the size that is held back ---------------------------------------------------- */

/* As formulas have it: a peer as the number of a rank. */
static DtValue expected_of(const Sample *sample, guint at, gboolean is_peer)
{
    const DtValue value = sample->values[at];
    if (!is_peer || dt_value_is_atom(value) || value >= DT_PEER_LAST)
        return value;
    return ((sample->spot.rank + value) % sample->spot.ranks + sample->spot.ranks) % sample->spot.ranks;
}

static gboolean holds_at(const Fitting *fitting, const DtFieldLaw *law, const Sample *sample)
{
    const DtSpot *own = &g_array_index(fitting->sizes->spots, DtSpot, sample->place);
    const gboolean is_peer = dt_field_is_peer(law->kind);
    const DtPieceLaw *piece = NULL;
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(DtValue));
    for (guint i = 0; !piece && i < law->pieces->len; i++) {
        const DtPieceLaw *next = law->pieces->pdata[i];
        piece = dt_condition_holds(next->on, own) ? next : NULL;
    }
    if (!piece ||
        !dt_series_at(piece->series, fitting->sizes, own, is_peer ? &sample->spot : own, fitting->sizes->merged->atoms,
                      values) ||
        values->len != sample->row->length)
        return FALSE;
    for (guint at = 0; at < values->len; at++)
        if (g_array_index(values, DtValue, at) != expected_of(sample, at, is_peer))
            return FALSE;
    return TRUE;
}

static guint sizes_of_field(const DtFieldLaw *law, guint axes)
{
    guint mask = 0;
    for (guint i = 0; i < law->pieces->len; i++) {
        const DtPieceLaw *piece = law->pieces->pdata[i];
        mask |= dt_series_sizes(piece->series, axes);
        mask |= dt_condition_is_empty(piece->on) ? 0 : dt_condition_sizes(piece->on);
    }
    return mask;
}

static gboolean is_weak(const DtFieldLaw *law)
{
    for (guint i = 0; i < law->pieces->len; i++)
        if (dt_condition_spare(((const DtPieceLaw *)law->pieces->pdata[i])->on) == 0)
            return TRUE;
    return FALSE;
}

/* The formula that the other sizes give, if the one that is held back has its values; its form and its constants, its
 * pieces and their conditions had no part of these. */
static DtFieldLaw *proved_samples(const Fitting *fitting, guint kind, const GArray *samples)
{
    g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof(Sample));
    for (guint i = 0; i < samples->len; i++)
        if (!is_held(fitting, g_array_index(samples, Sample, i).place))
            g_array_append_val(others, g_array_index(samples, Sample, i));
    DtFieldLaw *law = others->len > 0 ? fit_samples(fitting, kind, others) : NULL;
    gboolean holds = law != NULL;
    for (guint i = 0; holds && i < samples->len; i++)
        if (is_held(fitting, g_array_index(samples, Sample, i).place))
            holds = holds_at(fitting, law, &g_array_index(samples, Sample, i));
    if (!holds && law) {
        dt_field_law_free(law);
        return NULL;
    }
    if (law) {
        const guint axes = g_array_index(fitting->sizes->spots, DtSpot, 0).axes;
        law->spare = is_weak(law) ? 0 : proof_of(fitting, sizes_of_field(law, axes), samples->len - others->len);
    }
    return law;
}

static DtFieldLaw *find_field(const Fitting *fitting, guint kind, const GArray *samples)
{
    fitting->sizes->effort[0] = 0;
    DtFieldLaw *law = proved_samples(fitting, kind, samples);
    fitting->sizes->effort[0] = 0;
    if (!law) {
        law = fit_samples(fitting, kind, samples);
        if (law)
            law->spare = 0;
    }
    return law;
}

/* Always gives a law; without pieces there is none. */
static DtFieldLaw *fit_field(const Fitting *fitting, const DtSkeletonNode *node, const DtField *field,
                             const GArray *members)
{
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(Sample));
    g_autofree gboolean *has = g_new(gboolean, members->len + 1);
    gboolean good = TRUE;
    g_array_set_clear_func(samples, clear_sample);
    for (guint i = 0; good && i < members->len; i++) {
        const guint before = samples->len;
        good = add_sample(fitting, node, field, g_array_index(members, guint, i), samples);
        has[i] = samples->len > before;
    }
    DtFieldLaw *law = good && samples->len > 0 ? find_field(fitting, field->kind, samples) : NULL;
    if (!law)
        law = dt_field_law_new(field->kind);
    law->on = good ? find_condition(fitting, members, has) : NULL;
    law->spare = law->on && law->pieces->len > 0 ? MIN(law->spare, dt_condition_spare(law->on)) : 0;
    return law;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

DtNodeLaw *dt_node_law_new(const DtSkeletonNode *node)
{
    DtNodeLaw *law = g_new0(DtNodeLaw, 1);
    law->node = node;
    law->fields = g_ptr_array_new_with_free_func(dt_field_law_free);
    return law;
}

/* NULL: the node is no loop over stages. */
static const DtStageLoop *stages_of(const Fitting *fitting, const DtSkeletonNode *node)
{
    const DtStageLoop *loop = NULL;
    for (guint i = 0; !loop && i < fitting->sizes->stages->len; i++)
        loop = g_hash_table_lookup(((const DtStages *)fitting->sizes->stages->pdata[i])->loops, node);
    return loop;
}

/* As many rounds as it takes to reach all ranks, if that is no power of two. */
static void fit_rounds_up(const Fitting *fitting, const GArray *members, const DtStageLoop *stages, DtFieldLaw *law)
{
    const DtNumberLaw number = {
        .terms = 1, .basis = {{DT_BASIS_LOG_UP, 0, 0}}, .factor = {{1, 1}}, .spare = members->len};
    g_autofree gboolean *all = g_new(gboolean, members->len + 1);
    gint64 rounds;
    for (guint i = 0; i < members->len; i++) {
        const guint place = g_array_index(members, guint, i);
        all[i] = TRUE;
        if (!dt_number_law_at(&number, &g_array_index(fitting->sizes->spots, DtSpot, place), &rounds) ||
            rounds != stages->phase->rounds[g_array_index(fitting->sizes->size_of, guint, place)])
            return;
    }
    g_ptr_array_set_size(law->pieces, 0);
    law->spare = G_MAXUINT;
    dt_field_law_add(law, dt_condition_find(fitting->tests, members, all, FALSE), dt_series_of_number(&number));
    law->spare = proof_of(fitting, dt_number_law_sizes(&number, g_array_index(fitting->sizes->spots, DtSpot, 0).axes),
                          fitting->sizes->sizes[fitting->held].skeleton->ranks);
}

static GPtrArray *words_of(const Fitting *fitting, DtNodeLaw *law, const DtStageLoop *stages)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(dt_node_law_free);
    law->communicator = g_strdup(stages->phase->communicator);
    dt_stage_laws_fit(fitting->sizes, fitting->held, stages, law->node, words);
    return words;
}

static GPtrArray *fit_nodes(const Fitting *fitting, const GPtrArray *nodes, const GArray *among)
{
    GPtrArray *laws = g_ptr_array_new_with_free_func(dt_node_law_free);
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        g_autoptr(GArray) members = members_of(node->on);
        const DtStageLoop *stages = stages_of(fitting, node);
        DtNodeLaw *law = dt_node_law_new(node);
        law->on = condition_of(fitting, among, node->on);
        for (guint f = 0; f < node->fields->len; f++)
            g_ptr_array_add(law->fields, fit_field(fitting, node, &g_array_index(node->fields, DtField, f), members));
        if (stages && ((const DtFieldLaw *)law->fields->pdata[0])->spare == 0)
            fit_rounds_up(fitting, members, stages, law->fields->pdata[0]);
        if (node->children)
            law->children = stages ? words_of(fitting, law, stages) : fit_nodes(fitting, node->children, members);
        g_ptr_array_add(laws, law);
    }
    return laws;
}

static void count_nodes(const GPtrArray *nodes, DtLawCounts *counts)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtNodeLaw *law = nodes->pdata[i];
        gboolean is_known = law->on && (law->at || !law->is_word);
        guint spare = law->on ? dt_condition_spare(law->on) : 0;
        spare = law->at ? MIN(spare, dt_condition_spare(law->at)) : spare;
        for (guint f = 0; f < law->fields->len; f++) {
            const DtFieldLaw *field = law->fields->pdata[f];
            is_known = is_known && field->on && field->pieces->len > 0;
            spare = MIN(spare, field->spare);
        }
        counts->without += is_known ? 0 : 1;
        counts->proved += is_known && spare > 0 ? 1 : 0;
        counts->unproved += is_known && spare == 0 ? 1 : 0;
        if (law->children)
            count_nodes(law->children, counts);
    }
}

static void free_list(gpointer list)
{
    g_ptr_array_unref(list);
}

/* Of the size with the most ranks, the last one of equal ones. */
static guint largest_of(const DtSizes *sizes)
{
    guint largest = 0;
    for (guint s = 1; s < sizes->count; s++)
        if (sizes->sizes[s].skeleton->ranks >= sizes->sizes[largest].skeleton->ranks)
            largest = s;
    return largest;
}

DtLaws *dt_laws_fit(DtSizes *sizes)
{
    DtLaws *laws = g_new0(DtLaws, 1);
    laws->sizes = sizes;
    laws->tests = dt_tests_new(sizes->spots);
    laws->threads = g_ptr_array_new_with_free_func(free_list);
    g_autoptr(GArray) splits = dt_tests_of_splits(laws->tests);
    guint tried = 0;
    const Fitting fitting = {sizes, laws->tests, splits, &tried, largest_of(sizes)};
    g_autoptr(GArray) all = members_of(dt_rank_set_all(sizes->merged->sets));
    for (guint t = 0; t < sizes->merged->threads->len; t++) {
        const DtSkeletonThread *thread = sizes->merged->threads->pdata[t];
        g_ptr_array_add(laws->threads, fit_nodes(&fitting, thread->nodes, all));
        count_nodes(laws->threads->pdata[t], &laws->counts);
    }
    laws->groups = dt_groups_fit(sizes, laws->tests, fitting.held);
    for (guint i = 0; i < laws->groups->len; i++) {
        const DtGroupsLaw *law = laws->groups->pdata[i];
        laws->counts.without += law->is_known ? 0 : 1;
        laws->counts.proved += law->is_known && law->spare > 0 ? 1 : 0;
        laws->counts.unproved += law->is_known && law->spare == 0 ? 1 : 0;
    }
    dt_laws_note_sources(laws);
    return laws;
}

void dt_laws_free(DtLaws *laws)
{
    if (!laws)
        return;
    g_ptr_array_unref(laws->threads);
    g_ptr_array_unref(laws->groups);
    dt_tests_free(laws->tests);
    dt_sizes_free(laws->sizes);
    g_free(laws->meshes);
    g_free(laws);
}
