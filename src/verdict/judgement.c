/* Evidence by names and with arguments, put together. */
#include "verdict/judgement.h"

#include "base/debug.h"
#include "verdict/gate/luck.h"

/* Half of the score each: arguments tell a wrong peer or tag, names are less noisy where work is handed out by luck. */
static void mix_scores(DtJudgement *judgement)
{
    for (guint trace = 0; trace < judgement->names->traces; trace++) {
        DtEvidence *names = &judgement->by_names[trace];
        const DtEvidence *arguments = &judgement->by_arguments[trace];
        judgement->scores[trace] = (names->score + arguments->score) / 2;
        if (arguments->has_onset && (!names->has_onset || arguments->onset < names->onset)) {
            names->has_onset = TRUE;
            names->onset = arguments->onset;
        }
    }
}

static void find_departures(DtJudgement *judgement)
{
    const DtDepartureSources sources = {judgement->names, judgement->arguments, judgement->by_names,
                                        judgement->by_arguments};
    const gint traces = (gint)judgement->names->traces;
    judgement->departures = g_new0(DtDeparture, (gsize)traces + 1);
#pragma omp parallel for schedule(dynamic) num_threads(MAX(1, (gint)judgement->jobs))
    for (gint trace = 0; trace < traces; trace++)
        judgement->departures[trace] = dt_departure_find(&sources, (guint)trace);
}

/* What speaks against each trace, kind by kind, by names / with arguments. */
static void tell_scores(const DtJudgement *judgement)
{
    for (guint trace = 0; trace < judgement->names->traces; trace++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (guint kind = 0; kind < DT_EVIDENCE_KINDS; kind++) {
            double names = judgement->by_names[trace].findings[kind].value;
            double arguments = judgement->by_arguments ? judgement->by_arguments[trace].findings[kind].value : 0;
            if (names > 0 || arguments > 0)
                g_string_append_printf(text, "; %s %.2f / %.2f", dt_evidence_kinds[kind]->name, names, arguments);
        }
        if (text->len > 0)
            dt_debug(DT_DEBUG_VERDICT, "%s: score %.2f%s%s",
                     (const char *)g_ptr_array_index(judgement->names->labels, trace), judgement->scores[trace],
                     dt_corpus_is_noisy(judgement->names, trace) ? ", noisy" : "", text->str);
    }
}

DtJudgement *dt_judgement_new(DtCorpus *names, DtCorpus *arguments, const DtWaitFor *waits, guint jobs)
{
    DtJudgement *judgement = g_new0(DtJudgement, 1);
    judgement->names = names;
    judgement->arguments = arguments;
    judgement->waits = waits;
    judgement->jobs = jobs;
    dt_find_luck(names, arguments);
    judgement->by_names = dt_evidence_new(names, waits, jobs);
    judgement->scores = g_new0(double, names->traces + 1);
    for (guint trace = 0; trace < names->traces; trace++)
        judgement->scores[trace] = judgement->by_names[trace].score;
    if (arguments) {
        judgement->by_arguments = dt_evidence_new(arguments, waits, jobs);
        mix_scores(judgement);
    }
    judgement->new_values = dt_new_values(arguments ? arguments : names);
    find_departures(judgement);
    tell_scores(judgement);
    return judgement;
}

void dt_judgement_free(DtJudgement *judgement)
{
    if (!judgement)
        return;
    dt_corpus_free(judgement->names);
    dt_corpus_free(judgement->arguments);
    g_free(judgement->by_names);
    g_free(judgement->by_arguments);
    g_free(judgement->scores);
    g_free(judgement->new_values);
    g_free(judgement->departures);
    g_free(judgement);
}
