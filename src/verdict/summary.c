/* The sentence that sums a verdict up. */
#include "verdict/summary.h"

#include <math.h>

#include "verdict/differing_arguments.h"
#include "verdict/why.h"

/* Of scores. */
static const double SAME = 1e-9;
/* More normal runs would hardly tell more. */
static const double CLEAR = 0.9;

/* "5.0", "5.0 and 6.0", "5.0, 6.0 and 14 more". */
static char *labels_text(const GPtrArray *suspects, guint first, guint count)
{
    const char *label = ((DtSuspect *)g_ptr_array_index(suspects, first))->label;
    if (count == 1)
        return g_strdup(label);
    const char *second = ((DtSuspect *)g_ptr_array_index(suspects, first + 1))->label;
    if (count == 2)
        return g_strdup_printf("%s and %s", label, second);
    return g_strdup_printf("%s, %s and %u more", label, second, count - 2);
}

static char *tell_suspect(const DtCorpus *corpus, const GPtrArray *suspects, guint first)
{
    const DtSuspect *top = g_ptr_array_index(suspects, first);
    const char *scope = corpus->normals == 0 ? ", judged by this run alone" : "";
    guint equal = 1;
    while (first + equal < suspects->len &&
           fabs(((DtSuspect *)g_ptr_array_index(suspects, first + equal))->score - top->score) <= SAME)
        ++equal;
    g_autofree char *labels = labels_text(suspects, first, equal);
    if (top->level == DT_LEVEL_WEAK)
        return g_strdup_printf("no clear suspect%s; weak evidence against %s: %s", scope, labels, top->why);
    if (equal > 1)
        return g_strdup_printf("%s are equally suspect%s; %s: %s", labels, scope, top->label, top->why);
    return g_strdup_printf("%s is the prime suspect%s: %s", labels, scope, top->why);
}

enum { ENOUGH_NORMALS = 3 };

/* With few normal runs, noise looks like a fault, and a fault like noise. */
static char *tell_noise(const DtSummary *summary)
{
    const DtCorpus *corpus = summary->corpus;
    const DtSuspect *first = summary->suspects->len > 0 ? g_ptr_array_index(summary->suspects, 0) : NULL;
    guint compared = 0, differ = 0;
    for (guint trace = 0; trace < corpus->traces; trace++) {
        compared += summary->evidence[trace].comparable ? 1 : 0;
        differ += summary->evidence[trace].divergence[DT_SEQUENCE_ALL].share > 0;
    }
    if (corpus->normals == 1 && compared >= 2 && 2 * differ > compared)
        return g_strdup_printf("; %u of %u traces differ from the only normal run: with 3 to 5 of them, noise could be "
                               "told from the fault",
                               differ, compared);
    const gboolean is_clear = first && first->level == DT_LEVEL_SUSPECT && first->score >= CLEAR;
    if (corpus->normals == 0 || corpus->normals >= ENOUGH_NORMALS || is_clear || differ == 0)
        return g_strdup("");
    return g_strdup_printf("; with 3 to 5 normal runs instead of %u, noise could be told from the fault",
                           corpus->normals);
}

