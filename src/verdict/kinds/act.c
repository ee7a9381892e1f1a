/*
 * Act: a function makes its calls in a way in which it never does normally, though it is called so often that luck
 * would have shown it.
 */
#include "verdict/habits.h"

/* The traces that do something new at each place (by place: count). */
static DtGramMap *count_traces(const DtHabits *habits, const DtCase *own)
{
    DtGramMap *traces_with = dt_gram_map_new();
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        if (!own->evidence[trace].comparable)
            continue;
        const DtGramMap *done = dt_habits_of_trace(habits, trace);
        for (guint i = 0; i < done->grams->len; i++) {
            guint64 key = dt_gram_map_at(done, i)->key;
            if (dt_habits_surprise_in(habits, key, trace) <= 0)
                continue;
            DtGram *place = dt_gram_map_get(traces_with, dt_habits_place(habits, key));
            place->count += place->position != trace + 1 ? 1 : 0;
            place->position = trace + 1;
        }
    }
    return traces_with;
}

/* What nobody else does weighs most. */
static void judge_trace(const DtHabits *habits, const DtGramMap *traces_with, const DtCase *own, guint trace,
                        DtFinding *finding)
{
    const DtGramMap *done = dt_habits_of_trace(habits, trace);
    const gboolean library_calls_only = dt_corpus_counts_library_calls(own->corpus, own->corpus->normals, trace);
    for (guint i = 0; i < done->grams->len; i++) {
        const DtGram *act = dt_gram_map_at(done, i);
        const double surprise = dt_habits_surprise_in(habits, act->key, trace);
        if (surprise <= 0)
            continue;
        const double value = surprise / (double)dt_gram_map_find(traces_with, dt_habits_place(habits, act->key))->count;
        const guint64 step = library_calls_only ? act->step : act->position;
        if (value > finding->value || (value == finding->value && step < finding->step))
            *finding = (DtFinding){.value = value, .key = act->key, .step = step};
    }
}

static void judge_act(const DtCase *own, DtFinding *findings)
{
    static const DtHabitKind kinds[] = {DT_HABIT_STEPS, DT_HABIT_ACTS};
    /* Who has another share of the work makes other numbers of calls, but in the same way. */
    const gboolean shares_differ = own->corpus->teams_differ || dt_corpus_sizes_differ(own->corpus);
    for (guint i = 0; own->corpus->normals > 0 && i < (shares_differ ? 1 : G_N_ELEMENTS(kinds)); i++) {
        g_autoptr(DtHabits) habits = dt_habits_new(own->corpus, kinds[i]);
        g_autoptr(DtGramMap) traces_with = count_traces(habits, own);
        for (guint trace = 0; trace < own->corpus->traces; trace++) {
            if (own->evidence[trace].comparable)
                judge_trace(habits, traces_with, own, trace, &findings[trace]);
        }
    }
}

static guint64 first_step_of_act(const DtEvidence *evidence)
{
    const DtFinding *finding = &evidence->findings[DT_EVIDENCE_ACT];
    return finding->value > 0 ? finding->step : DT_NO_STEP;
}

const DtEvidenceKind dt_kind_act = {.name = "act",
                                    .is_in_departure = TRUE,
                                    .is_early = TRUE,
                                    .weight = 1.5,
                                    .judge = judge_act,
                                    .first_step = first_step_of_act,
                                    .sentence = "a function that is steady normally makes other calls"};
