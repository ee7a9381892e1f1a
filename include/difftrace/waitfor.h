/**
 * Who waits for whom at the end of a run that hung: a wait-for graph over the
 * traces, from their last open calls and those calls' arguments, and who is to
 * blame that it does not dissolve. Needs arguments in the trace (MPI calls,
 * locks); without them every trace waits for nobody in particular.
 * docs/algorithms/waitfor.md.
 */
#ifndef DIFFTRACE_WAITFOR_H
#define DIFFTRACE_WAITFOR_H

#include "decoder.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

typedef enum {
    DT_WAIT_ENDED,   /* the trace is over */
    DT_WAIT_RUNS,    /* it is in no call that waits, or in one that has all that it waits for, or it still got on */
    DT_WAIT_FOR_ALL, /* it goes on when all that it waits for have done their part */
    DT_WAIT_FOR_ANY, /* ... when one has */
    DT_WAIT_UNKNOWN  /* what it is in is not known: it is on another host, not in the run, or cannot be looked at */
} DtWaitMode;

/** What a graph says about those that are blamed or wait for each other. */
typedef enum {
    DT_CERTAINTY_NONE,     /* it accuses nobody */
    DT_CERTAINTY_POSSIBLE, /* they may still go on: for whom some wait is a guess, or they may have moved */
    DT_CERTAINTY_LIKELY, /* unless a message that was sent before is still on its way, which nobody can see from outside
                          */
    DT_CERTAINTY_PROVED
} DtCertainty;

/** One trace in the graph. */
typedef struct {
    const DtTrace *trace;
    DtWaitMode mode;
    DtStatus status;   /* of its process; of a thread of a process that ran to the end STUCK or RUNNING by itself */
    char *end;         /* how its process ended, "aborted in MPI_Send with status 6 (MPI_ERR_RANK)"; NULL: not known */
    const char *call;  /* that it waits in, NULL: none */
    char *what;        /* "a message from rank 3 with tag 9"; NULL */
    GArray *waits_for; /* indices into DtWaitFor.waiters (element-type guint), ascending */
    gboolean may_end;  /* its call can end without an act of others, as far as is known */
    gboolean by_some;  /* some of those in waits_for may be enough to end it */
    GArray *needs;     /* those without each of which it cannot end (element-type guint); NULL: as `mode` says */
    double blame;      /* 0..1; over all traces it adds up to 1, or 0 if nobody waits */
    char *reason;      /* why it is blamed, NULL if it is not */
} DtWaiter;

/** The wait-for graph of a run at its end. */
typedef struct {
    GPtrArray *waiters; /* (element-type DtWaiter) in the order of the run's traces */
    GPtrArray *cycles;  /* (element-type GArray of guint) indices of those that wait for each other, smallest first */
    char *summary;      /* one sentence */
    char *awaited; /* for whom most wait, without blame: "3 wait, most of them for 0.0"; NULL: for nobody that runs */
    gboolean lacks_arguments; /* calls were made that are recorded with arguments, and none of these were recorded */
    DtCertainty certainty;    /* of blame and cycles */
    guint ranks, ranks_seen;  /* of the whole job, and those of which the traces are known; 0: it has none */
    guint looks;              /* at a job that runs; 0: it is a run */
    double seconds;           /* from the first of them to the last */
} DtWaitFor;

/**
 * Reads every trace once, those with the same events once for all, in parallel over `jobs` threads (0 = all cores).
 * O(events + communicators' members), memory by the number of different calls
 * and of collectives. Traces of libraries' threads are left out. `run` must outlive the result. NULL and an error of
 * the store if a trace cannot be read.
 */
DtWaitFor *dt_wait_for_new(const DtRun *run, guint jobs, GError **error);
/** By waiter: TRUE for those that wait for members of `cycles`, maybe by way of others, and are in none; g_free(). */
gboolean *dt_wait_for_behind_cycles(const DtWaitFor *waits);
void dt_wait_for_free(DtWaitFor *waits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtWaitFor, dt_wait_for_free)

#pragma GCC visibility pop
G_END_DECLS

#endif