/* Traces that one of the runs alone has; *first: the suspect after them. */
static char *tell_missing(const GPtrArray *suspects, guint *first)
{
    guint only_normal = 0, only_faulty = 0;
    for (; only_normal < suspects->len; only_normal++) {
        const DtSuspect *suspect = g_ptr_array_index(suspects, only_normal);
        if (suspect->status != DT_STATUS_MISSING || suspect->level != DT_LEVEL_SUSPECT)
            break;
    }
    *first = only_normal;
    while (*first < suspects->len && ((DtSuspect *)g_ptr_array_index(suspects, *first))->score >= 1)
        ++*first, ++only_faulty;
    g_autoptr(GString) text = g_string_new(NULL);
    if (only_normal > 0) {
        g_autofree char *labels = labels_text(suspects, 0, only_normal);
        g_string_append_printf(text, "%s missing in the faulty run; ", labels);
    }
    if (only_faulty > 0) {
        g_autofree char *labels = labels_text(suspects, only_normal, only_faulty);
        g_string_append_printf(text, "%s in the faulty run only; ", labels);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* What all have in common, beside the point. */
static char *tell_common(const DtSummary *summary)
{
    if (!summary->common || summary->scope == DT_SCOPE_ALL)
        return g_strdup("");
    if (summary->sharing == 0)
        return g_strdup_printf("; all together: %s", summary->common);
    return g_strdup_printf("; in %u traces %s, too", summary->sharing, summary->common);
}

/* Those that the change is in take what comes first, the run ended, and all together do what they do normally, or too
 * few normal runs say what luck makes differ. */
static gboolean may_all_be_luck(const DtSummary *summary)
{
    const DtCorpus *corpus = summary->corpus;
    guint lucky = 0;
    for (guint trace = 0; corpus->by_luck && trace < corpus->traces; trace++)
        lucky += corpus->by_luck[trace] ? 1 : 0;
    return (corpus->normals < ENOUGH_NORMALS || corpus->makes_usual_calls) && lucky >= summary->sharing &&
           !dt_run_unfinished(corpus, summary->evidence);
}

static char *tell_point(const DtSummary *summary, guint first)
{
    if (summary->scope == DT_SCOPE_ALL && summary->sharing == 0)
        return g_strdup_printf("the whole program changed, no single culprit: all together, %s", summary->common);
    if (summary->scope == DT_SCOPE_ALL && may_all_be_luck(summary))
        return g_strdup_printf(
            "nobody is accused: in %u traces %s, but they take what comes first, so that good runs may "
            "differ as much%s",
            summary->sharing, summary->common,
            summary->corpus->normals < ENOUGH_NORMALS ? "; give three normal runs" : "");
    if (summary->scope == DT_SCOPE_ALL)
        return g_strdup_printf("the whole program changed, no single culprit: in %u traces %s", summary->sharing,
                               summary->common);
    if (first < summary->suspects->len)
        return tell_suspect(summary->corpus, summary->suspects, first);
    return g_strdup("no difference in the others");
}

/* What is not known of data. */
static char *tell_data(const DtSummary *summary)
{
    g_autofree char *caution = summary->corpus->data ? dt_differing_data_caution(summary->corpus->data) : NULL;
    return caution ? g_strconcat("; ", caution, NULL) : g_strdup("");
}

static char *tell_equality(const DtSummary *summary)
{
    GString *text = g_string_new(summary->cautions);
    g_string_append(text, "the runs are equal: no difference in functions and their order");
    if (!summary->with_arguments)
        return g_string_free(text, FALSE);
    g_autofree char *varying = dt_varying_argument(summary->corpus->functions);
    g_string_append(text, ", nor in the arguments of calls");
    g_autofree char *data = tell_data(summary);
    g_string_append(text, summary->corpus->data ? ", nor in what is sent and received" : "");
    if (varying)
        g_string_append_printf(text, "; arguments of more values than are told apart were not compared, such as %s",
                               varying);
    g_string_append(text, data);
    return g_string_free(text, FALSE);
}

char *dt_sum_up(const DtSummary *summary)
{
    const DtCorpus *corpus = summary->corpus;
    const GPtrArray *suspects = summary->suspects;
    g_autofree char *common = tell_common(summary);
    g_autofree char *data = tell_data(summary);
    const char *cautions = summary->cautions;
    if (suspects->len == 0 && corpus->reach->limited && summary->scope != DT_SCOPE_ALL)
        return g_strconcat(cautions, "no difference up to there", common, data, NULL);
    if (summary->equal)
        return tell_equality(summary);
    if (suspects->len == 0 && corpus->normals > 0 && summary->scope != DT_SCOPE_ALL) {
        g_autofree char *open = dt_meanwhile(corpus, summary->evidence, NULL);
        if (dt_run_unfinished(corpus, summary->evidence))
            return g_strconcat(cautions, "the run did not come to its end, and as far as it came no trace differs",
                               open, common, data, NULL);
    }
    if (suspects->len == 0 && corpus->normals > 0 && summary->scope != DT_SCOPE_ALL)
        return g_strconcat(cautions, "no difference in functions and their order that is worth telling", common, data,
                           NULL);
    if (suspects->len == 0 && corpus->normals == 0)
        return g_strconcat(cautions, "no trace stands out among those of this run", NULL);
    guint first;
    g_autofree char *missing = tell_missing(suspects, &first);
    g_autofree char *point = tell_point(summary, first);
    g_autofree char *meanwhile =
        dt_meanwhile(corpus, summary->evidence, first < suspects->len ? g_ptr_array_index(suspects, first) : NULL);
    g_autofree char *noise = tell_noise(summary);
    return g_strconcat(cautions, missing, point, meanwhile, common, noise, data, NULL);
}
