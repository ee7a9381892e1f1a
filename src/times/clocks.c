#include "times/clocks.h"

/* What happened on one host before what happened on another, by their clocks. */
typedef struct {
    guint from, to;
    gint64 first, second;
} Bound;

typedef struct {
    const DtMessages *messages;
    guint hosts;
    GArray *bounds; /* Bound */
    gint64 begin, end;
} Estimating;

#define NO_BOUND G_MAXINT64

/* ---- bounds ---------------------------------------------------------------------------------- */

static guint host_of(const Estimating *estimating, guint call)
{
    return g_array_index(estimating->messages->ranks, DtTimedRank, dt_messages_rank(estimating->messages, call)).host;
}

static void add_bound(Estimating *estimating, guint from, gint64 first, guint to, gint64 second)
{
    if (from == to || first == DT_NO_TIME || second == DT_NO_TIME || first == NO_BOUND || second == NO_BOUND)
        return;
    Bound bound = {from, to, first, second};
    g_array_append_val(estimating->bounds, bound);
}

static void add_messages(Estimating *estimating)
{
    const DtMessages *messages = estimating->messages;
    for (guint i = 0; i < messages->messages->len; i++) {
        const DtMessage *message = &g_array_index(messages->messages, DtMessage, i);
        if (message->received.done == DT_NO_CALL)
            continue;
        guint from = message->sent.call, to = message->received.done;
        add_bound(estimating, host_of(estimating, from), dt_messages_call(messages, from)->begin,
                  host_of(estimating, to), dt_messages_call(messages, to)->end);
    }
}

/* Of each host, when its last member came and when its first one left. */
typedef struct {
    gint64 *came, *left;
} Members;

static void find_members(const Estimating *estimating, const DtPart *parts, guint count, Members *members)
{
    const DtMessages *messages = estimating->messages;
    for (guint host = 0; host < estimating->hosts; host++) {
        members->came[host] = DT_NO_TIME;
        members->left[host] = NO_BOUND;
    }
    for (guint i = 0; i < count; i++) {
        guint host = host_of(estimating, parts[i].call);
        members->came[host] = MAX(members->came[host], dt_messages_call(messages, parts[i].call)->begin);
        gint64 end = parts[i].done == DT_NO_CALL ? DT_NO_TIME : dt_messages_call(messages, parts[i].done)->end;
        if (end != DT_NO_TIME)
            members->left[host] = MIN(members->left[host], end);
    }
}

static void add_rooted(Estimating *estimating, const DtCollective *collective, const DtPart *parts,
                       const Members *members)
{
    const DtMessages *messages = estimating->messages;
    if (collective->root == DT_NO_CALL)
        return;
    const DtPart *root = &parts[collective->root];
    guint at = host_of(estimating, root->call);
    gint64 end = root->done == DT_NO_CALL ? DT_NO_TIME : dt_messages_call(messages, root->done)->end;
    for (guint host = 0; host < estimating->hosts; host++)
        if (collective->direction == DT_FROM_ROOT)
            add_bound(estimating, at, dt_messages_call(messages, root->call)->begin, host, members->left[host]);
        else
            add_bound(estimating, host, members->came[host], at, end);
}

static void add_collectives(Estimating *estimating)
{
    const DtMessages *messages = estimating->messages;
    g_autofree gint64 *came = g_new(gint64, estimating->hosts), *left = g_new(gint64, estimating->hosts);
    Members members = {came, left};
    for (guint i = 0; i < messages->collectives->len; i++) {
        const DtCollective *collective = &g_array_index(messages->collectives, DtCollective, i);
        const DtPart *parts = &g_array_index(messages->parts, DtPart, collective->first_part);
        if (collective->differs || collective->direction == DT_FROM_BELOW)
            continue;
        find_members(estimating, parts, collective->parts, &members);
        if (collective->direction != DT_FROM_ALL) {
            add_rooted(estimating, collective, parts, &members);
            continue;
        }
        for (guint from = 0; from < estimating->hosts; from++)
            for (guint to = 0; to < estimating->hosts; to++)
                add_bound(estimating, from, came[from], to, left[to]);
    }
}

