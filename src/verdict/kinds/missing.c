/*
 * Missing: grams that every normal trace has by now.
 */
#include "verdict/why.h"

/* When the references have it, as a share of their length: the latest of their first ones; -1 if some never do. */
static double share_due(const DtObservedTrace **references, guint count, guint64 key)
{
    double due = 0;
    for (guint i = 0; i < count; i++) {
        const DtGram *gram = dt_gram_map_find(references[i]->calls->grams, key);
        if (!gram)
            return -1;
        due = MAX(due, (double)gram->position / (double)dt_sequence_length(&references[i]->calls->entries));
    }
    return due;
}

/* How far an unfinished trace got: the latest that is due of what it has. */
static double share_reached(const DtObservedTrace *observed, const DtObservedTrace **references, guint count)
{
    double reached = -1;
    for (guint i = 0; i < observed->calls->grams->grams->len; i++)
        reached = MAX(reached, share_due(references, count, dt_gram_map_at(observed->calls->grams, i)->key));
    return reached;
}

static void find_missing(const DtTraceComparison *comparison, GArray *items, DtFinding *finding)
{
    const DtObservedTrace **references = comparison->references, *observed = comparison->observed;
    const guint count = comparison->reference_count;
    double reached = comparison->finished ? 1 : share_reached(observed, references, count);
    double first_due = 2;
    for (guint i = 0; i < references[0]->calls->grams->grams->len; i++) {
        guint64 key = dt_gram_map_at(references[0]->calls->grams, i)->key;
        if (dt_gram_map_find(observed->calls->grams, key))
            continue;
        double due = share_due(references, count, key);
        if (due < 0 || (!comparison->finished && due >= reached))
            continue;
        if (due < first_due) {
            first_due = due;
            finding->key = key;
        }
        DtEvidenceItem item = {key, 1};
        g_array_append_val(items, item);
    }
}

static char *tell_missing(const DtCase *own, guint trace)
{
    g_autofree char *gram = dt_gram_text(own->corpus, own->evidence[trace].findings[DT_EVIDENCE_MISSING].key);
    return g_strconcat("never does ", gram, NULL);
}

const DtEvidenceKind dt_kind_missing = {.name = "missing",
                                        .is_in_departure = TRUE,
                                        .weight = 0.75,
                                        .is_soft = TRUE,
                                        .is_in_difference = TRUE,
                                        .find = find_missing,
                                        .tell = tell_missing};
