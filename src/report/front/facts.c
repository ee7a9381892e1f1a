#include "report/front/facts.h"

#include <string.h>

#include "checks/checks.h"
#include "decoder/open_calls.h"
#include "report/common.h"
#include "report/front/excerpt.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

static void free_frame(gpointer data)
{
    DtFrontFrame *frame = data;
    g_free(frame->call);
    g_free(frame->source);
    g_free(frame);
}

void dt_front_facts_free(DtFrontFacts *facts)
{
    if (!facts)
        return;
    g_ptr_array_unref(facts->frames);
    dt_front_excerpt_clear(&facts->excerpt);
    g_free(facts->who);
    g_free(facts->at);
    g_free(facts->address);
    g_free(facts);
}

/* ---- who ---------------------------------------------------------------------------- */

static gboolean is_accused(const DtComparison *comparison, const DtSuspectRow *row)
{
    return g_str_equal(row->level, dt_level_name(DT_LEVEL_SUSPECT)) &&
           g_strcmp0(comparison->scope, dt_scope_name(DT_SCOPE_ALL)) != 0;
}

static const DtSuspectRow *find_prime(const DtComparison *comparison)
{
    const DtSuspectRow *first = comparison->suspects->len > 0 ? comparison->suspects->pdata[0] : NULL;
    return first && is_accused(comparison, first) ? first : NULL;
}

/* Where nobody stands out, the first that there is evidence against. */
static const DtSuspectRow *find_lead(const DtComparison *comparison)
{
    gboolean unknown = !comparison->scope || g_str_equal(comparison->scope, dt_scope_name(DT_SCOPE_UNKNOWN));
    return unknown && comparison->suspects->len > 0 ? comparison->suspects->pdata[0] : NULL;
}

static const DtCheckRow *find_proved(const DtComparison *comparison)
{
    for (guint i = 0; i < comparison->checks->len; i++) {
        const DtCheckRow *row = comparison->checks->pdata[i];
        if (!row->in_normal && g_strcmp0(row->level, dt_check_level_name(DT_CHECK_ERROR)) == 0)
            return row;
    }
    return NULL;
}

char *dt_front_meaning(const DtCheckRow *row)
{
    gboolean stops = row->meaning && g_str_has_suffix(row->meaning, ".");
    return g_strndup(row->meaning ? row->meaning : "", stops ? strlen(row->meaning) - 1 : G_MAXSIZE);
}

char *dt_front_traces(const DtCheckRow *row)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; row->traces && row->traces[i]; i++)
        g_ptr_array_add(labels, row->traces[i]);
    return labels->len > 0 ? dt_trace_list_text(labels) : g_strdup("");
}

/* Those that are accused of the same. */
static GPtrArray *alike(const DtComparison *comparison, const DtSuspectRow *prime)
{
    GPtrArray *labels = g_ptr_array_new();
    for (guint i = 0; i < comparison->suspects->len; i++) {
        const DtSuspectRow *row = comparison->suspects->pdata[i];
        if (row == prime || (prime->group != 0 && row->group == prime->group && is_accused(comparison, row)))
            g_ptr_array_add(labels, row->trace);
    }
    return labels;
}

static char *name_of_one(const DtTrace *trace, const DtRun *run)
{
    const char *thread = strrchr(trace->label, '.');
    const char *kind = trace->process->rank >= 0 ? "Rank" : "Process";
    if (trace->thread == 0 && !trace->library)
        return g_strdup_printf("%s %s", kind, trace->process->label);
    if (dt_run_process_count(run) == 1)
        return g_strdup_printf("Thread %s", thread ? thread + 1 : trace->label);
    return g_strdup_printf("%s %s, thread %s,", kind, trace->process->label, thread ? thread + 1 : "0");
}

/* In either run: a rank may be missing. */
static const DtTrace *find_anywhere(const DtPage *page, const char *label, const DtRun **run)
{
    const DtTrace *trace = NULL;
    for (guint i = G_N_ELEMENTS(page->runs); i-- > 0 && !trace;) {
        *run = page->runs[i] ? page->runs[i]->run : NULL;
        trace = *run ? dt_run_find_trace(*run, label) : NULL;
    }
    return trace;
}

