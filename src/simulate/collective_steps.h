/**
 * Collective calls as messages between their members, as MPIs send them (R. Thakur, R. Rabenseifner, W. Gropp:
 * Optimization of collective communication operations in MPICH. IJHPCA 2005).
 */
#ifndef DT_SIMULATE_COLLECTIVE_STEPS_H
#define DT_SIMULATE_COLLECTIVE_STEPS_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
    DT_COLLECTIVE_BARRIER, /* and all that makes its members wait for each other without data */
    DT_COLLECTIVE_BCAST,
    DT_COLLECTIVE_REDUCE,
    DT_COLLECTIVE_GATHER,
    DT_COLLECTIVE_SCATTER,
    DT_COLLECTIVE_ALLREDUCE,
    DT_COLLECTIVE_ALLGATHER,
    DT_COLLECTIVE_ALLTOALL,
    DT_COLLECTIVE_REDUCE_SCATTER,
    DT_COLLECTIVE_SCAN,
    DT_COLLECTIVES
} DtCollectiveKind;

/** Of an MPI call's name, e.g. MPI_Iallreduce. */
DtCollectiveKind dt_collective_kind(const char *function);

/** Which algorithm a kind has: 0 is its first one. */
typedef struct {
    guint of[DT_COLLECTIVES];
} DtCollectiveChoice;

/** Reads "allreduce=ring,bcast=linear". FALSE: *why is what is wrong (g_free()). */
gboolean dt_collective_choice_parse(const char *text, DtCollectiveChoice *choice, char **why);

typedef struct {
    DtCollectiveKind kind;
    guint algorithm;
    guint members, index, root; /* by their ranks in the group */
    gint64 bytes;               /* that the member gives, to each other one in an alltoall */
} DtCollectivePart;

/** First the message is sent, then the other one is awaited. */
typedef struct {
    gint to, from;          /* members; -1: nobody */
    guint to_tag, from_tag; /* the same on both sides, different for each message between two members */
    gint64 bytes;           /* of the message to `to` */
} DtCollectiveStep;

/** The member's step with that number; FALSE: it has come to its end. O(log members). */
gboolean dt_collective_step(const DtCollectivePart *part, guint number, DtCollectiveStep *step);

G_END_DECLS

#endif
