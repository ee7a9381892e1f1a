/**
 * Ranking: which trace is the cause. Evidence from end states, progress, first
 * divergence, new structure and counts, each explainable in words; formulas,
 * thresholds and limits: docs/algorithms/verdict.md.
 */
#ifndef DIFFTRACE_VERDICT_H
#define DIFFTRACE_VERDICT_H

#include "cluster.h"
#include "decoder.h"
#include "diffnlr.h"
#include "waitfor.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_VERDICT_ERROR (dt_verdict_error_quark())
typedef enum { DT_VERDICT_ERROR_NO_COMMON_TRACES } DtVerdictError;
GQuark dt_verdict_error_quark(void);

typedef enum { DT_LEVEL_NONE, DT_LEVEL_WEAK, DT_LEVEL_SUSPECT } DtLevel;
/** "suspect"; static. */
const char *dt_level_name(DtLevel level);

/** A trace with evidence against it. */
typedef struct {
    const char *label;    /* borrowed from the faulty run, or the normal one if missing */
    const DtTrace *trace; /* NULL if missing in the faulty run */
    double score;         /* 0..1: how often such a suspect is the culprit (docs/method.md); 1: in one run only */
    DtLevel level;
    DtStatus status;
    guint group;            /* those of one group depart from normal in the same way, and end alike */
    char *first_difference; /* NULL: none */
    char *source;           /* the function in which it departs, and where that starts: "exchange (sort.c:57)"; NULL */
    char *why;              /* one sentence */
} DtSuspect;

/** How much of the program changed. */
typedef enum {
    DT_SCOPE_NONE,    /* nothing */
    DT_SCOPE_UNKNOWN, /* something, but no trace is a clear suspect */
    DT_SCOPE_ONE,     /* one process (of one process, one thread) */
    DT_SCOPE_SEVERAL, /* several, in the same way */
    DT_SCOPE_ALL      /* the whole program: no trace is a suspect */
} DtScope;
/** "several"; static. */
const char *dt_scope_name(DtScope scope);

/** A change that (nearly) all traces have. All are NULL if there is none. */
typedef struct {
    char *function;        /* in which it is */
    char *call;            /* the call that comes, or does not come */
    char *source;          /* the line of the call, "solver.c:188"; NULL: not known */
    char *normal, *faulty; /* what comes normally, and now: "23 calls" and "46 calls" */
    guint traces;          /* that have it; 0: it is known of all together only */
} DtCommon;
/** A copy of all texts. */
DtCommon dt_common_copy(const DtCommon *common);
/** Frees what is in it. */
void dt_common_clear(DtCommon *common);

/** Data that differ from those of the normal runs, of which nothing that differs can be the cause. All texts may be
 * NULL if a document was damaged. */
typedef struct {
    char *trace;  /* label */
    char *event;  /* "sent", "received", "changed" under way, "contributed", "result" */
    char *call;   /* "MPI_Send" */
    char *source; /* "halo.c:41"; NULL: not known */
    guint64 nth;  /* of the trace's calls of the function, from 1 */
    gint peer;    /* rank in MPI_COMM_WORLD that it is sent to, or came from; -1: none, or not known */
    char *text;   /* a sentence */
} DtDataDifference;

/** What is known of data, of runs that were recorded with `collect --payload`. */
typedef struct {
    guint64 compared;           /* data of the faulty run that all normal runs have, too; */
    guint64 varying, differing; /* of these those that vary by themselves, and those that differ */
    char *caution;              /* what is not known, a line; NULL: nothing */
    GPtrArray *first;           /* (element-type DtDataDifference) by rank */
} DtDataVerdict;
/** Without differences; dt_data_verdict_unref(). */
DtDataVerdict *dt_data_verdict_empty(void);
/** NULL of NULL. */
DtDataVerdict *dt_data_verdict_ref(DtDataVerdict *data);
void dt_data_verdict_unref(DtDataVerdict *data);

