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

gboolean dt_collective_calls_meet(const DtCollectiveCall *a, const DtCollectiveCall *b)
{
    return a->function == b->function && agree(a->root, b->root);
}

gboolean dt_collective_calls_agree(const DtCollectiveCall *a, const DtCollectiveCall *b)
{
    return dt_collective_calls_meet(a, b) && agree(a->operation, b->operation) && agree(a->bytes, b->bytes);
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
    const DtBlockingCall *open = &facts->open;
    if (open->kind == DT_OPEN_COLLECTIVE && open->communicator == communicator && position + 1 == collectives->count)
        return open->collective;
    return call_at(collectives, position);
}

/* A walk along the calls. */
typedef struct {
    const DtCollectives *of;
    guint stretch, next; /* in the calls written down */
    guint64 round;       /* of the stretch */
} Walk;

static guint start_of(const DtCollectives *of, guint stretch)
{
    return stretch > 0 ? g_array_index(of->stretches, Stretch, stretch - 1).end : 0;
}

static const DtCollectiveCall *next_call(Walk *walk)
{
    const DtCollectives *of = walk->of;
    if (walk->stretch < of->stretches->len) {
        const Stretch *stretch = &g_array_index(of->stretches, Stretch, walk->stretch);
        if (walk->next == stretch->end && ++walk->round < stretch->times) {
            walk->next = start_of(of, walk->stretch);
        } else if (walk->next == stretch->end) {
            walk->round = 0;
            walk->stretch++;
        }
    }
    return walk->next < of->calls->len ? &g_array_index(of->calls, DtCollectiveCall, walk->next++) : NULL;
}

static gboolean has_same_stretches(const DtCollectives *a, const DtCollectives *b)
{
    gboolean same = a->stretches->len == b->stretches->len && a->calls->len == b->calls->len;
    for (guint i = 0; same && i < a->stretches->len; i++) {
        const Stretch *first = &g_array_index(a->stretches, Stretch, i);
        const Stretch *second = &g_array_index(b->stretches, Stretch, i);
        same = first->end == second->end && first->times == second->times;
    }
    for (guint i = 0; same && i < a->calls->len; i++)
        same = dt_collective_calls_agree(&g_array_index(a->calls, DtCollectiveCall, i),
                                         &g_array_index(b->calls, DtCollectiveCall, i));
    return same;
}

guint64 dt_collectives_part(const DtFacts *a, const DtFacts *b, guint64 communicator)
{
    enum { MOST_LOOKED_AT = 1 << 20 };
    const DtCollectives *of_a = collectives_on(a, communicator), *of_b = collectives_on(b, communicator);
    guint64 fewer = of_a && of_b ? MIN(of_a->count, of_b->count) : 0;
    if (fewer == 0 || has_same_stretches(of_a, of_b))
        return fewer;
    Walk first = {.of = of_a}, second = {.of = of_b};
    for (guint64 position = 0; position < MIN(fewer, MOST_LOOKED_AT); position++) {
        const DtCollectiveCall *one = next_call(&first), *other = next_call(&second);
        if (!one || !other || !dt_collective_calls_agree(one, other))
            return position;
    }
    return fewer;
}
