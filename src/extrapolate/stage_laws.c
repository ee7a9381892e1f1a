#include "extrapolate/stage_laws.h"

#include "format/arguments.h"
#include "skeleton/fields.h"

typedef struct {
    const DtSizes *sizes;
    guint held;
    const DtStageLoop *loop;
    GArray *spots, *places; /* DtSpot, guint: each rank at each stage */
    GArray *words;          /* guint of each of these; NO_WORD; SEVERAL */
    GHashTable *first;      /* place -> its first spot */
    DtTests *tests;
} Fitting;

enum { NO_WORD = G_MAXUINT, SEVERAL = G_MAXUINT - 1 };

DtSpot dt_stage_spot(guint member, guint members, gint64 stage, gint64 rounds)
{
    DtSpot spot = dt_spot_in_row(member, members);
    spot.visit = stage;
    spot.visits = rounds;
    return spot;
}

/* ---- where and when -------------------------------------------------------------------------- */

static guint rounds_at(const Fitting *fitting, guint place)
{
    return fitting->loop->phase->rounds[g_array_index(fitting->sizes->size_of, guint, place)];
}

static guint add_place(Fitting *fitting, guint place)
{
    const guint none = NO_WORD, first = fitting->spots->len, rounds = rounds_at(fitting, place);
    gpointer known;
    if (g_hash_table_lookup_extended(fitting->first, GUINT_TO_POINTER(place), NULL, &known))
        return GPOINTER_TO_UINT(known);
    const DtSpot own = dt_sizes_spot(fitting->sizes, place, fitting->loop->phase->communicator);
    for (guint stage = 0; stage < rounds; stage++) {
        const DtSpot spot = dt_stage_spot((guint)own.rank, (guint)own.ranks, stage, rounds);
        g_array_append_val(fitting->spots, spot);
        g_array_append_val(fitting->places, place);
        g_array_append_val(fitting->words, none);
    }
    g_hash_table_insert(fitting->first, GUINT_TO_POINTER(place), GUINT_TO_POINTER(first));
    return first;
}

static const GPtrArray *steps_of(const Fitting *fitting, const DtStageSeen *seen)
{
    return fitting->loop->stages->bouts->pdata[seen->bout];
}

/* The words of a rank at each stage of a bout; another bout of it may have others, which no formula tells. */
static void add_bout(Fitting *fitting, const DtStageSeen *seen, gboolean is_first)
{
    const guint first = add_place(fitting, seen->place), rounds = rounds_at(fitting, seen->place);
    const GPtrArray *steps = steps_of(fitting, seen);
    for (guint stage = 0, k = 0; stage < rounds; stage++) {
        const DtStageStep *step = k < steps->len ? steps->pdata[k] : NULL;
        const gboolean is_here = step && step->stage == stage;
        const guint word = is_here ? step->word : NO_WORD;
        guint *known = &g_array_index(fitting->words, guint, first + stage);
        *known = is_first || *known == word ? word : SEVERAL;
        k += is_here ? 1 : 0;
    }
}

static void read_seen(Fitting *fitting)
{
    const GArray *seen = fitting->loop->seen;
    for (guint i = 0; i < seen->len; i++) {
        const DtStageSeen *own = &g_array_index(seen, DtStageSeen, i);
        const gboolean is_first = !g_hash_table_contains(fitting->first, GUINT_TO_POINTER(own->place));
        add_bout(fitting, own, is_first);
    }
}

static gboolean is_held(const Fitting *fitting, guint spot)
{
    const guint place = g_array_index(fitting->places, guint, spot);
    return g_array_index(fitting->sizes->size_of, guint, place) == fitting->held;
}

