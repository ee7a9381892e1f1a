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
    if (own->ending.finished)
        return DT_STATUS_FINISHED;
    if (own->ending.ends_in)
        return DT_STATUS_ABORTED;
    if (own->ending.process_crashed)
        return DT_STATUS_CRASHED;
    if (own->ending.went_along)
        return DT_STATUS_KILLED;
    if (own->ending.waits_in)
        return DT_STATUS_STUCK;
    DtEnd end = observed_trace(corpus, trace)->trace->process->end;
    gboolean stopped = end == DT_END_SIGNAL || end == DT_END_KILLED;
    gboolean hung = !stopped || dt_run_manifest(corpus->faulty_run)->timed_out;
    return hung && own->ending.innermost ? DT_STATUS_STUCK : DT_STATUS_KILLED;
}

static char *tell_crash(const DtCorpus *corpus, const DtEnding *ending, guint trace)
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
    const DtEnding *ending = &evidence[trace].ending;
    const char *innermost = ending->innermost ? function_name(corpus, ending->innermost) : NULL;
    switch (status) {
    case DT_STATUS_STUCK:
        return g_strdup_printf("stuck in %s", ending->waits_in ? function_name(corpus, ending->waits_in) : innermost);
    case DT_STATUS_ABORTED:
        return g_strdup_printf("called %s", function_name(corpus, ending->ends_in));
    case DT_STATUS_CRASHED:
        return tell_crash(corpus, ending, trace);
    case DT_STATUS_KILLED:
        return innermost ? g_strdup_printf("killed in %s", innermost) : g_strdup("killed outside any call");
    case DT_STATUS_FINISHED:
    case DT_STATUS_MISSING:
        break;
    }
    return g_strdup("finished");
}

static char *tell_main_point(const DtCorpus *corpus, const DtEvidence *evidence, guint trace,
                             const char *first_difference, const char *end_position)
{
    const DtEvidence *own = &evidence[trace];
    DtStatus status = dt_status_of(corpus, evidence, trace);
    if (status == DT_STATUS_MISSING)
        return g_strdup_printf("in %s only",
                               own->normals_with == corpus->normals ? "the normal run" : "some of the normal runs");
    g_autofree char *ending = tell_ending(corpus, evidence, trace, status);
    if (corpus->normals > 0 && own->normals_with == 0)
        return g_strdup_printf("in the faulty run only; %s", ending);
    if (status != DT_STATUS_FINISHED)
        return g_strdup_printf("%s%s%s", ending, end_position ? " " : "", end_position ? end_position : "");
    if (own->ending.failed)
        return g_strdup_printf("its process exited with status %d",
                               observed_trace(corpus, trace)->trace->process->status);
    return g_strdup_printf("%s%s%s", ending, first_difference ? "; " : "", first_difference ? first_difference : "");
}

/* ---- terms of the score ------------------------------------------------------------------- */

static char *gram_text(const DtCorpus *corpus, guint64 key)
{
    const char *last = dt_corpus_callee_name(corpus, dt_gram_symbol(key));
    if (dt_gram_is_single(key)) {
        guint32 caller = dt_corpus_symbol(corpus, dt_gram_symbol(key))->caller;
        return caller ? g_strdup_printf("%s in %s", last, function_name(corpus, caller)) : g_strdup(last);
    }
    return g_strdup_printf("%s then %s", dt_corpus_callee_name(corpus, dt_gram_first_symbol(key)), last);
}

/* Loose numbers, such as means: "12", "12.5". */
static char *number_text(double number)
{
    return g_strdup_printf("%.4g", number);
}

static const char *clock_unit(const DtCorpus *corpus, guint trace)
{
    return dt_corpus_has_library_clock(corpus, corpus->normals, trace) ? "library call" : "call";
}

static char *tell_time(const DtCorpus *corpus, const DtEvidence *own, guint trace, const char *what)
{
    double usual = dt_corpus_mean_clock(corpus, corpus->normals, trace);
    g_autofree char *length = number_text(usual);
    return g_strdup_printf("%s, at %s %.0f of %s", what, clock_unit(corpus, trace), own->time * MAX(1, usual) + 1,
                           length);
}

static char *tell_divergence(const DtCorpus *corpus, const DtEvidence *own, DtSequenceKind kind)
{
    const DtDivergence *divergence = &own->divergence[kind];
    const char *against = corpus->normals > 0 ? "normally" : "in its peers";
    if (!divergence->has_own)
        return g_strdup_printf("ends where %s comes %s", dt_corpus_callee_name(corpus, divergence->expected), against);
    const char *name = dt_corpus_callee_name(corpus, divergence->own);
    if (!divergence->has_expected)
        return g_strdup_printf("goes on with %s where nothing comes %s", name, against);
    return g_strdup_printf("%s where %s comes %s", name, dt_corpus_callee_name(corpus, divergence->expected), against);
}

static char *tell_count(const DtCorpus *corpus, const DtEvidence *own)
{
    g_autofree char *what = gram_text(corpus, own->raw.key[DT_RAW_COUNT]);
    g_autofree char *calls = number_text(own->raw.calls);
    g_autofree char *usual = number_text(own->raw.normal_calls);
    return g_strdup_printf("%s called %s times, normally %s", what, calls, usual);
}

static char *tell_structure(const DtCorpus *corpus, const DtEvidence *own, const char *format, DtRawKind kind)
{
    g_autofree char *what = gram_text(corpus, own->raw.key[kind]);
    return g_strconcat(format, what, NULL);
}

