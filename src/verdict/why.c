/*
 * Says in words how a trace ends and what speaks against it.
 */
#include "verdict/why.h"

/* Terms of less weight in the score are not worth words, nor are more of them than this. */
static const double WORTH_TELLING = 0.3;
enum { TERMS_TOLD = 2 };

static const DtObservedTrace *observed_trace(const DtCorpus *corpus, guint trace)
{
    return dt_corpus_at(corpus, corpus->normals, trace);
}

static const char *function_name(const DtCorpus *corpus, guint32 function)
{
    return dt_functions_get(corpus->functions, function)->shown;
}

/* ---- how it ends ------------------------------------------------------------------------ */

DtStatus dt_status_of(const DtCorpus *corpus, const DtEvidence *evidence, guint trace)
{
    const DtEvidence *own = &evidence[trace];
    if (!own->present)
        return DT_STATUS_MISSING;
    if (own->ending.cut_off)
        return DT_STATUS_RUNNING;
    if (own->ending.finished)
        return DT_STATUS_FINISHED;
    if (own->ending.ends_in)
        return DT_STATUS_ABORTED;
    if (own->ending.process_crashed)
        return DT_STATUS_CRASHED;
    if (own->ending.left)
        return own->ending.process;
    if (own->ending.went_along)
        return DT_STATUS_KILLED;
    if (own->ending.moves)
        return DT_STATUS_RUNNING;
    if (own->ending.waits_in)
        return DT_STATUS_STUCK;
    DtEnd end = observed_trace(corpus, trace)->trace->process->end;
    gboolean stopped = end == DT_END_SIGNAL || end == DT_END_KILLED;
    gboolean hung =
        !stopped || dt_run_manifest(corpus->faulty_run)->timed_out || dt_run_manifest(corpus->faulty_run)->stuck;
    return hung && own->ending.innermost ? DT_STATUS_STUCK : DT_STATUS_KILLED;
}

static char *tell_crash(const DtCorpus *corpus, const DtTraceEnding *ending, guint trace)
{
    gint signal_number = observed_trace(corpus, trace)->trace->process->status;
    const char *name = g_strsignal(signal_number);
    if (ending->waits_in && !ending->hit)
        return g_strdup_printf("waiting in %s when its process died of signal %d (%s),",
                               function_name(corpus, ending->waits_in), signal_number, name);
    if (!ending->innermost)
        return g_strdup_printf("died of signal %d (%s)", signal_number, name);
    return g_strdup_printf("died of signal %d (%s) in %s", signal_number, name,
                           function_name(corpus, ending->innermost));
}

static char *tell_ending(const DtCorpus *corpus, const DtEvidence *evidence, guint trace, DtStatus status)
{
    const DtTraceEnding *ending = &evidence[trace].ending;
    const char *innermost = ending->innermost ? function_name(corpus, ending->innermost) : NULL;
    switch (status) {
    case DT_STATUS_STUCK:
        return g_strdup_printf("stuck in %s", ending->waits_in ? function_name(corpus, ending->waits_in) : innermost);
    case DT_STATUS_EXITED:
        return g_strdup(ending->end);
    case DT_STATUS_ABORTED:
        if (!ending->ends_in)
            return g_strdup(ending->end);
        return g_strdup_printf("called %s", function_name(corpus, ending->ends_in));
    case DT_STATUS_CRASHED:
        return tell_crash(corpus, ending, trace);
    case DT_STATUS_KILLED:
        return innermost ? g_strdup_printf("killed in %s", innermost) : g_strdup("killed outside any call");
    case DT_STATUS_RUNNING:
        return innermost ? g_strdup_printf("still running in %s", innermost) : g_strdup("still running");
    case DT_STATUS_FINISHED:
    case DT_STATUS_MISSING:
        break;
    }
    return g_strdup("finished");
}

static char *tell_main_point(const DtCorpus *corpus, const DtEvidence *evidence, guint trace,
                             const DtDifferenceTexts *texts)
{
    const DtEvidence *own = &evidence[trace];
    DtStatus status = dt_status_of(corpus, evidence, trace);
    if (status == DT_STATUS_MISSING)
        return g_strdup_printf("in %s only",
                               own->normals_with == corpus->normals ? "the normal run" : "some of the normal runs");
    g_autofree char *ending = tell_ending(corpus, evidence, trace, status);
    if (corpus->normals > 0 && own->normals_with == 0)
        return g_strdup_printf("in the faulty run only; %s", ending);
    const char *departure = texts->departure ? texts->departure : "", *semicolon = texts->departure ? "; " : "";
    if (status != DT_STATUS_FINISHED)
        return g_strdup_printf("%s%s%s%s%s", departure, semicolon, ending, texts->end_position ? " " : "",
                               texts->end_position ? texts->end_position : "");
    if (own->ending.failed)
        return g_strdup_printf("%s%sits process exited with status %d", departure, semicolon,
                               observed_trace(corpus, trace)->trace->process->status);
    if (texts->departure)
        return g_strdup(texts->departure);
    return g_strdup_printf("%s%s%s", ending, texts->first_difference ? "; " : "",
                           texts->first_difference ? texts->first_difference : "");
}