/* TRUE: no other size has as many members, so that the one that is held back can contradict. */
static gboolean is_held_new(const Fitting *fitting)
{
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    gboolean is_new = FALSE;
    for (guint i = 0; i < fitting->spots->len; i++)
        if (!is_held(fitting, i))
            g_hash_table_add(others, GSIZE_TO_POINTER((gsize)g_array_index(fitting->spots, DtSpot, i).ranks));
    for (guint i = 0; i < fitting->spots->len; i++) {
        gpointer ranks = GSIZE_TO_POINTER((gsize)g_array_index(fitting->spots, DtSpot, i).ranks);
        if (is_held(fitting, i) && g_hash_table_contains(others, ranks))
            return FALSE;
        is_new |= is_held(fitting, i);
    }
    return is_new;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Of those `among` the spots that are `inside`; what the other sizes say, if it holds at the one that is held back. */
static DtCondition *proved_condition(const Fitting *fitting, const GArray *among, const gboolean *inside)
{
    g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree gboolean *own = g_new0(gboolean, among->len + 1);
    for (guint i = 0; i < among->len; i++)
        if (!is_held(fitting, g_array_index(among, guint, i))) {
            own[others->len] = inside[i];
            g_array_append_val(others, g_array_index(among, guint, i));
        }
    g_autoptr(DtCondition) condition = dt_condition_find(fitting->tests, others, own, FALSE);
    for (guint i = 0; condition && i < among->len; i++) {
        const DtSpot *spot = &g_array_index(fitting->spots, DtSpot, g_array_index(among, guint, i));
        if (!dt_condition_holds(condition, spot) != !inside[i])
            return NULL;
    }
    if (condition)
        dt_condition_set_spare(condition, is_held_new(fitting) ? among->len - others->len : 0);
    return g_steal_pointer(&condition);
}

static DtCondition *find_condition(const Fitting *fitting, const GArray *among, const gboolean *inside)
{
    DtCondition *condition = proved_condition(fitting, among, inside);
    if (condition)
        return condition;
    condition = dt_condition_find(fitting->tests, among, inside, FALSE);
    if (condition)
        dt_condition_set_spare(condition, 0);
    return condition;
}

static DtCondition *condition_of_word(const Fitting *fitting, guint word)
{
    g_autoptr(GArray) among = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree gboolean *inside = g_new0(gboolean, fitting->words->len + 1);
    for (guint i = 0; i < fitting->words->len; i++) {
        const guint own = g_array_index(fitting->words, guint, i);
        if (own == SEVERAL)
            return NULL;
        inside[i] = own == word;
        g_array_append_val(among, i);
    }
    return find_condition(fitting, among, inside);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A value of a field, at a rank and stage. */
typedef struct {
    guint spot;
    DtValue value;
} Value;

static GArray *values_of(const Fitting *fitting, guint word, guint call, guint field)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(Value));
    const char *communicator = fitting->loop->phase->communicator;
    for (guint i = 0; i < fitting->loop->seen->len; i++) {
        const DtStageSeen *seen = &g_array_index(fitting->loop->seen, DtStageSeen, i);
        const GPtrArray *steps = steps_of(fitting, seen);
        const guint first = GPOINTER_TO_UINT(g_hash_table_lookup(fitting->first, GUINT_TO_POINTER(seen->place)));
        for (guint k = 0; k < steps->len; k++) {
            const DtStageStep *step = steps->pdata[k];
            if (step->word != word)
                continue;
            const DtRecordedCall *own =
                fitting->loop->stages->calls->pdata[g_array_index(step->calls, DtStageCall, call).call];
            Value value = {first + step->stage, own->fields[field].value};
            if (dt_field_is_peer(own->fields[field].kind))
                value.value = dt_sizes_distance(fitting->sizes, seen->place, communicator, value.value);
            g_array_append_val(values, value);
        }
    }
    return values;
}

