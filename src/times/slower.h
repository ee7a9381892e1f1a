/**
 * Which function, on which traces, makes one run slower than others: from the durations of single calls or passes, as
 * call_series.h has them. What disturbs a machine only adds to what a call takes, so floors are compared, not sums; and
 * what the normal runs have against each other by the same rules is no evidence. docs/algorithms/times.md
 */
#ifndef DT_TIMES_SLOWER_H
#define DT_TIMES_SLOWER_H

#include "times/call_series.h"

G_BEGIN_DECLS

typedef enum {
    DT_SLOWER_ALWAYS, /* in every call */
    DT_SLOWER_SINCE,  /* in every call since one of them */
    DT_SLOWER_ONCE,   /* in single calls */
    DT_SLOWER_KINDS,
    DT_SLOWER_FASTER = DT_SLOWER_KINDS /* it is faster in every call: told, but explains nothing */
} DtSlowerKind;

/** What is known of a function on a trace of a run; borrowed. */
typedef struct {
    const DtCallSeries *calls;  /* exclusive times of calls, or of passes of a caller; NULL: none */
    const DtCallSeries *passes; /* exclusive time in each pass of the run's loop; NULL: none */
} DtSlowerSeries;

/** Runs side by side. Borrowed. */
typedef struct {
    guint runs;                   /* at least 2; the first is judged, the others are normal */
    guint traces;                 /* that all runs have */
    guint functions;              /* by number, whose ids the caller knows */
    const DtSlowerSeries *series; /* function x run x trace */
    const guint *classes;         /* by trace; of one class are those that make the same calls */
    gboolean busy; /* threads had to wait for processors: single slow calls tell nothing, and several little */
} DtSlowerRuns;

/** One function, as it is slower on some traces. */
typedef struct {
    guint function;
    DtSlowerKind kind;
    gboolean of_passes; /* "since" and "once" count passes of the loop, not calls */
    guint64 at, of;     /* the first call or pass that is, from 1; and how many there are. 0: in every one */
    guint64 begin_ns;   /* when that began, on the slowest trace */
    guint slow_calls;   /* DT_SLOWER_ONCE: how many are */
    guint trace;        /* the slowest */
    GArray *traces;     /* guint: those that are at least half as much slower; all others are not */
    gboolean all;       /* three in four of those that call it, and at least two */
    gdouble ns;         /* that the slowest takes more */
    gdouble score;      /* ns that the run is longer by it: of one trace its excess over the others', of all the mean */
} DtSlowdown;

/**
 * All that is slower by more than three times the noise, by descending score (element-type DtSlowdown); the runs as
 * the method of docs/algorithms/times.md has it. O(series).
 */
GArray *dt_slowdowns_new(const DtSlowerRuns *runs);
/**
 * The largest score that a normal run reaches among the other normal ones, by kind (DT_SLOWER_KINDS + 1 of them). FALSE
 * with one normal run: there is none then. O(runs x series).
 */
gboolean dt_slowdowns_null(const DtSlowerRuns *runs, gdouble *null);
/** Whether it says more than the normal runs do against each other; `null` NULL: these are not known. */
gboolean dt_slowdown_counts(const DtSlowdown *slowdown, const gdouble *null);

G_END_DECLS

#endif
