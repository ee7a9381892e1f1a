/*
 * Finds the departure of a trace.
 */
#include "verdict/departure.h"

#include <math.h>
#include <string.h>

#include "calls/calls.h"
#include "verdict/differing_arguments.h"
#include "verdict/habits.h"
#include "verdict/successors.h"

/* Less of the normal runs agree with each other for longer: then the order of calls is luck. */
static const double CERTAIN = 0.5;
/* Findings of less value tell nothing. */
static const double REMARKABLE = 0.2;
enum {
    WINDOW = 96,       /* symbols in which two sequences are brought into step again */
    IN_STEP = 3,       /* equal symbols that show it */
    LOOK_BACK = 2048,  /* symbols in which the start of a function is looked for */
    LONGEST_BODY = 64, /* callees */
    ALL_BODIES = 4096  /* that are compared for one trace */
};

/* ---- symbols ------------------------------------------------------------------------------------- */

static guint32 base_of(const DtCorpus *corpus, guint32 function)
{
    return function ? dt_functions_base(corpus->functions, function) : 0;
}

static guint32 caller_of(const DtCorpus *corpus, guint32 symbol)
{
    return base_of(corpus, dt_corpus_symbol(corpus, symbol)->caller);
}

static guint32 callee_of(const DtCorpus *corpus, guint32 symbol)
{
    return dt_corpus_symbol(corpus, symbol)->callee;
}

/* The same function calls the same function, with whatever arguments. */
static gboolean same_call(const DtCorpus *corpus, guint32 a, guint32 b)
{
    return caller_of(corpus, a) == caller_of(corpus, b) &&
           base_of(corpus, callee_of(corpus, a)) == base_of(corpus, callee_of(corpus, b));
}

static double count_of(const DtObservedTrace *observed, guint32 symbol)
{
    const DtGram *gram = dt_gram_map_find(observed->calls->grams, dt_gram_single(symbol));
    return gram ? (double)gram->count : 0;
}

static void count_calls(const DtCorpus *corpus, guint trace, guint32 symbol, DtDeparture *departure)
{
    g_autofree const DtObservedTrace **references = g_new(const DtObservedTrace *, dt_corpus_max_references(corpus));
    guint count = dt_corpus_references(corpus, corpus->normals, trace, references);
    departure->times = count_of(dt_corpus_at(corpus, corpus->normals, trace), symbol);
    for (guint i = 0; i < count; i++)
        departure->usual += count_of(references[i], symbol) / count;
}

/* ---- in the order of calls ------------------------------------------------------------------------- */

typedef struct {
    guint32 symbols[WINDOW];
    guint count;
    gboolean ends; /* nothing comes after them */
} Window;

static Window window_at(const DtSequence *sequence, guint64 position)
{
    Window window = {.count = 0};
    const guint64 length = dt_sequence_length(sequence);
    for (; window.count < WINDOW && position + window.count < length; window.count++)
        window.symbols[window.count] = dt_sequence_at(sequence, position + window.count);
    window.ends = position + window.count == length;
    return window;
}

/* From there on they are equal, as far as one can see. */
static gboolean in_step(const Window *own, guint i, const Window *usual, guint j)
{
    guint equal = 0;
    while (equal < IN_STEP && i + equal < own->count && j + equal < usual->count &&
           own->symbols[i + equal] == usual->symbols[j + equal])
        ++equal;
    gboolean both_end = own->ends && usual->ends && i + equal == own->count && j + equal == usual->count;
    return equal == IN_STEP || both_end;
}

/* The fewest symbols of each that have to be passed over, rather of one than of both; FALSE: more than a window. */
static gboolean find_step(const Window *own, const Window *usual, guint *added, guint *left_out)
{
    for (guint passed = 1; passed <= WINDOW; passed++) {
        for (guint i = 0; i <= passed / 2; i++) {
            const guint ways[2][2] = {{i, passed - i}, {passed - i, i}};
            for (guint way = 0; way < 2; way++) {
                *added = ways[way][0];
                *left_out = ways[way][1];
                if (*added <= own->count && *left_out <= usual->count && in_step(own, *added, usual, *left_out))
                    return TRUE;
            }
        }
    }
    return FALSE;
}

/* Calls of `function` by `caller` since that was entered, before a position. */
static guint calls_before(const DtCorpus *corpus, const DtSequence *own, guint64 position, guint32 caller,
                          guint32 function)
{
    guint calls = 0;
    for (guint back = 1; back < LOOK_BACK && back <= position; back++) {
        guint32 symbol = dt_sequence_at(own, position - back), callee = base_of(corpus, callee_of(corpus, symbol));
        if (callee == caller)
            break;
        calls += caller_of(corpus, symbol) == caller && callee == function ? 1 : 0;
    }
    return calls;
}

