/* Decoding a trace once for several that read it. */
#include "decoder/call_reader.h"

#include "decoder/reader_private.h"

struct DtCallReader {
    const guint32 *bases;
    DtReader *reader; /* NULL: the trace cannot be read */
    DtCallStack *stack;
    guint32 *names, *callees; /* of a batch */
};

guint32 *dt_functions_bases(const DtFunctions *functions)
{
    guint32 count = dt_functions_count(functions);
    guint32 *bases = g_new0(guint32, (gsize)count + 1);
    for (guint32 id = 1; id <= count; id++)
        bases[id] = dt_functions_base(functions, id);
    return bases;
}

DtCallReader *dt_call_reader_new(const guint32 *bases)
{
    DtCallReader *reader = g_new0(DtCallReader, 1);
    reader->bases = bases;
    reader->stack = dt_call_stack_new();
    reader->names = g_new(guint32, DT_READER_BATCH_EVENTS);
    reader->callees = g_new(guint32, DT_READER_BATCH_EVENTS);
    return reader;
}

void dt_call_reader_free(DtCallReader *reader)
{
    if (!reader)
        return;
    dt_reader_free(reader->reader);
    dt_call_stack_free(reader->stack);
    g_free(reader->names);
    g_free(reader->callees);
    g_free(reader);
}

gboolean dt_call_reader_start(DtCallReader *reader, const DtRun *run, const DtTrace *trace, GError **error)
{
    dt_reader_free(reader->reader);
    dt_call_stack_reset(reader->stack);
    reader->reader = dt_reader_open(run, trace, DT_NAMES_WITH_ARGUMENTS, error);
    return reader->reader != NULL;
}

gboolean dt_call_reader_start_part(DtCallReader *reader, const DtRun *run, const DtTrace *trace, DtTracePart part,
                                   GError **error)
{
    dt_reader_free(reader->reader);
    dt_call_stack_reset(reader->stack);
    DtStream *stream = dt_stream_open_from(run, trace, part.mark, error);
    reader->reader = stream ? dt_reader_of_stream(stream, DT_NAMES_WITH_ARGUMENTS) : NULL;
    if (!reader->reader)
        return FALSE;
    guint depth;
    dt_reader_seek(reader->reader, part.from);
    const guint32 *open = dt_reader_open_calls(reader->reader, &depth);
    for (guint i = 0; i < depth; i++)
        dt_call_stack_apply(reader->stack, open[i]);
    reader->reader->limit = part.to;
    return TRUE;
}

DtStreamMark dt_call_reader_mark(const DtCallReader *reader)
{
    return dt_stream_mark(reader->reader->stream, dt_reader_position(reader->reader));
}

guint64 dt_call_reader_position(const DtCallReader *reader)
{
    return dt_reader_position(reader->reader);
}

gboolean dt_call_reader_next(DtCallReader *reader, DtCallBatch *batch)
{
    DtEventBatch events;
    if (!reader->reader || !dt_reader_next_batch(reader->reader, &events))
        return FALSE;
    for (gsize i = 0; i < events.count; i++) {
        reader->names[i] = reader->bases[events.events[i]];
        reader->callees[i] = dt_call_stack_apply(reader->stack, events.events[i]);
    }
    *batch = (DtCallBatch){events.events, reader->names, reader->callees, events.count, events.times, reader->bases};
    return TRUE;
}

const DtCallStack *dt_call_reader_stack(const DtCallReader *reader)
{
    return reader->stack;
}

const char *dt_call_reader_problem(const DtCallReader *reader)
{
    return reader->reader ? dt_reader_problem(reader->reader) : NULL;
}
