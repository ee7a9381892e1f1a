/** The events of a trace for several that need them at once: in both projections, with calls and returns paired. */
#ifndef DT_DECODER_CALL_READER_H
#define DT_DECODER_CALL_READER_H

#include "decoder/decoder.h"
#include "store/growing.h"

G_BEGIN_DECLS

/** A batch of events (DtEventBatch) and what is known of them; rows of `count`, borrowed until the next batch. */
typedef struct {
    const guint32 *events;  /* with arguments */
    const guint32 *names;   /* by names alone */
    const guint32 *callees; /* the call entered or returned from, with arguments; 0: a return without a call */
    gsize count;
    guint64 times;
    const guint32 *bases; /* the function of any id */
} DtCallBatch;

/** The events of a batch in one projection. */
static inline DtEventBatch dt_call_batch_events(const DtCallBatch *batch, DtProjection projection)
{
    return (DtEventBatch){projection == DT_NAMES_WITH_ARGUMENTS ? batch->events : batch->names, batch->count,
                          batch->times};
}

/** dt_functions_base() of all ids, 0 of 0; g_free(). */
guint32 *dt_functions_bases(const DtFunctions *functions);

/** Of one thread, for one trace after the other. */
typedef struct DtCallReader DtCallReader;
/** `bases`: of the functions of all runs that will be read; borrowed. */
DtCallReader *dt_call_reader_new(const guint32 *bases);
void dt_call_reader_free(DtCallReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCallReader, dt_call_reader_free)

/** Starts with a trace. FALSE: it cannot be read; it is as if it had no events. */
gboolean dt_call_reader_start(DtCallReader *reader, const DtRun *run, const DtTrace *trace, GError **error);
/** A part of a trace that still grows. */
typedef struct {
    DtStreamMark mark; /* dt_call_reader_mark() of an earlier time, or all 0; nothing before it is looked at */
    guint64 from, to;  /* positions, as of dt_reader_seek() */
} DtTracePart;
/** The same with the events between two positions; the calls that are open at the first one are on the stack. Decodes
 * a segment more, at most. */
gboolean dt_call_reader_start_part(DtCallReader *reader, const DtRun *run, const DtTrace *trace, DtTracePart part,
                                   GError **error);
/** Where a part of this trace that follows what was read may begin to look. */
DtStreamMark dt_call_reader_mark(const DtCallReader *reader);
/** The position that it has come to. */
guint64 dt_call_reader_position(const DtCallReader *reader);

/** FALSE at the end. */
gboolean dt_call_reader_next(DtCallReader *reader, DtCallBatch *batch);
/** The calls that are open after the latest batch, with arguments. */
const DtCallStack *dt_call_reader_stack(const DtCallReader *reader);
/** dt_reader_problem() */
const char *dt_call_reader_problem(const DtCallReader *reader);

G_END_DECLS

#endif
