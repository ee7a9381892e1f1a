/**
 * A skeleton run without time: messages are matched, collectives are met, and either all ranks come to their end or
 * some stand still for ever. Needs no MPI.
 *
 * Messages match by communicator, source, destination and tag, in order (MPI 3.1, section 3.5). A receive from anybody
 * gets what it got when it was recorded. Whether a send waits for its receive is not said by MPI: DtSends.
 */
#ifndef DT_SIMULATE_SIMULATE_H
#define DT_SIMULATE_SIMULATE_H

#include "skeleton/skeleton.h"

G_BEGIN_DECLS

typedef enum {
    DT_SENDS_BUFFERED,  /* standard sends never wait, and of a rooted collective nobody waits but for data */
    DT_SENDS_UNBUFFERED /* they wait for their receives, and collectives for all members */
} DtSends;

/** A rank that stands still, or ended elsewhere than all others. */
typedef struct {
    guint rank;
    char *call;        /* as dt_skeleton_expand() has it */
    GArray *waits_for; /* ranks (element-type guint), ascending; any one of them if `for_any` */
    gboolean for_any;
    gboolean was_open; /* when it was recorded, it did not return from this call either */
} DtStandingRank;

typedef struct {
    guint64 calls;       /* that were made */
    gboolean ends;       /* all ranks came to their end */
    GPtrArray *standing; /* DtStandingRank, by rank */
    gboolean cut_short;  /* a rank has more calls than DT_SKELETON_MOST_CALLS: all was simulated up to there */
    /* Ranks that came to the end of what was recorded of them, though their last call had not returned then. */
    guint went_on;
} DtSimulation;

/** Threads but the first are left out. O(calls * messages that wait in a rank). */
DtSimulation *dt_simulate(const DtSkeleton *skeleton, DtSends sends);
void dt_simulation_free(DtSimulation *simulation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSimulation, dt_simulation_free)

G_END_DECLS

#endif