/* Of those values that are `chosen`; NULL: there is none. */
static DtSeries *series_of(const Fitting *fitting, guint kind, const GArray *values, const gboolean *chosen)
{
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(DtSeriesSample));
    for (guint i = 0; i < values->len; i++) {
        const Value *own = &g_array_index(values, Value, i);
        const DtSeriesSample sample = {g_array_index(fitting->places, guint, own->spot),
                                       g_array_index(fitting->spots, DtSpot, own->spot), &own->value, 1};
        if (chosen[i])
            g_array_append_val(samples, sample);
    }
    return samples->len > 0 ? dt_series_find_at_stages(fitting->sizes, dt_field_is_peer(kind), samples) : NULL;
}

static DtCondition *condition_of(const Fitting *fitting, const GArray *values, const gboolean *chosen)
{
    g_autoptr(GArray) among = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < values->len; i++)
        g_array_append_val(among, g_array_index(values, Value, i).spot);
    return dt_condition_find(fitting->tests, among, chosen, FALSE);
}

static gboolean add_piece(const Fitting *fitting, DtFieldLaw *law, const GArray *values, const gboolean *chosen)
{
    DtSeries *series = series_of(fitting, law->kind, values, chosen);
    DtCondition *on = series ? condition_of(fitting, values, chosen) : NULL;
    if (on)
        dt_field_law_add(law, on, series);
    else
        dt_series_free(series);
    return on != NULL;
}

static DtFieldLaw *try_whole(const Fitting *fitting, guint kind, const GArray *values)
{
    DtFieldLaw *law = dt_field_law_new(kind);
    g_autofree gboolean *all = g_new0(gboolean, values->len + 1);
    for (guint i = 0; i < values->len; i++)
        all[i] = TRUE;
    if (add_piece(fitting, law, values, all))
        return law;
    dt_field_law_free(law);
    return NULL;
}

static DtFieldLaw *try_split(const Fitting *fitting, guint kind, const GArray *values, guint test)
{
    DtFieldLaw *law = dt_field_law_new(kind);
    g_autofree gboolean *chosen = g_new0(gboolean, values->len + 1);
    for (guint part = 0; part < 2; part++) {
        for (guint i = 0; i < values->len; i++)
            chosen[i] = dt_test_passes(fitting->tests, test, g_array_index(values, Value, i).spot) == (gint)part;
        if (!add_piece(fitting, law, values, chosen)) {
            dt_field_law_free(law);
            return NULL;
        }
    }
    return law;
}

static DtFieldLaw *fit_values(const Fitting *fitting, guint kind, const GArray *values)
{
    DtFieldLaw *law = values->len > 0 ? try_whole(fitting, kind, values) : NULL;
    g_autoptr(GArray) splits = dt_tests_of_splits(fitting->tests);
    for (guint i = 0; !law && values->len > 0 && i < splits->len; i++)
        law = try_split(fitting, kind, values, g_array_index(splits, guint, i));
    return law;
}

static gboolean holds_at(const Fitting *fitting, const DtFieldLaw *law, const Value *value)
{
    const DtSpot *spot = &g_array_index(fitting->spots, DtSpot, value->spot);
    DtSpot own = g_array_index(fitting->sizes->spots, DtSpot, g_array_index(fitting->places, guint, value->spot));
    DtValue expected = value->value, found;
    own.visit = spot->visit;
    own.visits = spot->visits;
    if (dt_field_is_peer(law->kind) && expected < DT_PEER_LAST)
        expected = ((spot->rank + expected) % spot->ranks + spot->ranks) % spot->ranks;
    for (guint i = 0; i < law->pieces->len; i++) {
        const DtPieceLaw *piece = law->pieces->pdata[i];
        if (dt_condition_holds(piece->on, spot))
            return dt_series_at_stage(piece->series, fitting->sizes, &own, spot, fitting->sizes->merged->atoms,
                                      &found) &&
                   found == expected;
    }
    return FALSE;
}

static guint sizes_of(const DtFieldLaw *law, guint axes)
{
    guint mask = 1u << axes;
    for (guint i = 0; i < law->pieces->len; i++)
        mask |= dt_series_sizes(((const DtPieceLaw *)law->pieces->pdata[i])->series, axes);
    return mask;
}