static void find_who(DtFrontFacts *facts)
{
    g_autoptr(GPtrArray) labels = alike(facts->page->comparison, facts->prime);
    const DtRun *run = NULL;
    const DtTrace *trace = find_anywhere(facts->page, facts->prime->trace, &run);
    facts->many = labels->len > 1;
    if (facts->many) {
        g_autofree char *list = dt_trace_list_text(labels);
        g_autofree char *brief = dt_text_shortened(list, 40);
        facts->who = g_strdup_printf("%s %s", trace && trace->process->rank >= 0 ? "Ranks" : "Traces", brief);
    } else {
        facts->who = trace ? name_of_one(trace, run) : g_strdup_printf("Trace %s", facts->prime->trace);
    }
}

/* ---- where -------------------------------------------------------------------------- */

static void add_inlined(DtFrontFacts *facts, const DtSourceFrame *inlined, char *source)
{
    DtFrontFrame *frame = g_new0(DtFrontFrame, 1);
    frame->call = dt_text_printf("%s", inlined->function);
    frame->source = source;
    frame->inlined = TRUE;
    g_ptr_array_add(facts->frames, frame);
}

/* Where the signal hit, and the functions that the compiler has inlined there, innermost first: the line that the
 * function is at which has them; g_free(). */
static char *add_hit(DtFrontFacts *facts, DtSourceLines *lines, const DtRun *run)
{
    DtSignalHit hit;
    if (facts->trace->fatal_signal == 0 || !dt_run_signal_hit(run, facts->trace, &hit))
        return NULL;
    if (hit.is_fault)
        facts->address = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", hit.fault_address);
    if (!hit.known)
        return NULL;
    const GArray *inlined = dt_source_lines_at(lines, run, facts->trace->process, &hit.place);
    char *source = g_strdup(facts->at);
    for (guint i = 0; i + 1 < inlined->len; i++) {
        const DtSourceFrame *outer = &g_array_index(inlined, DtSourceFrame, i + 1);
        g_autofree char *file = g_path_get_basename(outer->file);
        add_inlined(facts, &g_array_index(inlined, DtSourceFrame, i), source);
        source = dt_text_printf("%s:%u", file, outer->line);
    }
    return source;
}

/* A frame is at the line where it made the call inside it; the innermost one where the trace was hit. */
static void find_frames(DtFrontFacts *facts, const DtRun *run)
{
    g_autoptr(GArray) open = dt_open_calls_at_end(run, facts->trace, NULL);
    g_autoptr(DtSourceLines) lines = dt_source_lines_new();
    DtPlace place;
    if (!open)
        return;
    if (open->len > 0 && dt_open_calls_innermost(run, facts->trace, open, &place))
        facts->at = dt_source_lines_text(lines, run, facts->trace->process, &place);
    char *source = add_hit(facts, lines, run);
    for (guint i = open->len; i-- > 0;) {
        const DtOpenCall *call = &g_array_index(open, DtOpenCall, i);
        DtFrontFrame *frame = g_new0(DtFrontFrame, 1);
        frame->call = g_strdup(dt_function_shown(dt_run_functions(run), call->signature));
        frame->source = source;
        gboolean is_own = call->known && dt_run_place_is_own(run, facts->trace->process, &call->place);
        source = is_own ? dt_source_lines_text(lines, run, facts->trace->process, &call->place) : NULL;
        g_ptr_array_add(facts->frames, frame);
    }
    g_free(source);
}

/* "exchange (sort.c:57)" -> "sort.c:57" */
static char *place_in(const char *text)
{
    const char *begin = text ? strrchr(text, '(') : NULL, *end = begin ? strchr(begin, ')') : NULL;
    const char *colon = begin ? strchr(begin, ':') : NULL;
    return end && colon && colon < end ? g_strndup(begin + 1, (gsize)(end - begin - 1)) : NULL;
}

