/**
 * A skeleton run on a simulated machine, with times: calls are as without time (simulate.h), but messages take as long
 * as the machine's network takes, ranks compute between calls for as long as is recorded, and collective calls are
 * messages (collective_steps.h). Machines are SimGrid's (H. Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter:
 * Versatile, scalable, and accurate simulation of distributed applications and platforms. JPDC 2014), by a module that
 * is opened then. There is one walk through the skeleton for each rank, and no list of its calls.
 */
#ifndef DT_SIMULATE_TIMED_H
#define DT_SIMULATE_TIMED_H

#include "simulate/collective_steps.h"
#include "simulate/simulate.h"

G_BEGIN_DECLS

#define DT_TIMED_ERROR dt_timed_error_quark()
GQuark dt_timed_error_quark(void);
typedef enum {
    DT_TIMED_ERROR_PLATFORM /* the machine's description is none */
} DtTimedError;

/** A machine; of a process there may be one. */
typedef struct DtSimulatedMachine DtSimulatedMachine;
/**
 * Of a platform file of SimGrid's, or "cluster:N[,speed=2Gf][,bandwidth=10GBps][,latency=1us][,cores=4]": N hosts, each
 * with a link of its own to all others. NULL with an error, also if the module is not there. A second of what was
 * recorded is computed in a second at 1 Gf.
 */
DtSimulatedMachine *dt_simulated_machine_new(const char *platform, GError **error);
void dt_simulated_machine_free(DtSimulatedMachine *machine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSimulatedMachine, dt_simulated_machine_free)

typedef struct {
    guint compute, size; /* per cent */
    DtCollectiveChoice collectives;
} DtTimedOptions;

typedef enum {
    DT_TIMED_LATE_SENDER,
    DT_TIMED_LATE_RECEIVER,
    DT_TIMED_NXN,
    DT_TIMED_BARRIER,
    DT_TIMED_LATE_BROADCAST,
    DT_TIMED_EARLY_REDUCE,
    DT_TIMED_SCAN,
    DT_TIMED_WAITS
} DtTimedWait;
/** As `difftrace times --waits` calls it. Static. */
const char *dt_timed_wait_name(DtTimedWait wait);

/** In ns. */
typedef struct {
    gint64 end;      /* when it came to its end; -1: it stands still */
    gint64 computed; /* between calls */
    gint64 waited;   /* for others to come, in calls from which it returned */
    gint most_for;   /* for whom it waited most; -1: for nobody */
    gint64 most;
} DtSimulatedRankTimes;

/** Messages of one rank to another, those within collective calls left out. */
typedef struct {
    guint from, to;
    guint64 messages, bytes;
} DtTimedLink;

typedef struct DtTimes {
    guint hosts;
    gboolean computes; /* the skeleton has times, or they are left out as asked for */
    gint64 end;        /* when the last rank came to its end, or nobody got on any more */
    guint ranks;
    DtSimulatedRankTimes *rank;
    struct {
        guint64 calls;
        gint64 ns;
    } waits[DT_TIMED_WAITS];
    guint64 messages, bytes;                       /* of all links */
    guint64 collective_messages, collective_bytes; /* within collective calls */
    GArray *links;                                 /* DtTimedLink, by sender and receiver */
} DtTimes;
void dt_times_free(DtTimes *times);

/** `times` of the result are set. O(messages * what the machine takes for one). */
DtSimulation *dt_simulate_timed(const DtSkeleton *skeleton, DtSends sends, DtSimulatedMachine *machine,
                                const DtTimedOptions *options);

G_END_DECLS

#endif
