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
#include "waitfor/waitfor.h"

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

/** Orders in which receives from anybody got messages, tried one after the other. */
typedef struct {
    guint64 tried;     /* that came to an end, or to a stand */
    guint64 standing;  /* of these stand still */
    gboolean complete; /* there are no others; else the limit was reached */
    /* Of the first that stands still: rank by rank whom its receives from anybody got (element-type DtChosen), in the
     * order of the choices. */
    GArray *chosen;
} DtOrders;
typedef struct {
    guint rank, got;
} DtChosen;

typedef struct {
    guint ranks;
    DtSends sends;
    guint64 calls;       /* that were made */
    gboolean ends;       /* all ranks came to their end */
    GPtrArray *standing; /* DtStandingRank, by rank */
    /* Nobody would have to stand still: receives from anybody could get other messages than they got when it was
     * recorded, and what the program does then is not known (of unbuffered sends); something is not simulated; or
     * `no_end_is_known`. */
    gboolean undecided;
    gboolean no_end_is_known; /* some may wait for a rank that was cut off, and for nothing else */
    /* What was met and is not simulated, in order (element-type utf8); NULL: nothing. If somebody stands still then, it
     * is `undecided`, with both kinds of sends. */
    GPtrArray *not_simulated;
    gboolean cut_short; /* a rank has more calls than DT_SKELETON_MOST_CALLS: all was simulated up to there */
    /* Ranks that came to the end of what was recorded of them, though their last call had not returned then. */
    guint went_on;
    struct DtTimes *times;            /* timed.h; NULL: without time */
    DtOrders *orders;                 /* NULL: receives from anybody got what was recorded */
    DtWaitFor *waits;                 /* the same as `standing`, as of a run at its end */
    struct DtSimulatedTraces *traces; /* of `waits` */
} DtSimulation;

/** Threads but the first are left out. O(calls * messages that wait in a rank). */
DtSimulation *dt_simulate(const DtSkeleton *skeleton, DtSends sends);
/**
 * The same with all that receives from anybody may get: only these are branched on, when nobody gets on without (the
 * order POE of ISP; Vakkalanka, Gopalakrishnan, Kirby, CAV 2008), and no state is entered twice. Gives the first order
 * that stands still, else the recorded one. At most `limit` orders are tried. O(limit * calls).
 */
DtSimulation *dt_simulate_any(const DtSkeleton *skeleton, DtSends sends, guint64 limit);
void dt_simulation_free(DtSimulation *simulation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSimulation, dt_simulation_free)

/** Whether somebody stands still, and no more. */
gboolean dt_skeleton_stands_still(const DtSkeleton *skeleton, DtSends sends);

G_END_DECLS

#endif