/* ---- terms of the score ------------------------------------------------------------------- */

char *dt_gram_text(const DtCorpus *corpus, guint64 key)
{
    const char *last = dt_corpus_callee_name(corpus, dt_gram_symbol(key));
    if (dt_gram_is_single(key)) {
        guint32 caller = dt_corpus_symbol(corpus, dt_gram_symbol(key))->caller;
        return caller ? g_strdup_printf("%s in %s", last, function_name(corpus, caller)) : g_strdup(last);
    }
    return g_strdup_printf("%s then %s", dt_corpus_callee_name(corpus, dt_gram_first_symbol(key)), last);
}

static char *tell_kind(const DtCase *own, guint trace, guint kind)
{
    const DtEvidenceKind *told = dt_evidence_kinds[kind];
    return told->tell ? told->tell(own, trace) : g_strdup(told->sentence);
}

static guint largest_untold(const DtCorpus *corpus, const DtEvidence *own, const gboolean *told)
{
    guint largest = DT_EVIDENCE_KINDS;
    double most = WORTH_TELLING;
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++) {
        double term = dt_evidence_weight(corpus, kind) * own->findings[kind].value;
        if (!told[kind] && term > most) {
            most = term;
            largest = kind;
        }
    }
    return largest;
}

/* It, and all kinds with its subject. */
static void mark_told(guint kind, gboolean *told)
{
    const char *subject = dt_evidence_kinds[kind]->subject;
    for (guint other = 0; other < DT_EVIDENCE_KINDS; other++)
        told[other] |= other == kind || (subject && g_strcmp0(subject, dt_evidence_kinds[other]->subject) == 0);
}

char *dt_why(const DtCorpus *corpus, const DtEvidence *evidence, guint trace, const DtDifferenceTexts *texts)
{
    const DtCase own = {.corpus = corpus, .evidence = evidence};
    gboolean told[DT_EVIDENCE_KINDS];
    g_autofree char *point = tell_main_point(corpus, evidence, trace, texts);
    g_autoptr(GString) why = g_string_new(point);
    for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++)
        told[kind] = (texts->first_difference && dt_evidence_kinds[kind]->is_in_difference) ||
                     (texts->departure && dt_evidence_kinds[kind]->is_in_departure);
    for (guint terms = 0; evidence[trace].comparable && terms < TERMS_TOLD;) {
        guint kind = largest_untold(corpus, &evidence[trace], told);
        if (kind == DT_EVIDENCE_KINDS)
            break;
        g_autofree char *text = tell_kind(&own, trace, kind);
        mark_told(kind, told);
        if (!text)
            continue;
        g_string_append_printf(why, "; %s", text);
        ++terms;
    }
    return g_string_free(g_steal_pointer(&why), FALSE);
}

/* ---- what the others do ------------------------------------------------------------------------- */

static gint compare_counts(gconstpointer a, gconstpointer b)
{
    const DtGram *first = a, *second = b;
    return first->count < second->count ? 1 : first->count > second->count ? -1 : 0;
}

char *dt_meanwhile(const DtCorpus *corpus, const DtEvidence *evidence, const DtSuspect *suspect)
{
    enum { CALLS_TOLD = 3 };
    g_autoptr(DtGramMap) waiting = dt_gram_map_new();
    for (guint trace = 0; trace < corpus->traces; trace++) {
        const DtTraceEnding *ending = &evidence[trace].ending;
        gboolean other = !suspect || !g_str_equal(suspect->label, g_ptr_array_index(corpus->labels, trace));
        if (other && evidence[trace].present && ending->open && ending->waits_in)
            dt_gram_map_get(waiting, ending->waits_in)->count++;
    }
    g_array_sort(waiting->grams, compare_counts);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < waiting->grams->len && i < CALLS_TOLD; i++) {
        const DtGram *call = dt_gram_map_at(waiting, i);
        g_string_append_printf(text, i == 0 ? "; meanwhile %u in %s" : ", %u in %s", (guint)call->count,
                               function_name(corpus, (guint32)call->key));
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}