static char *tell_percent(const char *format, double share)
{
    g_autofree char *percent = g_strdup_printf("%.0f %%", 100 * share);
    return g_strconcat(format, percent, " of normal", NULL);
}

/* NULL: the main point says it already. */
static char *tell_feature(const DtCorpus *corpus, const DtEvidence *own, guint trace, DtFeature feature)
{
    switch (feature) {
    case DT_FEATURE_NEW:
        return tell_structure(corpus, own, "new in any thread: ", DT_RAW_NEW);
    case DT_FEATURE_NEW_HERE:
        return tell_structure(corpus, own, "new in this thread: ", DT_RAW_NEW_HERE);
    case DT_FEATURE_NEW_BODY:
        return g_strdup("a function makes its calls in a way it never does normally");
    case DT_FEATURE_MISSING:
        return tell_structure(corpus, own, "never does ", DT_RAW_MISSING);
    case DT_FEATURE_COUNT:
        return tell_count(corpus, own);
    case DT_FEATURE_PREFIX_ALL:
        return tell_divergence(corpus, own, DT_SEQUENCE_ALL);
    case DT_FEATURE_PREFIX_LIBRARY:
        return tell_divergence(corpus, own, DT_SEQUENCE_LIBRARY);
    case DT_FEATURE_ORDER:
        return own->feature[feature] < 1 ? tell_time(corpus, own, trace, "departs from normal")
                                         : tell_time(corpus, own, trace, "first to depart from normal");
    case DT_FEATURE_STUCK:
        return g_strdup("outside any waiting call");
    case DT_FEATURE_POLLS:
        return g_strdup("polls for ever while the others wait");
    case DT_FEATURE_PROGRESS:
        return tell_percent("behind the others, at ", own->progress);
    case DT_FEATURE_MAJORITY:
        return g_strdup_printf("%" G_GUINT64_FORMAT " library calls where most of its kind made %.0f",
                               dt_sequence_length(&observed_trace(corpus, trace)->calls->library), own->usual_calls);
    case DT_FEATURE_PROCESS:
        return tell_percent("its process made ", own->process_ratio);
    case DT_FEATURE_RARE_END:
        return g_strdup("ends where few others do");
    case DT_FEATURE_WAITS:
        return own->blame ? g_strdup(own->blame) : g_strdup("others wait for it");
    case DT_FEATURE_EARLY_FINISH:
        return g_strdup("finished while others go on");
    case DT_FEATURE_DIED:
    case DT_FEATURES:
        break;
    }
    return NULL;
}

/* The first difference says all that these could. */
static gboolean told_by_difference(DtFeature feature)
{
    return feature == DT_FEATURE_NEW || feature == DT_FEATURE_NEW_HERE || feature == DT_FEATURE_PREFIX_ALL ||
           feature == DT_FEATURE_MISSING;
}

static DtFeature largest_untold(const DtCorpus *corpus, const DtEvidence *own, const gboolean *told)
{
    DtFeature largest = DT_FEATURES;
    double most = WORTH_TELLING;
    for (guint feature = 0; feature < DT_FEATURES; ++feature) {
        double term = dt_feature_weight(corpus, (DtFeature)feature) * own->feature[feature];
        if (!told[feature] && term > most) {
            most = term;
            largest = (DtFeature)feature;
        }
    }
    return largest;
}

char *dt_why(const DtCorpus *corpus, const DtEvidence *evidence, guint trace, const char *first_difference,
             const char *end_position)
{
    const DtEvidence *own = &evidence[trace];
    gboolean told[DT_FEATURES] = {[DT_FEATURE_DIED] = TRUE, [DT_FEATURE_ORDER] = !own->has_place || own->in_crowd};
    g_autofree char *point = tell_main_point(corpus, evidence, trace, first_difference, end_position);
    g_autoptr(GString) why = g_string_new(point);
    for (guint feature = 0; first_difference && feature < DT_FEATURES; ++feature)
        told[feature] = told[feature] || told_by_difference((DtFeature)feature);
    for (guint terms = 0; own->comparable && terms < TERMS_TOLD; ++terms) {
        DtFeature feature = largest_untold(corpus, own, told);
        if (feature == DT_FEATURES)
            break;
        g_autofree char *text = tell_feature(corpus, own, trace, feature);
        g_string_append_printf(why, "; %s", text);
        told[feature] = TRUE;
        told[DT_FEATURE_PREFIX_ALL] |= feature == DT_FEATURE_PREFIX_LIBRARY;
        told[DT_FEATURE_PREFIX_LIBRARY] |= feature == DT_FEATURE_PREFIX_ALL;
        told[DT_FEATURE_NEW_HERE] |= feature == DT_FEATURE_NEW;
        told[DT_FEATURE_NEW] |= feature == DT_FEATURE_NEW_HERE;
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
    for (guint trace = 0; trace < corpus->traces; ++trace) {
        const DtEnding *ending = &evidence[trace].ending;
        gboolean other = !suspect || !g_str_equal(suspect->label, g_ptr_array_index(corpus->labels, trace));
        if (other && evidence[trace].present && ending->open && ending->waits_in)
            dt_gram_map_get(waiting, ending->waits_in)->count++;
    }
    g_array_sort(waiting->grams, compare_counts);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < waiting->grams->len && i < CALLS_TOLD; ++i) {
        const DtGram *call = dt_gram_map_at(waiting, i);
        g_string_append_printf(text, i == 0 ? "; meanwhile %u in %s" : ", %u in %s", (guint)call->count,
                               function_name(corpus, (guint32)call->key));
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}