/* What the other sizes give, if the one that is held back has its values. */
static DtFieldLaw *proved_values(const Fitting *fitting, guint kind, const GArray *values)
{
    g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof(Value));
    for (guint i = 0; i < values->len; i++)
        if (!is_held(fitting, g_array_index(values, Value, i).spot))
            g_array_append_val(others, g_array_index(values, Value, i));
    DtFieldLaw *law = fit_values(fitting, kind, others);
    for (guint i = 0; law && i < values->len; i++)
        if (!holds_at(fitting, law, &g_array_index(values, Value, i)))
            g_clear_pointer(&law, dt_field_law_free);
    const guint axes = g_array_index(fitting->sizes->spots, DtSpot, 0).axes;
    if (law)
        law->spare = !is_held_new(fitting)
                         ? 0
                         : dt_laws_proof(fitting->sizes, fitting->held, sizes_of(law, axes), values->len - others->len);
    return law;
}

/* Always gives a law; without pieces there is none. */
static DtFieldLaw *field_law(const Fitting *fitting, guint kind, const GArray *values)
{
    g_autofree gboolean *all = g_new0(gboolean, values->len + 1);
    DtFieldLaw *law = proved_values(fitting, kind, values);
    if (!law) {
        law = fit_values(fitting, kind, values);
        law = law ? law : dt_field_law_new(kind);
        law->spare = 0;
    }
    for (guint i = 0; i < values->len; i++)
        all[i] = TRUE;
    law->on = condition_of(fitting, values, all);
    return law;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static DtCondition *everywhere(const Fitting *fitting)
{
    g_autoptr(GArray) among = g_array_new(FALSE, FALSE, sizeof(guint));
    const guint first = 0;
    const gboolean inside = TRUE;
    g_array_append_val(among, first);
    return dt_condition_find(fitting->tests, among, &inside, FALSE);
}

static DtNodeLaw *call_law(const Fitting *fitting, const DtSkeletonNode *node, guint word, guint call)
{
    DtNodeLaw *law = dt_node_law_new(node);
    law->on = everywhere(fitting);
    for (guint f = 0; f < node->fields->len; f++) {
        g_autoptr(GArray) values = values_of(fitting, word, call, f);
        g_ptr_array_add(law->fields, field_law(fitting, g_array_index(node->fields, DtField, f).kind, values));
    }
    const guint spare = fitting->spots->len;
    dt_condition_set_spare(law->on, spare);
    return law;
}

static DtNodeLaw *word_law(const Fitting *fitting, const DtSkeletonNode *node, guint word)
{
    DtNodeLaw *law = dt_node_law_new(node);
    law->on = everywhere(fitting);
    law->is_word = TRUE;
    law->at = condition_of_word(fitting, word);
    law->children = g_ptr_array_new_with_free_func(dt_node_law_free);
    dt_condition_set_spare(law->on, fitting->spots->len);
    for (guint call = 0; call < node->children->len; call++)
        g_ptr_array_add(law->children, call_law(fitting, node->children->pdata[call], word, call));
    return law;
}

void dt_stage_laws_fit(const DtSizes *sizes, guint held, const DtStageLoop *loop, const DtSkeletonNode *node,
                       GPtrArray *words)
{
    g_autoptr(GArray) spots = g_array_new(FALSE, FALSE, sizeof(DtSpot)),
                      places = g_array_new(FALSE, FALSE, sizeof(guint)),
                      of_spots = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GHashTable) first = g_hash_table_new(NULL, NULL);
    Fitting fitting = {sizes, held, loop, spots, places, of_spots, first, NULL};
    read_seen(&fitting);
    g_autoptr(DtTests) tests = dt_tests_new_of_stages(spots);
    fitting.tests = tests;
    for (guint i = 0; i < node->children->len; i++)
        g_ptr_array_add(words, word_law(&fitting, node->children->pdata[i], g_array_index(loop->words, guint, i)));
}