/* How far back before a position a function was entered; LOOK_BACK: not in sight. */
static guint entered_before(const DtCorpus *corpus, const DtSequence *own, guint64 position, guint32 function)
{
    guint back = 1;
    while (back < LOOK_BACK && back <= position &&
           base_of(corpus, callee_of(corpus, dt_sequence_at(own, position - back))) != function)
        ++back;
    return back <= position ? back : LOOK_BACK;
}

static DtDeparture departure_of_pair(const DtCorpus *corpus, const DtDivergence *divergence, const DtSequence *own,
                                     const DtSequence *usual)
{
    DtDeparture departure = {.position = divergence->position, .in_order = TRUE};
    const Window mine = window_at(own, divergence->position), theirs = window_at(usual, divergence->position);
    guint added = 1, left_out = 1;
    gboolean found = find_step(&mine, &theirs, &added, &left_out);
    const guint32 caller = caller_of(corpus, divergence->own);
    const guint32 usual_caller = caller_of(corpus, divergence->expected);
    gboolean returned_early = FALSE, goes_on = FALSE;
    if (caller != usual_caller) {
        guint own_start = entered_before(corpus, own, divergence->position, caller);
        guint usual_start = entered_before(corpus, own, divergence->position, usual_caller);
        returned_early = usual_start < own_start;
        goes_on = own_start < usual_start;
    }
    /* Who has not returned where it does normally makes one more call, however alike what follows may look. */
    if (!goes_on && ((found && added == 0) || returned_early)) {
        departure.kind = DT_DEPARTURE_LEFT_OUT;
        departure.caller = usual_caller;
        departure.call = callee_of(corpus, divergence->expected);
        departure.other = callee_of(corpus, divergence->own);
        departure.other_caller = caller;
        return departure;
    }
    departure.kind = (found && left_out == 0) || goes_on ? DT_DEPARTURE_ADDED : DT_DEPARTURE_INSTEAD;
    departure.caller = caller;
    departure.call = callee_of(corpus, divergence->own);
    departure.other = callee_of(corpus, divergence->expected);
    departure.other_caller = usual_caller;
    return departure;
}

static DtDeparture departure_by_names(const DtCorpus *corpus, const DtDivergence *divergence, guint trace)
{
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, trace);
    DtDeparture departure = {.position = divergence->position, .in_order = TRUE};
    guint32 named = divergence->own;
    if (divergence->has_own && divergence->has_expected) {
        departure =
            departure_of_pair(corpus, divergence, &observed->calls->entries, &divergence->reference->calls->entries);
        named = departure.kind == DT_DEPARTURE_LEFT_OUT ? divergence->expected : divergence->own;
    } else if (divergence->has_own || divergence->has_expected) {
        named = divergence->has_own ? divergence->own : divergence->expected;
        departure.kind = divergence->has_own ? DT_DEPARTURE_ADDED : DT_DEPARTURE_LEFT_OUT;
        departure.caller = caller_of(corpus, named);
        departure.call = callee_of(corpus, named);
    }
    count_calls(corpus, trace, named, &departure);
    departure.nth = calls_before(corpus, &observed->calls->entries, departure.position, departure.caller,
                                 base_of(corpus, departure.call));
    return departure;
}

static gboolean is_certain(const DtDivergence *divergence)
{
    return divergence->reference && divergence->share >= CERTAIN;
}

static DtDeparture departure_in_order(const DtDepartureSources *sources, guint trace)
{
    const DtDivergence *names = &sources->by_names[trace].divergence[DT_SEQUENCE_ALL];
    const DtDivergence *arguments =
        sources->arguments ? &sources->by_arguments[trace].divergence[DT_SEQUENCE_ALL] : NULL;
    if (arguments && is_certain(arguments) && arguments->has_own && arguments->has_expected &&
        same_call(sources->arguments, arguments->own, arguments->expected) &&
        (!is_certain(names) || arguments->position <= names->position)) {
        DtDeparture departure = {.kind = DT_DEPARTURE_ARGUMENTS,
                                 .position = arguments->position,
                                 .caller = caller_of(sources->arguments, arguments->own),
                                 .call = callee_of(sources->arguments, arguments->own),
                                 .other = callee_of(sources->arguments, arguments->expected),
                                 .in_order = TRUE};
        const DtCorpus *corpus = sources->arguments;
        count_calls(corpus, trace, arguments->own, &departure);
        departure.nth = calls_before(corpus, &dt_corpus_at(corpus, corpus->normals, trace)->calls->entries,
                                     departure.position, departure.caller, base_of(corpus, departure.call));
        return departure;
    }
    return is_certain(names) ? departure_by_names(sources->names, names, trace) : (DtDeparture){0};
}