static void set_span(Estimating *estimating)
{
    estimating->begin = estimating->bounds->len > 0 ? G_MAXINT64 : 0;
    estimating->end = estimating->bounds->len > 0 ? G_MININT64 : 0;
    for (guint i = 0; i < estimating->bounds->len; i++) {
        const Bound *bound = &g_array_index(estimating->bounds, Bound, i);
        estimating->begin = MIN(estimating->begin, bound->first);
        estimating->end = MAX(estimating->end, bound->first);
    }
}

/* ---- offsets --------------------------------------------------------------------------------- */

/* Shortest ways from the first host to all (`distance`) over limits[from * hosts + to]; with turned ones, from all to
 * it. A host more on the way each time: where clocks drift there may be rings that shorten for ever. */
static void find_ways(const gint64 *limits, guint hosts, gboolean turned, gint64 *distance)
{
    for (guint host = 0; host < hosts; host++)
        distance[host] = host == 0 ? 0 : NO_BOUND;
    for (guint round = 1; round < hosts; round++)
        for (guint from = 0; from < hosts; from++)
            for (guint to = 1; to < hosts; to++) {
                gint64 limit = turned ? limits[to * hosts + from] : limits[from * hosts + to];
                if (limit != NO_BOUND && distance[from] != NO_BOUND)
                    distance[to] = MIN(distance[to], distance[from] + limit);
            }
}

/* By the bounds whose first time lies between two. */
static GArray *find_offsets(const Estimating *estimating, gint64 from, gint64 to)
{
    guint hosts = estimating->hosts;
    GArray *clocks = g_array_new(FALSE, TRUE, sizeof(DtHostClock));
    g_autofree gint64 *limits = g_new(gint64, (gsize)hosts * hosts), *above = g_new(gint64, hosts),
                      *below = g_new(gint64, hosts);
    for (gsize i = 0; i < (gsize)hosts * hosts; i++)
        limits[i] = NO_BOUND;
    for (guint i = 0; i < estimating->bounds->len; i++) {
        const Bound *bound = &g_array_index(estimating->bounds, Bound, i);
        if (bound->first >= from && bound->first <= to) {
            gint64 *limit = &limits[(gsize)bound->from * hosts + bound->to];
            *limit = MIN(*limit, bound->second - bound->first);
        }
    }
    find_ways(limits, hosts, FALSE, above);
    find_ways(limits, hosts, TRUE, below);
    for (guint host = 0; host < hosts; host++) {
        DtHostClock clock = {.known = above[host] != NO_BOUND && below[host] != NO_BOUND};
        if (clock.known) {
            clock.offset_ns = (above[host] - below[host]) / 2;
            clock.half_ns = (above[host] + below[host]) / 2;
        }
        g_array_append_val(clocks, clock);
    }
    return clocks;
}

static gint64 corrected(const DtHostClock *clock, gint64 middle, gint64 ns)
{
    if (ns == DT_NO_TIME || !clock->known)
        return ns;
    return ns - clock->offset_ns - (clock->drift == 0 ? 0 : (gint64)(clock->drift * (gdouble)(ns - middle)));
}

static guint64 count_violations(const Estimating *estimating, const GArray *clocks)
{
    guint64 violations = 0;
    gint64 middle = estimating->begin + (estimating->end - estimating->begin) / 2;
    for (guint i = 0; i < estimating->bounds->len; i++) {
        const Bound *bound = &g_array_index(estimating->bounds, Bound, i);
        gint64 first = bound->first, second = bound->second;
        if (clocks) {
            first = corrected(&g_array_index(clocks, DtHostClock, bound->from), middle, first);
            second = corrected(&g_array_index(clocks, DtHostClock, bound->to), middle, second);
        }
        violations += first > second;
    }
    return violations;
}

