#include "times/processor_clock.h"

struct DtProcessorClock {
    const DtProcessorTime *readings;
    gsize count;
    gsize next; /* the first reading behind the time that was asked for last */
};

DtProcessorClock *dt_processor_clock_new(const DtStamps *stamps)
{
    DtProcessorClock *clock = g_new0(DtProcessorClock, 1);
    clock->readings = dt_stamps_processor_times(stamps, &clock->count);
    return clock;
}

void dt_processor_clock_free(DtProcessorClock *clock)
{
    g_free(clock);
}

static void go_to(DtProcessorClock *clock, guint64 ns)
{
    while (clock->next > 0 && clock->readings[clock->next - 1].ns > ns)
        clock->next--;
    while (clock->next < clock->count && clock->readings[clock->next].ns <= ns)
        clock->next++;
}

/* Between the reading before the next one and that. */
static guint64 used_here(const DtProcessorClock *clock, guint64 lasts)
{
    if (clock->next == 0 || clock->next == clock->count)
        return lasts;
    const DtProcessorTime *before = &clock->readings[clock->next - 1];
    return MIN(lasts, before[1].processor_ns - MIN(before[1].processor_ns, before->processor_ns));
}

guint64 dt_processor_clock_used(DtProcessorClock *clock, guint64 from_ns, guint64 to_ns)
{
    guint64 used = 0;
    for (go_to(clock, from_ns); from_ns < to_ns; go_to(clock, from_ns)) {
        const guint64 end = clock->next < clock->count ? MIN(clock->readings[clock->next].ns, to_ns) : to_ns;
        used += used_here(clock, end - from_ns);
        from_ns = end;
    }
    return used;
}

gboolean dt_processor_clock_was_read(DtProcessorClock *clock, guint64 ns, guint64 within)
{
    go_to(clock, ns);
    return (clock->next > 0 && ns - clock->readings[clock->next - 1].ns <= within) ||
           (clock->next < clock->count && clock->readings[clock->next].ns - ns <= within);
}