/* ---- in what functions call --------------------------------------------------------------------------- */

/* Edits that make one body of another: distance, and the first of them. */
typedef struct {
    guint distance, at; /* `at`: callees before the first */
    gboolean has_own, has_usual;
    guint32 own, usual;
} Edit;

static Edit compare_bodies(const DtFunctionBody *own, const DtFunctionBody *usual)
{
    guint distance[LONGEST_BODY + 1][LONGEST_BODY + 1] = {{0}}; /* of what is behind */
    const guint m = own->count, n = usual->count;
    for (guint i = m + 1; i-- > 0;) {
        for (guint j = n + 1; j-- > 0;) {
            if (i == m || j == n) {
                distance[i][j] = (m - i) + (n - j);
            } else {
                guint best = MIN(distance[i + 1][j], distance[i][j + 1]) + 1;
                guint same = own->callees[i] == usual->callees[j] ? 0 : 1;
                distance[i][j] = MIN(best, distance[i + 1][j + 1] + same);
            }
        }
    }
    Edit edit = {.distance = distance[0][0]};
    guint i = 0, j = 0;
    while (i < m && j < n && own->callees[i] == usual->callees[j] && distance[i][j] == distance[i + 1][j + 1])
        ++i, ++j;
    edit.at = i;
    gboolean substituted = i < m && j < n && distance[i][j] == distance[i + 1][j + 1] + 1;
    gboolean added = i < m && (j == n || distance[i][j] == distance[i + 1][j] + 1);
    edit.has_own = substituted || added;
    edit.has_usual = substituted || !added;
    edit.own = i < m ? own->callees[i] : 0;
    edit.usual = j < n ? usual->callees[j] : 0;
    return edit;
}

/* The body of the same function in normal runs that is most like it; FALSE: none has one. */
static gboolean nearest_edit(const DtCorpus *corpus, const DtFunctionBody *own, Edit *nearest)
{
    const DtAlphabet *alphabet = corpus->observations->alphabet;
    gboolean found = FALSE;
    for (guint i = 0; i < corpus->normal_bodies->grams->len && i < ALL_BODIES; i++) {
        const DtFunctionBody *usual =
            dt_alphabet_function_body(alphabet, dt_gram_map_at(corpus->normal_bodies, i)->key);
        if (!usual || usual->function != own->function || usual->count > LONGEST_BODY)
            continue;
        Edit edit = compare_bodies(own, usual);
        if (edit.distance > 0 && (!found || edit.distance < nearest->distance)) {
            *nearest = edit;
            found = TRUE;
        }
    }
    return found;
}

static DtDeparture departure_of_edit(const DtCorpus *corpus, const DtFunctionBody *body, const DtGram *gram, Edit edit)
{
    DtDeparture departure = {.position = gram->position, .caller = base_of(corpus, body->function)};
    gboolean both = edit.has_own && edit.has_usual;
    departure.call = edit.has_own ? edit.own : edit.usual;
    departure.other = both ? edit.usual : 0;
    departure.other_caller = departure.caller;
    for (guint i = 0; i < edit.at; i++)
        departure.nth += base_of(corpus, body->callees[i]) == base_of(corpus, departure.call) ? 1 : 0;
    if (both && base_of(corpus, edit.own) == base_of(corpus, edit.usual))
        departure.kind = DT_DEPARTURE_ARGUMENTS;
    else if (both)
        departure.kind = DT_DEPARTURE_INSTEAD;
    else
        departure.kind = edit.has_own ? DT_DEPARTURE_ADDED : DT_DEPARTURE_LEFT_OUT;
    return departure;
}