/** A function that takes longer than in the normal runs, or shorter. */
typedef struct {
    char *trace;            /* label of the slowest */
    GStrv traces;           /* of all that are slower, in the order of the run */
    char *scope;            /* dt_scope_name() of one, several, all */
    char *kind;             /* "always", "since", "once", "faster" */
    char *function;         /* as it is shown */
    char *source;           /* "force.c:88", where it starts; NULL: not known */
    gboolean of_iterations; /* `at` and `of` count passes of the outermost loop, else calls */
    guint64 at, of;         /* since when, or which one, from 1; 0: in every call */
    guint slow_calls;       /* of the kind "once": how many */
    double seconds;         /* that the run is longer by it */
    double share;           /* 0..1 of what the run is longer; negative: the run is not longer */
    char *waits_in;         /* the call in which others wait longer meanwhile; NULL: none, or nobody */
    GStrv waiting;          /* those others */
} DtTimeDifference;

/** What the times of the runs say. Texts may be NULL if a document was damaged. */
typedef struct {
    char *answer;           /* "slower"; "alike": not longer than normal runs are; "unexplained": longer */
    double normal_seconds;  /* the median of the normal runs, without MPI_Init and MPI_Finalize */
    double longer_seconds;  /* what the run took more, may be negative */
    double null_seconds;    /* what the normal runs have against each other; negative: there is one only */
    double off_processor;   /* 0..1: of the time outside of MPI threads waited for processors, the most of any run */
    gboolean by_work;       /* for that reason what threads used of processors was compared */
    char *text;             /* a sentence */
    GPtrArray *differences; /* (element-type DtTimeDifference) that exceed what normal runs have, by seconds */
} DtTimeVerdict;
/** Without differences; dt_time_verdict_unref(). */
DtTimeVerdict *dt_time_verdict_empty(void);
/** NULL of NULL. */
DtTimeVerdict *dt_time_verdict_ref(DtTimeVerdict *times);
void dt_time_verdict_unref(DtTimeVerdict *times);

/** What a ranking says. */
typedef struct {
    GPtrArray *suspects; /* (element-type DtSuspect) by descending score, those with evidence; ties by onset, label */
    char *verdict;       /* one sentence; of a run that hung also what the others do meanwhile */
    DtScope scope;
    gboolean failed;      /* the run crashed, aborted, is deadlocked or hung, and no normal run did */
    DtCommon common;      /* the first, with DT_SCOPE_ALL that which the sentence tells */
    DtDataVerdict *data;  /* NULL: not recorded */
    DtTimeVerdict *times; /* NULL: not recorded, not asked for, or not looked at: there is a suspect without them */
    DtWaitFor *waits;     /* of the faulty run; NULL: without arguments */
} DtVerdict;
void dt_verdict_free(DtVerdict *verdict);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtVerdict, dt_verdict_free)

/** What is ranked: all runs share DtFunctions. The first normal run is the one that differences are told against. */
typedef struct {
    const GPtrArray *normals; /* (element-type DtRun) may be empty: the faulty run is judged by itself */
    const DtRun *faulty;
    gboolean names_alone; /* by names and their order alone, whatever arguments were recorded */
    gboolean no_times;    /* without times, whatever was recorded */
} DtVerdictRuns;

/**
 * Ranks the traces of the faulty run. Reads every trace of every run once, in parallel over `jobs` threads (0 = all
 * cores), those that are equal once for all; keeps them folded: memory follows from what is irregular in them. Labels
 * in the result belong to the runs, which must outlive it. NULL and DT_VERDICT_ERROR_NO_COMMON_TRACES if no trace is in
 * the faulty and a normal run; or an error of the store.
 */
DtVerdict *dt_verdict_new(const DtVerdictRuns *runs, guint jobs, GError **error);

/** By the name of a function, of any: TRUE for calls that wait for others: MPI_Recv, pthread_join, GOMP_barrier... */
gboolean dt_is_blocking_call(const char *function);
/** TRUE for calls that end a process: abort, exit, MPI_Abort... */
gboolean dt_is_ending_call(const char *function);
/** TRUE for MPI_*, pthread_*, GOMP_*, omp_*, __kmpc_*. */
gboolean dt_is_library_call(const char *function);

#pragma GCC visibility pop
G_END_DECLS

#endif
