/** The state of a simulation with times: what its files share. */
#ifndef DT_SIMULATE_TIMING_H
#define DT_SIMULATE_TIMING_H

#include "simulate/simgrid/link.h"
#include "simulate/simulating.h"
#include "simulate/timed.h"

G_BEGIN_DECLS

struct DtSimulatedMachine {
    const DtMachineFunctions *functions;
    DtMachine *machine;
};

/** Where a rank is in time. */
typedef struct {
    guint host;
    gint64 entered;      /* its call */
    gint64 place;        /* of the call before, in the text; -1: there is none */
    GHashTable *cursors; /* DtNodeTime -> DtRowCursor; NULL: none yet */
    GHashTable *waits;   /* rank + 1 -> ns; NULL: none yet */
    DtSimulatedRankTimes told;
} DtRankTiming;

typedef struct {
    guint64 messages, bytes;
} DtTraffic;

struct DtTiming {
    DtSimulating *simulating;
    const DtSimulatedMachine *machine;
    const DtTimedOptions *options;
    DtRankTiming *ranks;
    GHashTable *places;  /* DtSkeletonNode -> its place in the text + 1 */
    GHashTable *traffic; /* "from to" -> DtTraffic */
    DtTimes *times;      /* counted so far */
    gint64 now;          /* ns */
};

DtTimes *dt_timing_result(const DtTiming *timing);

G_END_DECLS

#endif