/* Of the bodies that no normal trace has, the first that can be compared. */
static DtDeparture departure_in_bodies(const DtCorpus *corpus, guint trace)
{
    const DtGramMap *bodies = dt_corpus_at(corpus, corpus->normals, trace)->calls->bodies;
    for (guint i = 0; corpus->normals > 0 && i < bodies->grams->len; i++) {
        const DtGram *gram = dt_gram_map_at(bodies, i);
        if (dt_gram_map_find(corpus->normal_bodies, gram->key))
            continue;
        const DtFunctionBody *own = dt_alphabet_function_body(corpus->observations->alphabet, gram->key);
        Edit edit;
        if (own && own->count <= LONGEST_BODY && nearest_edit(corpus, own, &edit))
            return departure_of_edit(corpus, own, gram, edit);
    }
    return (DtDeparture){0};
}

/* ---- in what functions always do --------------------------------------------------------------------------------- */

/* The act of the same function in normal runs that is most like it. */
static gboolean nearest_act(const DtCorpus *corpus, const DtFunctionBody *own, Edit *nearest)
{
    g_autoptr(DtGramMap) seen = dt_gram_map_new();
    gboolean found = FALSE;
    for (guint i = 0; i < corpus->normals * corpus->traces && seen->grams->len < ALL_BODIES; i++) {
        const DtObservedTrace *observed = corpus->at[i];
        for (guint k = 0; observed && k < observed->calls->acts->grams->len; k++) {
            const guint64 key = dt_gram_map_at(observed->calls->acts, k)->key;
            const DtFunctionBody *usual = dt_alphabet_function_body(corpus->observations->alphabet, key);
            if (usual->function != own->function || usual->count > LONGEST_BODY || dt_gram_map_get(seen, key)->count++)
                continue;
            Edit edit = compare_bodies(own, usual);
            if (edit.distance > 0 && (!found || edit.distance < nearest->distance))
                *nearest = edit, found = TRUE;
        }
    }
    return found;
}

static void count_call(const DtCorpus *corpus, guint trace, DtDeparture *departure)
{
    const guint symbols = corpus->observations->alphabet->symbols->len;
    for (guint32 symbol = 0; symbol < symbols; symbol++) {
        if (caller_of(corpus, symbol) == departure->caller && callee_of(corpus, symbol) == departure->call)
            count_calls(corpus, trace, symbol, departure);
    }
}

/* `own`: a function, a call of it, and the next one. */
static DtDeparture departure_of_step(const DtCorpus *corpus, const DtFunctionBody *own, const DtGram *gram)
{
    g_autoptr(DtHabits) habits = dt_habits_new(corpus, DT_HABIT_STEPS);
    const guint32 next = own->callees[1];
    guint32 usual;
    DtDeparture departure = {.position = gram->position, .caller = base_of(corpus, own->function)};
    if (!dt_habits_usual_step(habits, dt_habits_place(habits, gram->key), &usual))
        return (DtDeparture){0};
    departure.other_caller = departure.caller;
    const gboolean is_skipped = usual && dt_habits_knows_step(habits, own->function, usual, next);
    const gboolean is_inserted = next && dt_habits_knows_step(habits, own->function, next, usual);
    if (next && usual && base_of(corpus, next) == base_of(corpus, usual))
        departure.kind = DT_DEPARTURE_ARGUMENTS;
    else if (!next || is_skipped)
        departure.kind = DT_DEPARTURE_LEFT_OUT;
    else
        departure.kind = is_inserted || !usual ? DT_DEPARTURE_ADDED : DT_DEPARTURE_INSTEAD;
    const gboolean left_out = departure.kind == DT_DEPARTURE_LEFT_OUT;
    departure.call = left_out ? usual : next;
    departure.other = left_out ? next : departure.kind == DT_DEPARTURE_ADDED ? 0 : usual;
    return departure;
}

/* What it does otherwise is no luck. */
static DtDeparture departure_in_acts(const DtCorpus *corpus, const DtEvidence *evidence, guint trace)
{
    const DtFinding *finding = &evidence[trace].findings[DT_EVIDENCE_ACT];
    const DtObservation *calls = dt_corpus_at(corpus, corpus->normals, trace)->calls;
    if (finding->value <= 0)
        return (DtDeparture){0};
    const DtFunctionBody *own = dt_alphabet_function_body(corpus->observations->alphabet, finding->key);
    const DtGram *act = dt_gram_map_find(calls->acts, finding->key);
    DtDeparture departure = {0};
    Edit edit;
    if (!act)
        departure = departure_of_step(corpus, own, dt_gram_map_find(calls->steps, finding->key));
    else if (nearest_act(corpus, own, &edit))
        departure = departure_of_edit(corpus, own, act, edit);
    if (departure.kind != DT_DEPARTURE_NONE && departure.kind != DT_DEPARTURE_ARGUMENTS)
        count_call(corpus, trace, &departure);
    return departure;
}

