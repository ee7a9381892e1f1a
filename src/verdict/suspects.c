/* A suspect in words: where and how it departs, how it ends, what else speaks against it. */
#include "verdict/suspects.h"

#include <string.h>

#include "decoder/open_calls.h"
#include "text/text.h"
#include "verdict/why.h"

/* What nobody shares, and luck has no part in: it comes before the call that ended the process. */
static const double OWN_ACT = 0.55;
enum { MOST_ENDS_READ = 64 }; /* suspects of which the end of the trace is read once more */

/* The first call that departs from what comes normally, with arguments: names alone may not differ. */
static char *tell_arguments(const DtJudgement *judgement, guint trace)
{
    const DtDivergence *divergence = &judgement->by_arguments[trace].divergence[DT_SEQUENCE_ALL];
    if (!divergence->has_own || !divergence->has_expected || divergence->share <= 0)
        return NULL;
    return g_strdup_printf("%s instead of %s", dt_corpus_callee_name(judgement->arguments, divergence->own),
                           dt_corpus_callee_name(judgement->arguments, divergence->expected));
}

/* Whichever says more against the trace. */
static char *tell_why(const DtJudgement *judgement, guint trace, const DtDifferenceTexts *texts)
{
    const DtEvidence *names = &judgement->by_names[trace];
    if (judgement->arguments && judgement->by_arguments[trace].score > names->score)
        return dt_why(judgement->arguments, judgement->by_arguments, trace, texts);
    return dt_why(judgement->names, judgement->by_names, trace, texts);
}

/* The innermost open call that is none of a library's. */
static guint32 ends_in(const DtCorpus *corpus, guint trace)
{
    const GArray *open = dt_corpus_at(corpus, corpus->normals, trace)->calls->open;
    for (guint i = open->len; i > 0; --i) {
        guint32 function = g_array_index(open, guint32, i - 1);
        if (!(corpus->kinds[function] & DT_KIND_LIBRARY))
            return dt_functions_base(corpus->functions, function);
    }
    return 0;
}

/* "exchange (sort.c:57)"; NULL: no line is known. */
static char *source_text(const DtCorpus *corpus, guint32 function, const char *line)
{
    return function && line ? g_strdup_printf("%s (%s)", dt_functions_get(corpus->functions, function)->shown, line)
                            : NULL;
}

/* Where in the code the call stands: if it does at several places, that which is its turn; in a loop that is not known.
 */
static const char *line_in_code(const DtSuspectSources *sources, const DtDeparture *departure, const DtTrace *trace)
{
    const GPtrArray *lines = dt_source_lines_of_code(sources->lines, sources->judgement->names->faulty_run,
                                                     trace->process, departure->caller, departure->call);
    if (lines->len == 1)
        return g_ptr_array_index(lines, 0);
    return departure->nth < lines->len ? g_ptr_array_index(lines, departure->nth) : NULL;
}

static gboolean is_among(const GPtrArray *lines, const char *line)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)lines, line, g_str_equal, NULL);
}

/* The lines from where a process made a call, by what was recorded (element-type char*). */
static GPtrArray *recorded_lines(const DtSuspectSources *sources, const DtRun *run, const DtProcess *process,
                                 guint32 call)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) sites = dt_run_call_sites_of(run, process, call);
    for (guint i = 0; i < sites->len; i++) {
        char *line = dt_source_lines_text_of_function(sources->lines, run, process,
                                                      &((const DtCallSite *)sites->pdata[i])->place);
        if (line)
            g_ptr_array_add(lines, line);
    }
    return lines;
}

/* Of the recorded lines within the caller that from where the call is not made normally; if there is none, the only
 * one. NULL: it is not certain. */
static char *recorded_line(const DtSuspectSources *sources, const DtDeparture *departure, const DtTrace *trace)
{
    const DtRun *run = sources->judgement->names->faulty_run;
    const DtTrace *usual = sources->normal ? dt_run_find_trace(sources->normal, trace->label) : NULL;
    const GPtrArray *in_code =
        dt_source_lines_of_code(sources->lines, run, trace->process, departure->caller, departure->call);
    g_autoptr(GPtrArray) lines = recorded_lines(sources, run, trace->process, departure->call);
    g_autoptr(GPtrArray) normally =
        usual ? recorded_lines(sources, sources->normal, usual->process, departure->call) : g_ptr_array_new();
    const char *only = NULL;
    guint count = 0;
    for (guint i = 0; i < lines->len; i++) {
        const char *line = g_ptr_array_index(lines, i);
        if (in_code->len > 0 && !is_among(in_code, line))
            continue;
        if (usual && !is_among(normally, line))
            return g_strdup(line);
        count += g_strcmp0(only, line) != 0;
        only = line;
    }
    return count == 1 ? g_strdup(only) : NULL;
}

/* Where the trace was when it ended. */
static char *line_at_end(const DtSuspectSources *sources, const DtTrace *trace)
{
    const DtRun *run = sources->judgement->names->faulty_run;
    g_autoptr(GArray) calls = dt_open_calls_at_end(run, trace, NULL);
    DtPlace place;
    if (!calls || !dt_open_calls_innermost(run, trace, calls, &place))
        return NULL;
    return dt_source_lines_text_of_function(sources->lines, run, trace->process, &place);
}

