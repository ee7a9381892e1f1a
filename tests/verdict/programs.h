/** Small parallel programs for the simulator, with faults to switch on. */
#ifndef DT_TEST_VERDICT_PROGRAMS_H
#define DT_TEST_VERDICT_PROGRAMS_H

#include "simulator.h"

G_BEGIN_DECLS

typedef enum {
    FAULT_NONE,
    FAULT_SWAP,       /* odd/even: after that iteration, send and receive in the other order */
    FAULT_DEADLOCK,   /* odd/even: after that iteration, a second receive where the send belongs */
    FAULT_CRASH,      /* SIGSEGV in the iteration */
    FAULT_ABORT,      /* MPI_Abort in the iteration */
    FAULT_SPIN,       /* for ever in the iteration, without calls */
    FAULT_SKIP,       /* leaves out the iteration */
    FAULT_NO_UNLOCK,  /* threads: keeps the lock in the iteration */
    FAULT_EXTRA_CALLS /* calls its local function ten times as often from the iteration on */
} Fault;

typedef struct {
    Fault fault;
    guint culprit, iteration;
} Bug;

/** Odd/even sort of `ranks` ranks in as many phases. */
Simulator *odd_even(guint ranks, Bug bug);

/** Ranks in a row: every step exchanges with the neighbours, computes and meets in MPI_Allreduce. */
Simulator *stencil(guint ranks, guint steps, Bug bug);

/** A master that hands out tasks as they are asked for, by luck of `seed`; rank 0 is the master. */
Simulator *farm(guint workers, guint tasks, guint32 seed, Bug bug);

/** One process: main starts threads that take turns with a lock, without MPI; threads 1..workers. */
Simulator *bank(guint workers, guint rounds, Bug bug);

/** MPI processes of a main thread and `workers` threads each. */
Simulator *hybrid(guint processes, guint workers);

/** One process whose OpenMP team shares out 48 cells in every step; thread 0 leads it. FAULT_SPIN, FAULT_SKIP. */
Simulator *team(guint threads, guint steps, Bug bug);

G_END_DECLS

#endif
