/**
 * How long each function of a trace took: by itself, with what it called, in MPI; and its single calls in their order,
 * to tell a slow function from a slow call and to say since when. docs/algorithms/times.md
 *
 * Whoever compares runs: exclusive time names causes (MPI is taken out, being another function), MPI's times symptoms.
 * Of two runs the same function has the same id (DtFunctions), and its series the same meaning if `of` is the same; its
 * floor is dt_series_block_floor() of dt_call_series_part(), and "since the k-th" is where the floors of the blocks
 * before k and behind it lie apart most. A series of passes has one entry a pass of the function `within`, in whose
 * own series the same number is the same call.
 */
#ifndef DT_TIMES_FUNCTION_TIMES_H
#define DT_TIMES_FUNCTION_TIMES_H

#include "decoder/decoder.h"
#include "times/call_series.h"
#include "times/loop_passes.h"

G_BEGIN_DECLS

typedef enum {
    DT_SERIES_OF_CALLS, /* at least nine of ten calls have stamps at both ends: the exclusive time of each of those */
    DT_SERIES_OF_PASSES /* exclusive time of all its calls in a pass of the innermost enclosing call whose function is
                           of the first kind; of the whole trace if there is none. Passes without it have no entry */
} DtSeriesOf;

/** A function in a trace. In ns. */
typedef struct {
    guint32 function;     /* id of DtFunctions, no signature's */
    guint64 calls;        /* that were entered */
    guint64 exclusive_ns; /* while it was on top of the stack */
    guint64 told_ns; /* of this, between two stamps with nothing but it between them: exact; the rest is estimated */
    guint64 inclusive_ns; /* while it was on the stack, however often */
    guint64 mpi_ns;       /* of this, in outermost calls of MPI below it */
    DtSeriesOf of;
    guint32 within; /* of passes: in whose; 0: of none, or of several functions */
    DtCallSeries series;
    DtCallSeries by_pass; /* exclusive time in each pass of a loop, those without it 0, too; {0}: not asked for */
    DtCallSeries work;    /* as series and by_pass, of what its thread used of the processor at most: that does not */
    DtCallSeries work_by_pass; /* grow where others have the processor */
} DtFunctionTime;

/** Calls of as much take long: where they end the processor's time is to be read. */
enum { DT_WORK_NS = 1000000 };

/** A trace. */
typedef struct {
    const DtTrace *trace;
    guint64 first_ns, last_ns; /* by the monotonic clock of the host; 0, 0: it has no times */
    guint64 outside_ns;        /* while no call was open */
    guint64 tracer_ns;         /* while the tracer compressed what it had recorded: part of no function's time */
    GArray *functions;         /* DtFunctionTime of those that were called, by function */
    gboolean work_known;       /* the processor's time was read at the ends of nine in ten calls that took long */
    char *problem;             /* NULL, or one line of what is damaged */
} DtFunctionTimes;
/**
 * Of all functions of a trace: outside_ns, tracer_ns and the exclusive_ns are last_ns - first_ns exactly. Reads the
 * trace twice. NULL and an error of the store if it cannot be read. Memory is that of the stamps and of 24 kB a
 * function.
 */
DtFunctionTimes *dt_function_times_new(const DtRun *run, const DtTrace *trace, GError **error);
/** The same, and for each function what of its time fell into each of these passes (element-type DtLoopPass; NULL:
 * none) of the trace. Some 24 kB a function more. */
DtFunctionTimes *dt_function_times_by_pass(const DtRun *run, const DtTrace *trace, const GArray *passes,
                                           GError **error);
void dt_function_times_free(DtFunctionTimes *times);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFunctionTimes, dt_function_times_free)
/** A function's; NULL if it was not called. O(log functions). */
const DtFunctionTime *dt_function_times_find(const DtFunctionTimes *times, guint32 function);

/** The same of traces of a run, `jobs` (at least 1) at a time; (element-type DtFunctionTimes), in their order. */
GPtrArray *dt_function_times_of_traces(const DtRun *run, const GPtrArray *traces, guint jobs, GError **error);

G_END_DECLS

#endif