/* ---- in the numbers of calls ------------------------------------------------------------------------------ */

static DtDeparture departure_of_symbol(const DtCorpus *corpus, guint trace, guint32 symbol)
{
    DtDeparture departure = {.caller = caller_of(corpus, symbol), .call = callee_of(corpus, symbol)};
    count_calls(corpus, trace, symbol, &departure);
    departure.kind = departure.times > departure.usual ? DT_DEPARTURE_ADDED : DT_DEPARTURE_LEFT_OUT;
    const DtGram *gram =
        dt_gram_map_find(dt_corpus_at(corpus, corpus->normals, trace)->calls->grams, dt_gram_single(symbol));
    departure.position = gram ? gram->position : 0;
    return departure;
}

static DtDeparture departure_in_numbers(const DtCorpus *corpus, const DtEvidence *evidence, guint trace)
{
    static const guint kinds[] = {DT_EVIDENCE_NEW, DT_EVIDENCE_COUNTS, DT_EVIDENCE_NEW_HERE, DT_EVIDENCE_MISSING};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const DtFinding *finding = &evidence[trace].findings[kinds[i]];
        if (finding->value > REMARKABLE && dt_gram_is_single(finding->key))
            return departure_of_symbol(corpus, trace, dt_gram_symbol(finding->key));
    }
    return (DtDeparture){0};
}

DtDeparture dt_departure_find(const DtDepartureSources *sources, guint trace)
{
    if (!sources->by_names[trace].comparable)
        return (DtDeparture){0};
    DtDeparture departure = departure_in_order(sources, trace);
    if (departure.kind == DT_DEPARTURE_NONE || dt_corpus_is_noisy(sources->names, trace)) {
        DtDeparture sure = departure_in_acts(sources->names, sources->by_names, trace);
        if (sure.kind == DT_DEPARTURE_NONE && sources->arguments)
            sure = departure_in_acts(sources->arguments, sources->by_arguments, trace);
        if (sure.kind != DT_DEPARTURE_NONE)
            departure = sure;
    }
    if (departure.kind == DT_DEPARTURE_NONE)
        departure = departure_in_bodies(sources->names, trace);
    if (departure.kind == DT_DEPARTURE_NONE && sources->arguments)
        departure = departure_in_bodies(sources->arguments, trace);
    if (departure.kind == DT_DEPARTURE_NONE)
        departure = departure_in_numbers(sources->names, sources->by_names, trace);
    if (departure.kind == DT_DEPARTURE_NONE && sources->arguments)
        departure = departure_in_numbers(sources->arguments, sources->by_arguments, trace);
    departure.cut_short = !sources->by_names[trace].ending.finished;
    return departure;
}

gboolean dt_departure_equal(const DtFunctions *functions, const DtDeparture *a, const DtDeparture *b)
{
    if (a->kind != b->kind || a->caller != b->caller || !a->call || !b->call)
        return FALSE;
    return dt_functions_base(functions, a->call) == dt_functions_base(functions, b->call);
}

/* ---- in words ------------------------------------------------------------------------------------------------- */

/* Copies `text` up to the bracket that closes the one it starts with; returns what is behind. */
static const char *skip_brackets(const char *text, char open, char close)
{
    guint depth = 0;
    for (; *text; text++) {
        depth += *text == open ? 1 : 0;
        depth -= *text == close ? 1 : 0;
        if (depth == 0)
            return text + 1;
    }
    return text;
}

char *dt_short_name(const char *name)
{
    static const char anonymous[] = "(anonymous namespace)::";
    g_autoptr(GString) text = g_string_new(NULL);
    /* Names of Go's methods have brackets inside, what goroutines do is not a name. */
    if (strstr(name, "operator") || strstr(name, ".(*") || g_str_has_prefix(name, "go ") ||
        dt_call_class(name) == DT_CALL_GO)
        return g_strdup(name);
    for (const char *at = name; *at;) {
        if (g_str_has_prefix(at, anonymous))
            at += strlen(anonymous);
        else if (*at == '<' && text->len > 0)
            at = skip_brackets(at, '<', '>');
        else if (*at == '(' && text->len > 0)
            at = skip_brackets(at, '(', ')');
        else
            g_string_append_c(text, *at++);
    }
    /* Before the name of a template comes the type of its result. */
    g_autofree char *whole = g_string_free(g_steal_pointer(&text), FALSE);
    g_strchomp(whole);
    if (g_str_has_suffix(whole, " const"))
        whole[strlen(whole) - strlen(" const")] = '\0';
    const char *last = strrchr(whole, ' ');
    return g_strdup(last && last[1] && !strchr(last, '[') ? last + 1 : whole);
}

