/* What a simulation with times came to. */
#include "simulate/timing.h"

const char *dt_timed_wait_name(DtTimedWait wait)
{
    static const char *const names[DT_TIMED_WAITS] = {"late sender",     "late receiver",  "wait at NxN",
                                                      "wait at barrier", "late broadcast", "early reduce",
                                                      "wait at scan"};
    return names[wait];
}

void dt_times_free(DtTimes *times)
{
    if (!times)
        return;
    g_free(times->rank);
    g_array_unref(times->links);
    g_free(times);
}

static gint compare_links(gconstpointer a, gconstpointer b)
{
    const DtTimedLink *one = a, *other = b;
    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    return one->to < other->to ? -1 : one->to > other->to;
}

static void add_links(const DtTiming *timing, DtTimes *times)
{
    GHashTableIter iter;
    gpointer key, value;
    times->links = g_array_new(FALSE, FALSE, sizeof(DtTimedLink));
    g_hash_table_iter_init(&iter, timing->traffic);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const gint64 pair = *(const gint64 *)key;
        const DtTraffic *traffic = value;
        const DtTimedLink link = {(guint)(pair >> 32), (guint)(pair & G_MAXUINT32), traffic->messages, traffic->bytes};
        g_array_append_val(times->links, link);
        times->messages += traffic->messages;
        times->bytes += traffic->bytes;
    }
    g_array_sort(times->links, compare_links);
}

DtTimes *dt_timing_result(const DtTiming *timing)
{
    DtTimes *times = timing->times;
    times->ranks = timing->simulating->skeleton->ranks;
    times->rank = g_new0(DtSimulatedRankTimes, times->ranks);
    for (guint i = 0; i < times->ranks; i++)
        times->rank[i] = timing->ranks[i].told;
    /* What was still on its way then is not waited for. */
    for (guint i = 0; i < times->ranks && times->end >= 0; i++)
        times->end = times->rank[i].end < 0 ? -1 : MAX(times->end, times->rank[i].end);
    times->end = times->end < 0 ? timing->now : times->end;
    add_links(timing, times);
    return times;
}
