/* Evidence by names and with arguments, put together. */
#include "verdict/judgement.h"

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

DtJudgement *dt_judgement_new(DtCorpus *names, DtCorpus *arguments, const DtWaitFor *waits, guint jobs)
{
    DtJudgement *judgement = g_new0(DtJudgement, 1);
    judgement->names = names;
    judgement->arguments = arguments;
    judgement->waits = waits;
    judgement->jobs = jobs;
    judgement->by_names = dt_evidence_new(names, waits, jobs);
    judgement->scores = g_new0(double, names->traces + 1);
    for (guint trace = 0; trace < names->traces; trace++)
        judgement->scores[trace] = judgement->by_names[trace].score;
    if (arguments) {
        judgement->by_arguments = dt_evidence_new(arguments, waits, jobs);
        mix_scores(judgement);
    }
    find_departures(judgement);
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
    g_free(judgement->departures);
    g_free(judgement);
}