/* Offsets of both halves of the span: NULL if there is a host for which one of them is not known. */
static GArray *find_drifts(const Estimating *estimating, const GArray *whole)
{
    gint64 middle = estimating->begin + (estimating->end - estimating->begin) / 2;
    gdouble half = (gdouble)(estimating->end - estimating->begin) / 2;
    g_autoptr(GArray) first = find_offsets(estimating, estimating->begin, middle);
    g_autoptr(GArray) second = find_offsets(estimating, middle + 1, estimating->end);
    GArray *drifting = g_array_new(FALSE, FALSE, sizeof(DtHostClock));
    g_array_append_vals(drifting, whole->data, whole->len);
    for (guint host = 1; host < estimating->hosts && half > 0; host++) {
        const DtHostClock *one = &g_array_index(first, DtHostClock, host);
        const DtHostClock *other = &g_array_index(second, DtHostClock, host);
        DtHostClock *clock = &g_array_index(drifting, DtHostClock, host);
        if (!one->known || !other->known)
            continue;
        clock->drift = (gdouble)(other->offset_ns - one->offset_ns) / half;
        clock->offset_ns = one->offset_ns + (other->offset_ns - one->offset_ns) / 2;
        clock->half_ns = MAX(one->half_ns, other->half_ns);
    }
    return drifting;
}

DtClocks *dt_clocks_estimate(const DtMessages *messages)
{
    DtClocks *clocks = g_new0(DtClocks, 1);
    g_autoptr(GArray) bounds = g_array_new(FALSE, FALSE, sizeof(Bound));
    Estimating estimating = {.messages = messages, .hosts = messages->hosts->len, .bounds = bounds};
    if (messages->hosts->len > 1) {
        add_messages(&estimating);
        add_collectives(&estimating);
    }
    set_span(&estimating);
    clocks->middle = estimating.begin + (estimating.end - estimating.begin) / 2;
    clocks->bounds = bounds->len;
    clocks->hosts = find_offsets(&estimating, estimating.begin, estimating.end);
    clocks->violated_before = count_violations(&estimating, NULL);
    clocks->violated_after = count_violations(&estimating, clocks->hosts);
    if (clocks->violated_after == 0)
        return clocks;
    g_autoptr(GArray) drifting = find_drifts(&estimating, clocks->hosts);
    guint64 violated = count_violations(&estimating, drifting);
    if (violated < clocks->violated_after) {
        clocks->violated_after = violated;
        g_array_set_size(clocks->hosts, 0);
        g_array_append_vals(clocks->hosts, drifting->data, drifting->len);
    }
    return clocks;
}

gint64 dt_clocks_correct(const DtClocks *clocks, const DtMessages *messages, guint rank, gint64 ns)
{
    guint host = g_array_index(messages->ranks, DtTimedRank, rank).host;
    return messages->hosts->len < 2 ? ns
                                    : corrected(&g_array_index(clocks->hosts, DtHostClock, host), clocks->middle, ns);
}

void dt_clocks_apply(const DtClocks *clocks, DtMessages *messages)
{
    for (guint i = 0; i < messages->rows->len && messages->hosts->len > 1; i++) {
        DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, i);
        guint host = g_array_index(messages->ranks, DtTimedRank, row->rank).host;
        const DtHostClock *clock = &g_array_index(clocks->hosts, DtHostClock, host);
        row->begin = corrected(clock, clocks->middle, row->begin);
        row->end = corrected(clock, clocks->middle, row->end);
        for (guint k = 0; k < row->calls; k++) {
            DtTimedCall *call = &g_array_index(messages->calls, DtTimedCall, row->first_call + k);
            call->begin = corrected(clock, clocks->middle, call->begin);
            call->end = corrected(clock, clocks->middle, call->end);
        }
    }
    dt_messages_set_span(messages);
}

void dt_clocks_free(DtClocks *clocks)
{
    if (!clocks)
        return;
    g_array_unref(clocks->hosts);
    g_free(clocks);
}
