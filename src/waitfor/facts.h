/** What a trace had to do with others, counted over its whole length, and what it waits in. */
#ifndef DT_WAITFOR_FACTS_H
#define DT_WAITFOR_FACTS_H

#include "decoder/pass.h"
#include "waitfor/waitfor.h"

G_BEGIN_DECLS

enum { DT_PEER_ANY = -1, DT_PEER_UNKNOWN = -2 };
#define DT_TAG_ANY     G_MININT64
#define DT_TAG_UNKNOWN (G_MININT64 + 1) /* one, but nobody knows which: it varies from call to call */

/** Of all ranks of a job that runs. */
#define DT_COMMUNICATOR_OF_NOW G_GUINT64_CONSTANT(1)

/** Messages of one kind that a process sent or asked for. */
typedef struct {
    guint64 communicator; /* key */
    gint peer;            /* rank in MPI_COMM_WORLD, DT_PEER_ANY, DT_PEER_UNKNOWN */
    gint64 tag;           /* or DT_TAG_ANY, DT_TAG_UNKNOWN */
    gboolean send;
    guint64 calls;
} DtTransfer;

/** A collective call by what all members have to agree on. */
typedef struct {
    guint32 function;
    gint32 root;      /* rank in the communicator, or DT_NOT_TOLD */
    gint32 operation; /* or DT_NOT_TOLD */
    gint64 bytes;     /* that each member gives or gets, or DT_NOT_TOLD */
} DtCollectiveCall;
/** The call has none, or it is not known: agrees with any. */
enum { DT_NOT_TOLD = -1 };

/** TRUE if nothing that is known of both says that they are different calls. */
gboolean dt_collective_calls_agree(const DtCollectiveCall *a, const DtCollectiveCall *b);
/** TRUE if ranks in these calls meet there: MPI can finish them, though operation or bytes may differ. */
gboolean dt_collective_calls_meet(const DtCollectiveCall *a, const DtCollectiveCall *b);

/** Collective calls on one communicator or window, in order. */
typedef struct {
    guint64 communicator; /* key */
    GArray *calls;        /* (element-type DtCollectiveCall) */
    GArray *stretches;    /* which of them come several times */
    guint64 count;        /* all */
} DtCollectives;

DtCollectives dt_collectives_new(guint64 communicator);
void dt_collectives_clear(DtCollectives *collectives);
void dt_collectives_add(DtCollectives *collectives, const DtCollectiveCall *call);
/** The calls from index `from` on come `times` times, their first time included. */
void dt_collectives_repeat(DtCollectives *collectives, guint from, guint64 times);

typedef enum {
    DT_OPEN_NONE,
    DT_OPEN_TRANSFER,   /* blocking send or receive, or both */
    DT_OPEN_REQUESTS,   /* MPI_Wait and its kin */
    DT_OPEN_COLLECTIVE, /* the last of its communicator's */
    DT_OPEN_FINALIZE,   /* MPI_Finalize: of all of the world */
    DT_OPEN_LOCK,
    DT_OPEN_JOIN, /* of a thread that is known */
    DT_OPEN_OTHER /* waits, but nobody knows for whom */
} DtOpenKind;

typedef struct {
    DtOpenKind kind;
    const char *call;        /* its function */
    guint32 symbol;          /* of function and arguments */
    gboolean any;            /* one is enough: MPI_Waitany */
    gboolean probes;         /* for a message that another call receives */
    DtTransfer transfers[2]; /* `transfer_count` of them */
    guint transfer_count;
    guint64 communicator;          /* of a collective */
    gboolean is_on_window;         /* that is a window's */
    const DtCommunicator *between; /* that has two groups; NULL: it has one */
    DtCollectiveCall collective;   /* it, with arguments that vary as they were this time */
    gint64 lock;
    const DtTrace *joined; /* the thread whose end it waits for */
} DtBlockingCall;

typedef struct {
    gint64 lock;
    gint64 held; /* times taken less times given back; what is open is not taken */
} DtLockUse;

typedef struct {
    const DtTrace *trace;
    gboolean ended;
    gboolean died;      /* its process ended before its time, by itself or by a signal, while the others went on */
    gboolean cut_short; /* its process was ended because another one had */
    gboolean moved;     /* it was still getting on when the time limit ended it */
    DtStatus status;    /* as in DtWaiter */
    char *end;          /* the same */
    gboolean lacks_arguments; /* it made calls that are recorded with arguments, and these were not */
    gboolean finalizes;       /* it came to MPI_Finalize */
    gboolean is_unknown;      /* what it is in is not known; `end` says why */
    gboolean is_still;        /* of a process that runs: its open call has not returned between two looks */
    gboolean is_of_now;       /* of a process that runs: nothing is known but its open call */
    gboolean stands;          /* simulated: its call is known not to end, whatever its collective looks like */
    gboolean is_partial;      /* there are messages that are not among its transfers */
    GArray *transfers;        /* (element-type DtTransfer) */
    GArray *collectives;      /* (element-type DtCollectives) */
    GArray *locks;            /* (element-type DtLockUse) */
    GArray *wakers;           /* numbers of threads that are likely to be able to end its wait (element-type guint) */
    GArray *symbols;          /* functions with arguments that it called, ascending (element-type guint32) */
    DtBlockingCall open;
} DtFacts;

/** How many collective calls it made on a communicator. */
guint64 dt_collective_count(const DtFacts *facts, guint64 communicator);
/** The one at `position`, which is less than their number. O(stretches). */
DtCollectiveCall dt_collective_at(const DtFacts *facts, guint64 communicator, guint64 position);

/**
 * How many of their collective calls on a communicator agree before the first that does not, or before one of them has
 * no more. O(calls that are written down) where they repeat in the same way; else it looks at some of them only.
 */
guint64 dt_collectives_part(const DtFacts *a, const DtFacts *b, guint64 communicator);

DtFacts *dt_facts_new(const DtTrace *trace);
void dt_facts_free(DtFacts *facts);

/** Communicators and windows by key: their members' ranks in MPI_COMM_WORLD, by rank in the communicator (element-type
 * gint). */
typedef GHashTable DtMembers;

/** Facts on the application's traces of a run, while they are read. */
typedef struct DtFactsReading DtFactsReading;
/** Adds to a pass that they are read of one of its runs. */
DtFactsReading *dt_facts_reading_new(DtPass *pass, guint run);
void dt_facts_reading_free(DtFactsReading *reading);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFactsReading, dt_facts_reading_free)
/** After the pass: what they come to; NULL if a trace could not be read. */
DtWaitFor *dt_facts_reading_take(const DtFactsReading *reading, GError **error);

/** The graph and the blame of these facts; takes nothing over. `functions` NULL: collective calls have no names. */
DtWaitFor *dt_wait_for_of_facts(const GPtrArray *facts, const DtMembers *members, const DtFunctions *functions);

G_END_DECLS

#endif
