/* What is told of data that differ: for those who are given a verdict. */
#include "verdict/data/data_verdict.h"

static const char *const events[DT_DATA_EVENT_KINDS] = {
    [DT_DATA_EVENT_SENT] = "sent",         [DT_DATA_EVENT_RECEIVED] = "received", [DT_DATA_EVENT_CHANGED] = "changed",
    [DT_DATA_EVENT_GIVEN] = "contributed", [DT_DATA_EVENT_GOT] = "result",
};

static void free_difference(gpointer pointer)
{
    DtDataDifference *difference = pointer;
    g_free(difference->trace);
    g_free(difference->event);
    g_free(difference->call);
    g_free(difference->source);
    g_free(difference->text);
    g_free(difference);
}

DtDataVerdict *dt_data_verdict_empty(void)
{
    DtDataVerdict *verdict = g_rc_box_new0(DtDataVerdict);
    verdict->first = g_ptr_array_new_with_free_func(free_difference);
    return verdict;
}

DtDataVerdict *dt_data_verdict_new(const DtDifferingData *data)
{
    if (!data)
        return NULL;
    DtDataVerdict *verdict = dt_data_verdict_empty();
    verdict->compared = data->compared;
    verdict->varying = data->varying;
    verdict->differing = data->differing;
    verdict->caution = dt_differing_data_caution(data);
    for (guint i = 0; i < data->firsts->len; i++) {
        const DtDataDeparture *departure = g_ptr_array_index(data->firsts, i);
        DtDataDifference *difference = g_new0(DtDataDifference, 1);
        difference->trace = g_strdup(departure->label);
        difference->event = g_strdup(events[departure->kind]);
        difference->call = g_strdup(departure->call);
        difference->source = g_strdup(departure->source);
        difference->nth = departure->nth;
        difference->peer = departure->peer;
        difference->text = dt_data_departure_text(departure);
        g_ptr_array_add(verdict->first, difference);
    }
    return verdict;
}

DtDataVerdict *dt_data_verdict_ref(DtDataVerdict *verdict)
{
    return verdict ? g_rc_box_acquire(verdict) : NULL;
}

static void clear(gpointer pointer)
{
    DtDataVerdict *verdict = pointer;
    g_free(verdict->caution);
    g_ptr_array_unref(verdict->first);
}

void dt_data_verdict_unref(DtDataVerdict *verdict)
{
    if (verdict)
        g_rc_box_release_full(verdict, clear);
}