static const DtTimeDifference *first_of_times(const DtComparison *comparison)
{
    const DtTimeVerdict *times = comparison->times;
    return times && times->differences->len > 0 ? times->differences->pdata[0] : NULL;
}

/* Of a whole program that changed, or is slower, the trace that lends its images. */
static void find_place_of_all(DtFrontFacts *facts, const DtRun *run)
{
    const DtComparison *comparison = facts->page->comparison;
    const DtTimeDifference *slower = first_of_times(comparison);
    if (facts->lead)
        facts->at = place_in(facts->lead->source);
    if (!facts->at && slower && facts->frames->len == 0)
        facts->at = g_strdup(slower->source);
    if (!facts->at && !facts->lead)
        facts->at = g_strdup(comparison->common.source);
    if (!facts->at && facts->frames->len == 0 && facts->proved) {
        facts->at = g_strdup(facts->proved->source);
        if (facts->proved->traces && facts->proved->traces[0])
            facts->trace = dt_run_find_trace(run, facts->proved->traces[0]);
    }
    if (!facts->trace && dt_run_trace_count(run) > 0)
        facts->trace = dt_run_trace(run, 0);
}

/* ---- what --------------------------------------------------------------------------- */

static const DtDiffNlrReport *difference_of(const GArray *differences, const char *label)
{
    for (guint i = 0; differences && i < differences->len; i++) {
        const DtDiffNlrReport *each = &g_array_index(differences, DtDiffNlrReport, i);
        if (!label || g_str_equal(each->trace, label))
            return each;
    }
    return NULL;
}

/* The reasons against a trace, be they weak; NULL: there are none. */
static const char *reasons_against(const DtComparison *comparison, const char *trace)
{
    for (guint i = 0; i < comparison->suspects->len; i++) {
        const DtSuspectRow *row = comparison->suspects->pdata[i];
        if (g_str_equal(row->trace, trace))
            return row->why;
    }
    return NULL;
}

static void find_difference(DtFrontFacts *facts)
{
    const char *label = facts->lead ? facts->lead->trace : NULL;
    const DtDiffNlrReport *names = difference_of(facts->page->differences, label);
    const DtDiffNlrReport *detailed = names ? difference_of(facts->page->detailed, names->trace) : NULL;
    facts->with_arguments = detailed != NULL;
    facts->difference = detailed ? detailed : names;
    if (!facts->difference)
        return;
    const char *reasons = reasons_against(facts->page->comparison, facts->difference->trace);
    facts->departs = dt_parting_find(facts->difference, reasons, &facts->departure);
}

DtFrontFacts *dt_front_facts_new(const DtPage *page)
{
    DtFrontFacts *facts = g_new0(DtFrontFacts, 1);
    const DtRun *run = page->runs[1]->run;
    facts->page = page;
    facts->frames = g_ptr_array_new_with_free_func(free_frame);
    facts->prime = find_prime(page->comparison);
    facts->lead = facts->prime ? facts->prime : find_lead(page->comparison);
    facts->proved = find_proved(page->comparison);
    if (facts->lead)
        facts->trace = dt_run_find_trace(run, facts->lead->trace);
    if (facts->prime)
        find_who(facts);
    if (facts->trace && g_strcmp0(facts->lead->status, dt_status_name(DT_STATUS_FINISHED)) != 0)
        find_frames(facts, run);
    if (!facts->at)
        find_place_of_all(facts, run);
    if (facts->trace)
        facts->excerpt = dt_front_excerpt(run, facts->trace, facts->at);
    find_difference(facts);
    return facts;
}

const DtFrontFrame *dt_front_telling_frame(const DtFrontFacts *facts)
{
    for (guint i = facts->frames->len; i-- > 0;) {
        const DtFrontFrame *frame = facts->frames->pdata[i];
        if (dt_is_library_call(frame->call))
            return frame;
    }
    return facts->frames->len > 0 ? facts->frames->pdata[0] : NULL;
}
