/* The collective calls of a process on a communicator: long sequences, of which what repeats is written down once. */
#include "waitfor/facts.h"

/* Calls that came `times` times, one after the other. */
typedef struct {
    guint end; /* index into the calls written down; they start where the stretch before ends */
    guint64 times;
} Stretch;

static gboolean agree(gint64 a, gint64 b)
{
    return a == b || a == DT_NOT_TOLD || b == DT_NOT_TOLD;
}

gboolean dt_collective_calls_agree(const DtCollectiveCall *a, const DtCollectiveCall *b)
{
    return a->function == b->function && agree(a->root, b->root) && agree(a->operation, b->operation) &&
           agree(a->bytes, b->bytes);
}

DtCollectives dt_collectives_new(guint64 communicator)
{
    return (DtCollectives){communicator, g_array_new(FALSE, FALSE, sizeof(DtCollectiveCall)),
                           g_array_new(FALSE, FALSE, sizeof(Stretch)), 0};
}

void dt_collectives_clear(DtCollectives *collectives)
{
    g_array_unref(collectives->calls);
    g_array_unref(collectives->stretches);
}

void dt_collectives_add(DtCollectives *collectives, const DtCollectiveCall *call)
{
    g_array_append_vals(collectives->calls, call, 1);
    collectives->count++;
}

static void end_stretch(DtCollectives *collectives, guint end, guint64 times)
{
    const GArray *stretches = collectives->stretches;
    guint start = stretches->len > 0 ? g_array_index(stretches, Stretch, stretches->len - 1).end : 0;
    Stretch stretch = {end, times};
    if (end > start)
        g_array_append_val(collectives->stretches, stretch);
}

void dt_collectives_repeat(DtCollectives *collectives, guint from, guint64 times)
{
    guint end = collectives->calls->len;
    end_stretch(collectives, from, 1);
    end_stretch(collectives, end, times);
    collectives->count += (end - from) * (times - 1);
}

static const DtCollectives *collectives_on(const DtFacts *facts, guint64 communicator)
{
    for (guint i = 0; i < facts->collectives->len; i++) {
        const DtCollectives *collectives = &g_array_index(facts->collectives, DtCollectives, i);
        if (collectives->communicator == communicator)
            return collectives;
    }
    return NULL;
}

guint64 dt_collective_count(const DtFacts *facts, guint64 communicator)
{
    const DtCollectives *collectives = collectives_on(facts, communicator);
    return collectives ? collectives->count : 0;
}

static DtCollectiveCall call_at(const DtCollectives *collectives, guint64 position)
{
    guint start = 0;
    for (guint i = 0; i < collectives->stretches->len; i++) {
        const Stretch *stretch = &g_array_index(collectives->stretches, Stretch, i);
        guint length = stretch->end - start;
        if (position < length * stretch->times)
            return g_array_index(collectives->calls, DtCollectiveCall, start + (guint)(position % length));
        position -= length * stretch->times;
        start = stretch->end;
    }
    return g_array_index(collectives->calls, DtCollectiveCall, start + (guint)position);
}

DtCollectiveCall dt_collective_at(const DtFacts *facts, guint64 communicator, guint64 position)
{
    const DtCollectives *collectives = collectives_on(facts, communicator);
    const DtOpenCall *open = &facts->open;
    if (open->kind == DT_OPEN_COLLECTIVE && open->communicator == communicator && position + 1 == collectives->count)
        return open->collective;
    return call_at(collectives, position);
}
