/** What is read of the times of runs that are compared: series of those functions that take long, side by side. */
#ifndef DT_VERDICT_TIMES_RUN_TIMES_H
#define DT_VERDICT_TIMES_RUN_TIMES_H

#include "store/store.h"
#include "times/slower.h"

G_BEGIN_DECLS

/** What a call of MPI took on a trace, in all. */
typedef struct {
    guint32 function;
    guint64 ns;
} DtWaitedIn;

typedef struct {
    DtSlowerRuns runs; /* the faulty run, then the normal ones */
    GPtrArray *traces; /* (element-type DtTrace) of the faulty run, that all runs have with times */
    GArray *functions; /* guint32: ids, by the numbers of `runs` */
    gdouble *took_ns;  /* by run: its longest trace, without MPI's start and end */
    gboolean by_work;  /* the series are of work (function_times.h): the machine was busy */
    gdouble off;       /* 0..1: of the time outside of MPI when threads were off the processor, the most of any run */
    GPtrArray *waited; /* (element-type GArray of DtWaitedIn by function) run x trace */
    /*< private >*/
    GPtrArray *times; /* (element-type DtFunctionTimes) run x trace; own the series */
    DtSlowerSeries *series;
    guint *classes;
} DtRunTimes;

/** Threads that were off the processor for a larger share than this had to wait for it. */
#define DT_BUSY_SHARE 0.1

/**
 * Reads all traces that all of the runs have: each some four times. NULL without an error: there are none with times.
 * Memory is that of 24 kB a trace and function that takes a thousandth of its time.
 */
DtRunTimes *dt_run_times_new(const GPtrArray *normals, const DtRun *faulty, guint jobs, GError **error);
void dt_run_times_free(DtRunTimes *times);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRunTimes, dt_run_times_free)

/** The series of a function on a trace of a run. */
const DtSlowerSeries *dt_run_times_series(const DtRunTimes *times, guint function, guint run, guint trace);
/** What a call of MPI took on a trace of a run. O(calls). */
guint64 dt_run_times_waited(const DtRunTimes *times, guint32 call, guint run, guint trace);

G_END_DECLS

#endif
