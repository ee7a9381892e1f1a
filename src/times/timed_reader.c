/* Events and stamps side by side: both go up by position. */
#include "times/timed_reader.h"

enum { EVENTS = 4096 };

struct DtTimedReader {
    DtReader *reader;
    DtStamps *stamps;
    const DtStamp *next, *end;
    guint64 before; /* position of the event before */
    guint64 first_ns, last_ns;
    guint32 events[EVENTS];
    guint64 positions[EVENTS];
};

/* A trace whose first words were dropped begins with the first stamp that is not before the rest. */
static void begin_late(DtTimedReader *reader, guint64 dropped_words)
{
    const DtStamp *stamp = reader->next;
    while (stamp < reader->end && stamp->position < dropped_words)
        stamp++;
    reader->first_ns = stamp < reader->end ? stamp->ns : reader->last_ns;
}

/* The thread's clocks are read when it begins and ends, too. */
static void set_span(DtTimedReader *reader, guint64 dropped_words)
{
    gsize count, readings;
    const DtStamp *stamps = dt_stamps_get(reader->stamps, &count);
    const DtProcessorTime *processor = dt_stamps_processor_times(reader->stamps, &readings);
    reader->next = stamps;
    reader->end = stamps + count;
    if (readings > 0) {
        reader->first_ns = processor[0].ns;
        reader->last_ns = processor[readings - 1].ns;
    }
    if (count > 0) {
        reader->first_ns = reader->first_ns > 0 ? MIN(reader->first_ns, stamps[0].ns) : stamps[0].ns;
        reader->last_ns = MAX(reader->last_ns, stamps[count - 1].ns);
    }
    if (dropped_words > 0)
        begin_late(reader, dropped_words);
}

DtTimedReader *dt_timed_reader_open(const DtRun *run, const DtTrace *trace, DtProjection projection, GError **error)
{
    g_autoptr(DtStamps) stamps = dt_stamps_open(run, trace, error);
    if (!stamps)
        return NULL;
    DtReader *events = dt_reader_open(run, trace, projection, error);
    if (!events)
        return NULL;
    DtTimedReader *reader = g_new0(DtTimedReader, 1);
    reader->reader = events;
    reader->stamps = g_steal_pointer(&stamps);
    set_span(reader, trace->dropped_words);
    return reader;
}

void dt_timed_reader_free(DtTimedReader *reader)
{
    if (!reader)
        return;
    dt_reader_free(reader->reader);
    dt_stamps_free(reader->stamps);
    g_free(reader);
}

/* The second of two at one place ends what the first began. */
static void give_batch(const DtStamp *stamp, DtTimedEvent *event)
{
    if (event->batch_ns == 0)
        event->batch_begin_ns = stamp->ns;
    event->batch_ns = stamp->ns;
}

/* Of several stamps at one place the last is the word's: a handler that came between a stamp and its word left words of
 * its own there, or its call was left alone. */
static void give_time(DtTimedReader *reader, DtTimedEvent *event)
{
    for (; reader->next < reader->end && reader->next->position < event->position; reader->next++) {
        if (reader->next->of_batch)
            give_batch(reader->next, event);
        else if (reader->next->position >= reader->before)
            event->ns = reader->next->ns;
    }
    reader->before = event->position;
}

gsize dt_timed_reader_next(DtTimedReader *reader, DtTimedEvent *events, gsize capacity)
{
    gsize count = dt_reader_next_at(reader->reader, reader->events, reader->positions, MIN(capacity, EVENTS));
    for (gsize i = 0; i < count; i++) {
        events[i] = (DtTimedEvent){.event = reader->events[i], .position = reader->positions[i]};
        give_time(reader, &events[i]);
    }
    return count;
}

guint64 dt_timed_reader_first_ns(const DtTimedReader *reader)
{
    return reader->first_ns;
}

guint64 dt_timed_reader_last_ns(const DtTimedReader *reader)
{
    return reader->last_ns;
}

const DtStamps *dt_timed_reader_stamps(const DtTimedReader *reader)
{
    return reader->stamps;
}

const char *dt_timed_reader_problem(const DtTimedReader *reader)
{
    return dt_reader_problem(reader->reader);
}
