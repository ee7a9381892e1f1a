#include "live/iterations.h"

enum {
    LEVELS = 32, /* loops further inside are not looked for */
    CALLEES = 16 /* of one call that are counted at a time; the one that was called longest ago gives way */
};

typedef struct {
    guint32 function;
    guint64 calls;
} Callee;

/* The calls that one open call has made, the latest first. */
typedef struct {
    Callee callees[CALLEES];
    guint count;
} Level;

struct DtIterations {
    Level levels[LEVELS];
    gsize depth; /* open calls */
    DtStreamMark mark;
    guint64 position;
};

DtIterations *dt_iterations_new(void)
{
    return g_new0(DtIterations, 1);
}

void dt_iterations_free(DtIterations *iterations)
{
    g_free(iterations);
}

static void count_call(Level *level, guint32 function, guint64 times)
{
    guint at = 0;
    while (at < level->count && level->callees[at].function != function)
        at++;
    Callee callee = {function, times};
    if (at < level->count)
        callee.calls += level->callees[at].calls;
    else if (level->count < CALLEES)
        level->count++;
    else
        at = CALLEES - 1;
    for (; at > 0; at--)
        level->callees[at] = level->callees[at - 1];
    level->callees[0] = callee;
}

static void enter(DtIterations *iterations, guint32 function, guint64 times)
{
    if (iterations->depth < LEVELS)
        count_call(&iterations->levels[iterations->depth], function, times);
    iterations->depth++;
    if (iterations->depth < LEVELS)
        iterations->levels[iterations->depth].count = 0;
}

void dt_iterations_take(DtIterations *iterations, const guint32 *events, gsize count, guint64 times)
{
    for (gsize i = 0; i < count; i++) {
        if (events[i] != DT_EVENT_RETURN)
            enter(iterations, events[i], times);
        else
            iterations->depth -= iterations->depth > 0 ? 1 : 0;
    }
}

/* What was called before a gap is not known any more. */
static void forget(DtIterations *iterations, gsize depth)
{
    for (guint i = 0; i < LEVELS; i++)
        iterations->levels[i].count = 0;
    iterations->depth = depth;
}

gboolean dt_iterations_read(DtIterations *iterations, DtCallReader *reader, const DtRun *run, const DtTrace *trace,
                            guint64 to)
{
    const DtTracePart part = {iterations->mark, iterations->position, to};
    if (to <= iterations->position)
        return TRUE;
    if (!dt_call_reader_start_part(reader, run, trace, part, NULL))
        return FALSE;
    if (dt_call_reader_position(reader) != iterations->position)
        forget(iterations, dt_call_stack_depth(dt_call_reader_stack(reader)));
    DtCallBatch batch;
    while (dt_call_reader_next(reader, &batch))
        dt_iterations_take(iterations, batch.names, batch.count, batch.times);
    iterations->position = dt_call_reader_position(reader);
    iterations->mark = dt_call_reader_mark(reader);
    return TRUE;
}

gboolean dt_iterations_find(const DtIterations *iterations, guint32 *function, guint64 *count)
{
    for (gsize i = 0; i < LEVELS && i <= iterations->depth && iterations->levels[i].count > 0; i++) {
        const Callee *latest = &iterations->levels[i].callees[0];
        if (latest->calls < 2)
            continue;
        *function = latest->function;
        *count = latest->calls;
        return TRUE;
    }
    return FALSE;
}
