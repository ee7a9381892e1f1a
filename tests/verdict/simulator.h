/**
 * Plays parallel programs for tests: actors (ranks or threads) run rows of
 * operations, messages, locks and barriers make them wait, and what each would
 * have had recorded goes to a run. Who waits for ever, and where, comes out of
 * playing, not out of the test.
 */
#ifndef DT_TEST_VERDICT_SIMULATOR_H
#define DT_TEST_VERDICT_SIMULATOR_H

#include "support/test_run.h"

G_BEGIN_DECLS

typedef enum {
    OP_ENTER,   /* calls a function */
    OP_LEAVE,   /* returns from the innermost one */
    OP_CALL,    /* both at once */
    OP_SEND,    /* to actor `peer` */
    OP_RECEIVE, /* from actor `peer` */
    OP_GATHER,  /* with all actors that have as many of these: barriers, collectives */
    OP_LOCK,    /* mutex `peer` */
    OP_UNLOCK,
    OP_JOIN,  /* waits for the end of actor `peer` */
    OP_CRASH, /* the process dies of signal `peer` */
    OP_ABORT, /* enters a call that ends the process with status `peer` */
    OP_SPIN   /* goes on for ever without calls */
} OpKind;

typedef struct {
    OpKind kind;
    const char *function; /* as in test_run.h; NULL for OP_LEAVE, OP_CRASH, OP_SPIN */
    guint peer;
} Op;

typedef struct {
    guint process, thread;
    GArray *ops; /* (element-type Op) */
    /*< private >*/
    guint next;
    gboolean entered, dead;
    gboolean gathers; /* has any OP_GATHER */
    guint gathered;
    DtTestThread *writer;
} Actor;

typedef struct {
    gboolean rendezvous; /* a send waits for its receive; else messages are buffered */
    gboolean mpi;        /* processes are ranks */
    gboolean tells_dead; /* a crash says which thread it hit */
    gboolean moves;      /* who spins had done something shortly before */
    gboolean cut_off;    /* all had that did not end: simulator_cut() */
    GPtrArray *actors;   /* (element-type Actor) */
    GHashTable *absent;  /* processes that never started (set of GUINT_TO_POINTER) */
} Simulator;

Simulator *simulator_new(gboolean mpi);
void simulator_free(Simulator *simulator);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Simulator, simulator_free)

Actor *simulator_actor(Simulator *simulator, guint process, guint thread);
void actor_do(Actor *actor, OpKind kind, const char *function, guint peer);

/** A time limit ends the run while it gets on: actor n after `first` + n * `apart` operations, if it has
 * more. */
void simulator_cut(Simulator *simulator, guint first, guint apart);

/**
 * Plays until nobody can go on and writes the run. If somebody died or aborted,
 * the other processes get SIGTERM, as from mpirun; if somebody is left waiting or
 * spinning, all that are left get it, as from a timeout. TRUE if all finished.
 */
gboolean simulator_play(Simulator *simulator, const char *path);

G_END_DECLS

#endif