char *dt_departure_line(const DtSuspectSources *sources, const DtDeparture *departure, const DtTrace *trace)
{
    if (departure->kind == DT_DEPARTURE_NONE || !departure->caller)
        return NULL;
    char *line = departure->kind == DT_DEPARTURE_LEFT_OUT ? NULL : recorded_line(sources, departure, trace);
    return line ? line : g_strdup(line_in_code(sources, departure, trace));
}

static gboolean is_ending(const DtCorpus *corpus, const DtDeparture *departure)
{
    return departure->call && (corpus->kinds[dt_functions_base(corpus->functions, departure->call)] & DT_KIND_ENDING);
}

/* A signal hit it, and what it did otherwise before may be luck. */
static gboolean is_plain_crash(const DtSuspectSources *sources, guint number)
{
    return sources->judgement->by_names[number].ending.hit &&
           sources->whole->by_names[number].findings[DT_EVIDENCE_ACT].value < OWN_ACT;
}

/* Where the trace departs, else where it ends: the departure in words, or NULL, and the source. */
static char *tell_departure(const DtSuspectSources *sources, const DtTrace *trace, guint number, gboolean thoroughly,
                            char **source)
{
    static const DtDeparture nothing = {.kind = DT_DEPARTURE_NONE};
    const DtCorpus *corpus = sources->judgement->names;
    const DtDeparture *departure = &sources->judgement->departures[number];
    if (departure->kind == DT_DEPARTURE_NONE && sources->other)
        departure = &sources->other->departures[number];
    if (is_plain_crash(sources, number))
        departure = &nothing;
    const gboolean is_told = departure->kind != DT_DEPARTURE_NONE && !is_ending(corpus, departure);
    if (!is_told && sources->whole->by_names[number].findings[DT_EVIDENCE_ACT].value >= OWN_ACT)
        departure = &sources->whole->departures[number];
    g_autofree char *line = dt_departure_line(sources, departure, trace);
    const gboolean ends_it = is_ending(corpus, departure);
    const gboolean ended_badly = !sources->judgement->by_names[number].ending.finished;
    if (!line && thoroughly && ended_badly && (departure->kind == DT_DEPARTURE_NONE || ends_it))
        line = line_at_end(sources, trace);
    char *text = dt_departure_text(corpus->functions, departure, line, trace->process);
    guint32 function = text ? departure->caller : ends_in(corpus, number);
    if (!text && function && !line)
        line = dt_source_lines_find(sources->lines, corpus->faulty_run, trace->process, function);
    *source = source_text(corpus, function, line);
    return text;
}

static DtSuspect *suspect_new(const DtSuspectSources *sources, const DtCandidate *candidate, gboolean thoroughly)
{
    const DtJudgement *judgement = sources->judgement;
    const DtCorpus *corpus = judgement->names;
    const guint number = candidate->trace;
    const DtObservedTrace *observed = dt_corpus_at(corpus, corpus->normals, number);
    g_autofree char *end_position = NULL;
    g_autofree char *departure = NULL;
    DtSuspect *suspect = g_new0(DtSuspect, 1);
    suspect->label = g_ptr_array_index(corpus->labels, number);
    suspect->trace = observed ? observed->trace : NULL;
    suspect->score = candidate->confidence;
    suspect->level = candidate->level;
    suspect->status = dt_status_of(corpus, judgement->by_names, number);
    if (observed) {
        dt_positions_find(sources->positions, observed->trace, &suspect->first_difference, &end_position);
        departure = tell_departure(sources, observed->trace, number, thoroughly, &suspect->source);
    }
    if (!suspect->first_difference && judgement->arguments && corpus->normals > 0)
        suspect->first_difference = tell_arguments(judgement, number);
    const DtDifferenceTexts texts = {departure, suspect->first_difference, end_position};
    g_autofree char *why = tell_why(judgement, number, &texts);
    suspect->why =
        suspect->source && !departure ? g_strdup_printf("%s; in %s", why, suspect->source) : g_steal_pointer(&why);
    return suspect;
}

/* A suspect is of the group of the first one that says the same of itself. */
static void find_groups(const GPtrArray *suspects)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < suspects->len; i++) {
        DtSuspect *suspect = g_ptr_array_index(suspects, i);
        const char *difference = suspect->first_difference ? suspect->first_difference : suspect->why;
        char *kind = g_strdup_printf("%s %s %s", dt_level_name(suspect->level), dt_status_name(suspect->status),
                                     difference ? difference : "");
        gpointer group = g_hash_table_lookup(known, kind);
        suspect->group = group ? GPOINTER_TO_UINT(group) - 1 : g_hash_table_size(known);
        if (group)
            g_free(kind);
        else
            g_hash_table_insert(known, kind, GUINT_TO_POINTER(suspect->group + 1));
    }
}

static void suspect_free(gpointer data)
{
    DtSuspect *suspect = data;
    g_free(suspect->first_difference);
    g_free(suspect->source);
    g_free(suspect->why);
    g_free(suspect);
}

GPtrArray *dt_suspects_new(const DtSuspectSources *sources, const GArray *candidates)
{
    GPtrArray *suspects = g_ptr_array_new_with_free_func(suspect_free);
    for (guint i = 0; i < candidates->len; i++)
        g_ptr_array_add(suspects, suspect_new(sources, &g_array_index(candidates, DtCandidate, i), i < MOST_ENDS_READ));
    find_groups(suspects);
    return suspects;
}
