#include "verdict/habits.h"

#include "verdict/gate/luck.h"
#include "verdict/surprise.h"

/* Of a place. */
typedef struct {
    DtSteadiness steadiness;
    guint32 usual; /* the step that is taken most often */
    guint64 times; /* that */
} Habit;

struct DtHabits {
    const DtCorpus *corpus;
    DtHabitKind kind;
    DtGramMap *known;   /* by signature: count; position: runs that have it; step: the last of these, and 1 */
    DtGramMap *places;  /* position: index of a habit */
    GArray *habits;     /* (element-type Habit) */
    DtGramMap *callees; /* function << 32 | callee: that it calls normally */
};

static const DtGramMap *map_of(const DtHabits *habits, const DtObservedTrace *observed)
{
    return habits->kind == DT_HABIT_ACTS ? observed->calls->acts : observed->calls->steps;
}

static const DtFunctionBody *body_of(const DtHabits *habits, guint64 done)
{
    return dt_alphabet_function_body(habits->corpus->observations->alphabet, done);
}

guint64 dt_habits_place(const DtHabits *habits, guint64 done)
{
    const DtFunctionBody *body = body_of(habits, done);
    return (guint64)body->function << 32 | (habits->kind == DT_HABIT_STEPS ? body->callees[0] : 0);
}

static Habit *habit_at(DtHabits *habits, guint64 place)
{
    DtGram *gram = dt_gram_map_get(habits->places, place);
    const Habit none = {0};
    if (gram->count++ == 0) {
        gram->position = habits->habits->len;
        g_array_append_val(habits->habits, none);
    }
    return &g_array_index(habits->habits, Habit, gram->position);
}

static const Habit *find_habit(const DtHabits *habits, guint64 place)
{
    const DtGram *gram = dt_gram_map_find(habits->places, place);
    return gram ? &g_array_index(habits->habits, Habit, gram->position) : NULL;
}

static void add_trace(DtHabits *habits, guint run, const DtGramMap *done)
{
    for (guint i = 0; i < done->grams->len; i++) {
        const DtGram *own = dt_gram_map_at(done, i);
        DtGram *known = dt_gram_map_get(habits->known, own->key);
        known->count += own->count;
        known->position += known->step != run + 1 ? 1 : 0;
        known->step = run + 1;
    }
}

/* One run tells only by itself: what was seen once may well be luck. */
static gboolean is_unsteady(const DtHabits *habits, const DtGram *known)
{
    return habits->corpus->normals > 1 ? known->position == 1 : known->count == 1;
}

static guint64 callee_key(const DtHabits *habits, guint32 function, guint32 callee)
{
    return (guint64)function << 32 | (callee ? dt_functions_base(habits->corpus->functions, callee) : 0);
}

static void note_callees(DtHabits *habits, const DtFunctionBody *body)
{
    for (guint i = 0; i < body->count; i++)
        dt_gram_map_get(habits->callees, callee_key(habits, body->function, body->callees[i]))->count++;
}

DtHabits *dt_habits_new(const DtCorpus *corpus, DtHabitKind kind)
{
    DtHabits *habits = g_new0(DtHabits, 1);
    *habits = (DtHabits){
        corpus,           kind, dt_gram_map_new(), dt_gram_map_new(), g_array_new(FALSE, FALSE, sizeof(Habit)),
        dt_gram_map_new()};
    for (guint run = 0; run < corpus->normals; run++) {
        for (guint trace = 0; trace < corpus->traces; trace++) {
            const DtObservedTrace *observed = dt_corpus_at(corpus, run, trace);
            if (observed)
                add_trace(habits, run, map_of(habits, observed));
        }
    }
    for (guint i = 0; i < habits->known->grams->len; i++) {
        const DtGram *known = dt_gram_map_at(habits->known, i);
        Habit *habit = habit_at(habits, dt_habits_place(habits, known->key));
        habit->steadiness.done += (double)known->count;
        habit->steadiness.ways += 1;
        habit->steadiness.unsteady += is_unsteady(habits, known) ? (double)known->count : 0;
        note_callees(habits, body_of(habits, known->key));
        if (kind == DT_HABIT_STEPS && known->count > habit->times) {
            habit->times = known->count;
            habit->usual = body_of(habits, known->key)->callees[1];
        }
    }
    return habits;
}

void dt_habits_free(DtHabits *habits)
{
    if (!habits)
        return;
    dt_gram_map_free(habits->known);
    dt_gram_map_free(habits->places);
    g_array_unref(habits->habits);
    dt_gram_map_free(habits->callees);
    g_free(habits);
}

const DtGramMap *dt_habits_of_trace(const DtHabits *habits, guint trace)
{
    return map_of(habits, dt_corpus_at(habits->corpus, habits->corpus->normals, trace));
}

/* Luck by nature: how often, and what comes next. */
static gboolean has_lucky_call(const DtHabits *habits, const DtFunctionBody *body)
{
    for (guint i = 0; i < body->count; i++) {
        if (habits->corpus->kinds[body->callees[i]] & DT_KIND_NONDETERMINISTIC)
            return TRUE;
    }
    return FALSE;
}

static gboolean calls_something_new(const DtHabits *habits, const DtFunctionBody *body)
{
    for (guint i = 0; i < body->count; i++)
        if (!dt_gram_map_find(habits->callees, callee_key(habits, body->function, body->callees[i])))
            return TRUE;
    return FALSE;
}

double dt_habits_surprise_in(const DtHabits *habits, guint64 done, guint trace)
{
    const DtFunctionBody *body = body_of(habits, done);
    /* Who takes what comes first does what there is to do in any order. */
    if (dt_asks_luck(habits->corpus, trace, body->function) && !calls_something_new(habits, body))
        return 0;
    return dt_habits_surprise(habits, done);
}

double dt_habits_surprise(const DtHabits *habits, guint64 done)
{
    if (dt_gram_map_find(habits->known, done) || has_lucky_call(habits, body_of(habits, done)))
        return 0;
    const Habit *habit = find_habit(habits, dt_habits_place(habits, done));
    return habit ? dt_surprise(&habit->steadiness) : 0;
}

gboolean dt_habits_usual_step(const DtHabits *habits, guint64 place, guint32 *next)
{
    const Habit *habit = find_habit(habits, place);
    *next = habit ? habit->usual : 0;
    return habit != NULL;
}

gboolean dt_habits_knows_step(const DtHabits *habits, guint32 function, guint32 call, guint32 next)
{
    const guint32 callees[2] = {call, next};
    return dt_gram_map_find(habits->known, dt_body_signature(function, callees, 2)) != NULL;
}
