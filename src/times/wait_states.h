/**
 * Who waited for whom, in which calls, for how long: late senders and receivers, late members of collective calls.
 *
 * F. Wolf, B. Mohr: Automatic performance analysis of hybrid MPI/OpenMP applications. Journal of Systems Architecture
 * 49 (2003); docs/algorithms/wait_states.md.
 */
#ifndef DT_TIMES_WAIT_STATES_H
#define DT_TIMES_WAIT_STATES_H

#include "times/messages.h"

G_BEGIN_DECLS

typedef enum {
    DT_WAIT_NONE,
    DT_WAIT_LATE_SENDER,
    DT_WAIT_LATE_RECEIVER,
    DT_WAIT_AT_NXN,         /* collective calls in which all get of all */
    DT_WAIT_AT_BARRIER,     /* MPI_Barrier */
    DT_WAIT_LATE_BROADCAST, /* of the root of MPI_Bcast, MPI_Scatter */
    DT_WAIT_EARLY_REDUCE,   /* by the root of MPI_Reduce, MPI_Gather */
    DT_WAIT_AT_SCAN,        /* for ranks below */
    DT_WAIT_AT_THREADS,     /* barriers of OpenMP */
    DT_WAIT_KINDS
} DtWaitKind;

/** The longest wait of a call: of what MPI_Waitall waits for, what came last. */
typedef struct {
    DtWaitKind kind; /* DT_WAIT_NONE: it did not wait */
    guint cause;     /* the call that came late */
    gint64 ns;
} DtCallWait;

/** Calls of one place that waited for calls of another, by ranks. */
typedef struct {
    DtWaitKind kind;
    guint row, cause_row; /* threads: indices */
    guint call, cause;    /* the calls of the longest wait of them */
    guint64 count;
    gint64 ns, longest_ns;
} DtWaitEntry;

typedef struct {
    const DtMessages *messages;
    GArray *of_calls; /* DtCallWait, by call */
    GArray *entries;  /* DtWaitEntry, those with most first */
    gint64 by_kind[DT_WAIT_KINDS];
    guint64 counts[DT_WAIT_KINDS];
    GHashTable *by_ranks; /* waiting << 32 | waited for -> gint64 */
    gint64 *of_ranks;     /* that each rank waited, for all and for its own threads */
    gint64 all_ns;
    guint64 violations; /* messages that came before they were sent, by their times */
    guint64 left_out; /* those of them between hosts, whose clocks are not known well enough: they count for nothing */
    GArray *most_waited; /* guint by rank: for whom it waited most, DT_NO_CALL: for nobody */
    GArray *cycles;      /* guint by rank: ranks with one number wait for each other in a ring; 0: in none */
} DtWaitStates;

/** `messages` is borrowed. Waits outside its span do not count. O(n log n). */
DtWaitStates *dt_wait_states_new(const DtMessages *messages);
void dt_wait_states_free(DtWaitStates *states);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtWaitStates, dt_wait_states_free)

/** "late sender" */
const char *dt_wait_kind_name(DtWaitKind kind);
/** How long a rank waited for another. O(1). */
gint64 dt_wait_between(const DtWaitStates *states, guint rank, guint waited_for);

G_END_DECLS

#endif
