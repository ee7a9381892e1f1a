/**
 * What the threads of a job do, by classes: threads with the same innermost calls are one. From the heads as far as
 * these tell; from traces where they do not. docs/algorithms/live.md
 */
#ifndef DT_LIVE_CLASSES_H
#define DT_LIVE_CLASSES_H

#include "live/live.h"

G_BEGIN_DECLS

/** A thread; borrowed until the next update. */
typedef struct {
    const char *label;      /* of its trace */
    guint64 words;          /* that it has recorded */
    gdouble words_a_second; /* between the last two updates */
    gdouble still;          /* seconds since it was seen to move */
    gboolean still_longer;  /* it was not: since it is watched */
    char state;             /* the kernel's, 'R', 'S', ...; '?': its host is not seen; 0: not asked for */
    guint32 iterated;       /* the call that makes iterations; 0: not known, or not asked for */
    guint64 iteration;      /* how often it was made */
    gdouble in_mpi;         /* share of its time, 0 to 1; -1: not known, or not asked for */
} DtLiveMember;

/** Threads that do the same; borrowed until the next update. */
typedef struct {
    guint32 calls[2];                        /* the innermost first, of dt_live_functions(); 0: none, or not known */
    gboolean is_known;                       /* FALSE: nobody has seen its calls yet */
    gboolean has_ended;                      /* the calls are those at the end */
    const GPtrArray *members;                /* (element-type DtLiveMember), in the order of the run's traces */
    gdouble slowest, fastest;                /* words a second */
    gdouble still;                           /* the least of all */
    gboolean still_longer;                   /* none of them was seen to move */
    guint run, sleep, other, not_seen;       /* members by the kernel's state; all 0: not asked for */
    guint32 iterated;                        /* the same in all that have one; 0: none, or several */
    guint64 first_iteration, last_iteration; /* of them; 0: not known */
    gdouble least_in_mpi, most_in_mpi;       /* of those for which it is known; -1: none */
} DtLiveClass;

/** The job as a whole. */
typedef struct {
    guint ranks, processes, ended, threads, hosts; /* threads: that are there; all others: of all times */
    guint64 words;
    gdouble words_a_second;
    gdouble seconds; /* since the first process started; 0: not known */
    gdouble still;   /* since a thread of the program was seen to move; 0: none is there */
    gboolean still_longer;
    gboolean is_over;
    gdouble in_mpi; /* share of the time of all threads that call MPI; -1: not known, or not asked for */
} DtLiveTotals;

typedef struct DtLiveClasses DtLiveClasses;
/** What is told for which all traces are read whole. */
typedef enum {
    DT_LIVE_ITERATIONS = 1,
    DT_LIVE_TIMES = 2 /* how much is MPI, as far as that is recorded (times/call_times.h) */
} DtLiveReading;
/** `live` is borrowed. */
DtLiveClasses *dt_live_classes_new(DtLive *live, DtLiveReading reading);
void dt_live_classes_free(DtLiveClasses *classes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLiveClasses, dt_live_classes_free)

/**
 * The kernel's states are asked for of a job on several hosts: there they tell which of these are seen.
 *
 * After a refresh. O(threads); opens the run anew if there is something new to be named, and reads open calls; for a
 * small part of the processor's time, unless `all` asks for everything. `is_over`: the job has ended. FALSE: the run
 * cannot be opened yet.
 */
gboolean dt_live_classes_update(DtLiveClasses *classes, gboolean is_over, gboolean all, GError **error);
/** (element-type DtLiveClass): those with most threads first, those that have ended last. */
const GPtrArray *dt_live_classes_list(const DtLiveClasses *classes);
const DtLiveTotals *dt_live_classes_totals(const DtLiveClasses *classes);
/** The run that the labels are of, as it was when it was opened last; borrowed until the next update. NULL: never. */
const DtRun *dt_live_classes_run(const DtLiveClasses *classes);

G_END_DECLS

#endif
