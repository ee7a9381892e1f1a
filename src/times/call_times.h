/**
 * How long calls took whose begin and end have times: of MPI, OpenMP and pthreads, or of whatever a filter keeps; and
 * for each trace how its time divides between these interfaces and the rest. docs/algorithms/times.md
 */
#ifndef DT_TIMES_CALL_TIMES_H
#define DT_TIMES_CALL_TIMES_H

#include "filters/filters.h"
#include "times/durations.h"

G_BEGIN_DECLS

/** Calls of one function, or with arguments of one signature. */
typedef struct {
    guint32 function;       /* id of DtFunctions */
    guint64 calls;          /* that were made, with times or without */
    DtDurations durations;  /* of those that have both times */
    guint32 longest_trace;  /* index in the run of the trace with the longest of them */
    guint64 bytes;          /* count times size of a datatype, as the caller gave them */
    guint64 calls_of_bytes; /* those for which both are known */
    guint64 ns_of_bytes;    /* what these took, as far as they have times */
} DtCallTime;

/**
 * Whose calls time was spent in. A call within one of MPI counts for that, one of pthreads within one of OpenMP for
 * that; calls that run a parallel region are the program's own code.
 */
typedef enum { DT_TIME_IN_MPI, DT_TIME_IN_OPENMP, DT_TIME_IN_PTHREADS, DT_TIMES_IN } DtTimeIn;

/** A trace's time. */
typedef struct {
    const DtTrace *trace;
    guint64 first_ns, last_ns; /* by the monotonic clock; 0, 0: it has no times */
    guint64 calls;             /* those that DtCallTime counts */
    guint64 in_ns[DT_TIMES_IN];
    guint64 tracer_ns;        /* while the tracer compressed what it had recorded: in none of them, nor in durations */
    guint64 processor_ns;     /* that the thread used between its first and last reading; 0: not known */
    guint32 longest_function; /* of the longest call; 0: none has times */
    guint64 longest_ns;
} DtTraceTime;

/** What is asked for. */
typedef struct {
    const DtRun *run;
    const GPtrArray *traces; /* DtTrace, of the run */
    const DtFilterSet *set;  /* NULL: all calls of MPI, OpenMP and pthreads */
    DtProjection projection; /* DT_NAMES_WITH_ARGUMENTS: a signature each */
    guint jobs;              /* at least 1 */
    guint columns;           /* of DtCallTimes.in_mpi; 0: none */
    gboolean until_now;      /* threads of processes that run here, and their open calls, last until now */
} DtCallTimesWants;

/** Of all traces together, and of each. */
typedef struct {
    GArray *calls;  /* DtCallTime by function's id */
    GArray *traces; /* DtTraceTime as asked for */
    /* The span of all traces by one clock: those of other hosts are moved by their wall clocks. */
    guint64 first_ns, last_ns;
    guint64 of_callers_ns; /* spans together of the traces that made any such call */
    guint columns;
    GArray *in_mpi;      /* gdouble, traces x columns: ns of each column spent in MPI; NULL: not asked for */
    GPtrArray *problems; /* (element-type utf8) what is damaged, a line each */
} DtCallTimes;
/** O(events and stamps), some traces at a time. NULL and an error of the store if a trace cannot be read. */
DtCallTimes *dt_call_times_new(const DtCallTimesWants *wants, GError **error);
void dt_call_times_free(DtCallTimes *times);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCallTimes, dt_call_times_free)

/** How far the process's monotonic clock lies behind the wall clock, in ns; 0: not known. */
gint64 dt_process_clock_offset(const DtProcess *process);

G_END_DECLS

#endif
