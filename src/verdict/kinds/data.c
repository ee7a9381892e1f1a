/*
 * Data: what a rank sends, contributes or gets is not what it is in the normal runs, and nothing that it can have come
 * from is either (collect --payload). Shared among the ranks of which that is so. What others do otherwise comes of it.
 */
#include "verdict/evidence.h"

/* Then nothing is known of what varies by itself: that alone accuses nobody. */
static const double OF_ONE_NORMAL = 0.1;
/* If most ranks differ by themselves, it is the program that does. */
static const double OF_ALL = 0.1;

static const DtDataDeparture *departure_of(const DtCorpus *corpus, guint trace)
{
    return dt_differing_data_of(corpus->data, g_ptr_array_index(corpus->labels, trace));
}

static double weight_of(const DtDifferingData *data)
{
    double weight = data->normals == 1 ? OF_ONE_NORMAL : 1;
    return 2 * data->firsts->len > data->ranks && data->firsts->len > 1 ? OF_ALL * weight : weight;
}

static void judge_data(const DtCase *own, DtFinding *findings)
{
    const guint traces = own->corpus->traces;
    const DtDifferingData *data = own->corpus->data;
    g_autofree gboolean *marked = g_new0(gboolean, traces + 1);
    for (guint trace = 0; trace < traces; trace++)
        marked[trace] = departure_of(own->corpus, trace) != NULL;
    dt_share_value(marked, traces, data ? weight_of(data) : 0, findings);
}

static char *tell_data(const DtCase *own, guint trace)
{
    g_autofree char *text = dt_data_departure_text(departure_of(own->corpus, trace));
    const char *rest =
        own->corpus->data->firsts->len == 1 ? "first of all ranks to differ" : "no other rank's data can be the cause";
    return g_strdup_printf("%s; %s", text, rest);
}

const DtEvidenceKind dt_kind_data = {.name = "data", .weight = 10, .judge = judge_data, .tell = tell_data};
