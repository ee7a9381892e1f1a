/**
 * Facts on a run that still grows. What was counted is kept from look to look together with the position that it goes
 * up to, so that a look reads what is new. docs/algorithms/waitfor.md
 */
#ifndef DT_WAITFOR_GROWING_H
#define DT_WAITFOR_GROWING_H

#include "waitfor/facts.h"

G_BEGIN_DECLS

typedef struct DtGrowingFacts DtGrowingFacts;
/** Of runs that are opened with `functions`, which gets a reference. */
DtGrowingFacts *dt_growing_facts_new(DtFunctions *functions);
void dt_growing_facts_free(DtGrowingFacts *growing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGrowingFacts, dt_growing_facts_free)

/**
 * Reads on, and makes the graph of what is known then. `run` is the same run each time, opened anew; `to` has for each
 * of its traces the position to read up to, at most. That must be one that the trace had before the run was opened:
 * the run knows the functions of all words before it. Of a trace whose position nobody knows (G_MAXUINT64) nothing is
 * read before a look has seen that it returned; then all. NULL if a file cannot be read. O(new words, and one segment a
 * trace).
 */
DtWaitFor *dt_growing_facts_look(DtGrowingFacts *growing, const DtRun *run, const guint64 *to, GError **error);

/** TRUE if the last look has seen that some trace returned, which the next one will read. */
gboolean dt_growing_facts_are_behind(const DtGrowingFacts *growing);

/** What a trace has done up to the last look. */
typedef struct {
    guint64 acts;        /* calls by which others may get on, or that wait for others: messages, collectives, locks */
    guint64 questions;   /* whether something has happened: MPI_Test, MPI_Iprobe */
    guint64 sleeps;      /* usleep, sched_yield */
    guint64 clocks;      /* questions for the time */
    gboolean uses_mpi;   /* it has sent, received or joined a collective call */
    gboolean shares_mpi; /* it has made MPI ready for calls by several threads: MPI_Init_thread */
    gboolean is_partial; /* not all that it did is known */
    gboolean is_empty;   /* no call is open */
    gboolean asks;       /* the call that it waits in, if any, has returned: a question, asked again and again */
} DtTraceActs;
/** All 0 of a trace that no look has seen. O(1). */
DtTraceActs dt_growing_facts_acts(const DtGrowingFacts *growing, const DtTrace *trace);

G_END_DECLS

#endif