static char *shown(const DtFunctions *functions, guint32 function)
{
    return dt_short_name(dt_functions_get(functions, function ? dt_functions_base(functions, function) : 0)->shown);
}

/* "17", of a mean "1.3". */
static char *number_text(double number)
{
    return g_strdup_printf(fabs(number - round(number)) < 0.05 || number >= 100 ? "%.0f" : "%.1f", number);
}

/* "1 call", "23 calls". */
static char *calls_text(double calls)
{
    g_autofree char *number = number_text(calls);
    return g_strdup_printf("%s call%s", number, g_str_equal(number, "1") ? "" : "s");
}

void dt_departure_sides(const DtFunctions *functions, const DtDeparture *departure, const DtProcess *process,
                        char **faulty, char **normal)
{
    const DtSignature *own = departure->call ? dt_functions_get(functions, departure->call)->signature : NULL;
    const DtSignature *usual = departure->other ? dt_functions_get(functions, departure->other)->signature : NULL;
    *faulty = *normal = NULL;
    if (departure->kind == DT_DEPARTURE_ARGUMENTS && own && usual) {
        *faulty = dt_differing_arguments(own, usual, process);
        *normal = dt_differing_arguments(usual, own, process);
    } else if (departure->kind == DT_DEPARTURE_INSTEAD) {
        *faulty = shown(functions, departure->call);
        *normal = shown(functions, departure->other);
    } else if (departure->kind != DT_DEPARTURE_NONE) {
        *faulty = calls_text(departure->times);
        *normal = calls_text(departure->usual);
    }
}

static gboolean other_number(const DtDeparture *departure)
{
    return fabs(departure->times - departure->usual) > 0.5 &&
           (!departure->cut_short || departure->times > departure->usual);
}

/* ", 24 times, normally 23". */
static char *numbers_text(const DtDeparture *departure)
{
    if (!other_number(departure))
        return g_strdup("");
    g_autofree char *times = number_text(departure->times);
    g_autofree char *usual = number_text(departure->usual);
    return g_strdup_printf(", %s time%s, normally %s", times, g_str_equal(times, "1") ? "" : "s", usual);
}

/* " with tag 8, normally tag 1". */
static char *arguments_text(const DtFunctions *functions, const DtDeparture *departure, const DtProcess *process)
{
    g_autofree char *faulty = NULL;
    g_autofree char *normal = NULL;
    dt_departure_sides(functions, departure, process, &faulty, &normal);
    return g_strdup_printf(" with %s, normally %s", faulty && *faulty ? faulty : "other arguments",
                           normal && *normal ? normal : "others");
}

/* What is said of the call that is named. */
static char *tell_manner(const DtFunctions *functions, const DtDeparture *departure, const DtProcess *process)
{
    g_autofree char *numbers = numbers_text(departure);
    g_autofree char *other = departure->other ? shown(functions, departure->other) : NULL;
    switch (departure->kind) {
    case DT_DEPARTURE_ARGUMENTS:
        return arguments_text(functions, departure, process);
    case DT_DEPARTURE_LEFT_OUT:
        if (other && departure->other_caller == departure->caller)
            return g_strdup_printf(" and goes on with %s%s", other, numbers);
        return g_strdup(numbers);
    case DT_DEPARTURE_ADDED:
        return g_strdup(*numbers ? numbers : ", which does not come there normally");
    case DT_DEPARTURE_INSTEAD:
        return g_strdup_printf(" where %s comes normally%s", other, numbers);
    case DT_DEPARTURE_NONE:
        break;
    }
    return g_strdup("");
}

char *dt_departure_text(const DtFunctions *functions, const DtDeparture *departure, const char *place,
                        const DtProcess *process)
{
    if (departure->kind == DT_DEPARTURE_NONE)
        return NULL;
    g_autofree char *subject = departure->caller ? shown(functions, departure->caller) : g_strdup("it");
    g_autofree char *call = shown(functions, departure->call);
    g_autofree char *at = place ? g_strdup_printf(" (%s)", place) : g_strdup("");
    g_autofree char *manner = tell_manner(functions, departure, process);
    return g_strdup_printf("%s %s %s%s%s", subject, departure->kind == DT_DEPARTURE_LEFT_OUT ? "leaves out" : "calls",
                           call, at, manner);
}
