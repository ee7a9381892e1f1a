/** The state of a simulation: what its files share. */
#ifndef DT_SIMULATE_SIMULATING_H
#define DT_SIMULATE_SIMULATING_H

#include "simulate/communicators.h"
#include "simulate/simulate.h"
#include "skeleton/walk.h"

G_BEGIN_DECLS

/** Of a collective call: the members that have come to it. */
typedef struct {
    guint64 group;
    guint64 number; /* the how manieth on the group */
    guint function;
    gint root;    /* in the world; -1: none */
    gint64 bytes; /* that each gives; 0: not known */
    DtDirection direction;
    guint come, members;
    gboolean root_came, differs;
    GPtrArray *waiting; /* DtOperation, of those that have come */
    GHashTable *steps;  /* with times: what has arrived, and who is there (timing.c); NULL: nothing yet */
    guint left;         /* members whose part is over, with times */
    gint64 last_begun, root_begun;
    gint last;       /* who came last, so far */
    GArray *missing; /* guint: ranks of the others, when they have been looked for */
} DtMeeting;

/** Something that a rank has begun and that ends when others have done their part: a send, a receive, a collective. */
typedef struct DtOperation {
    gboolean done, persistent, active, is_receive;
    gboolean buffered;    /* a send that does not wait */
    gboolean is_wildcard; /* a receive from anybody whose sender is to be chosen */
    gboolean any_tag;     /* the same with its tag */
    gboolean cancelled;   /* MPI_Cancel was called */
    gboolean got;         /* a receive from anybody that got a message when it was recorded */
    gboolean was_open;    /* a collective that did not return when it was recorded */
    gint references;
    guint rank;         /* whose it is */
    guint64 index;      /* of the call that began it, among the rank's */
    guint function;     /* of the call that began it */
    guint64 group;      /* communicator and group */
    gint peer;          /* rank in the world; DT_ANYBODY, DT_NO_PEER */
    gint recorded;      /* of a wildcard: whom it got when it was recorded; DT_ANYBODY: not known */
    gint64 tag;         /* DT_ANY_TAG */
    DtMeeting *meeting; /* of a collective, while it is not over */
    /* With times, in ns. */
    gint64 bytes;                 /* of a send; that the rank gives to a collective */
    gint64 begun;                 /* when it was posted */
    gint64 late;                  /* when those began that it waited for */
    gint late_rank;               /* one of them; -1: nobody */
    gboolean is_under_way;        /* a send: its message is */
    gboolean has_arrived;         /* the same: it was */
    struct DtOperation *receiver; /* of a message under way, if it is there */
    struct DtMember *member;      /* of a collective: how far it is; owned */
} DtOperation;
enum { DT_ANYBODY = -1, DT_NO_PEER = -2 };
#define DT_ANY_TAG G_MININT64

typedef struct {
    DtWalk *walk;
    const DtSkeletonNode *call; /* that it is in; NULL: it has ended */
    GPtrArray *needs;           /* DtOperation: what the call waits for */
    gboolean needs_any;
    gboolean told_some; /* of several requests it waits for those that completed when it was recorded */
    gboolean probes;
    DtOperation probe;
    gboolean was_open; /* the call did not return when it was recorded */
    gboolean queued, ended;
    gboolean cut_off;            /* its record ends in a call that returned here: what it does next is not known */
    gboolean computes;           /* before the call that it has come to */
    gboolean finalized, asks_on; /* it came to MPI_Finalize; it asks for ever */
    const DtSkeletonNode *asks;  /* its last call, if that asks in vain */
    GArray *asked;               /* positions of requests that it asks for (element-type gint64) */
    GPtrArray *live;             /* DtOperation: requests, the oldest first */
    GQueue messages;             /* DtOperation: sends to this rank that no receive has met */
    GQueue receives;             /* DtOperation: that no send has met */
    guint wildcards;             /* among these */
    guint64 choices;             /* a number for the senders that its wildcards got, in their order */
    guint64 made;                /* calls that it made */
    GHashTable *met;             /* group -> how many collectives */
} DtSimulatedRank;

/** Two calls that belong together: a message and its receive, members of a collective. */
typedef struct {
    guint ranks[2];
    guint64 calls[2]; /* among the rank's */
    gboolean is_message;
} DtMetCalls;

/** What may be chosen: this receive from anybody gets this message. */
typedef struct {
    DtOperation *receive, *send;
} DtMatch;

typedef struct DtTiming DtTiming;

typedef struct {
    const DtSkeleton *skeleton;
    DtSends sends;
    DtTiming *timing;      /* NULL: without times; borrowed */
    gboolean any;          /* wildcards are chosen */
    gboolean was_recorded; /* when it hung: calls that did not return are marked */
    DtGroups *groups;
    DtSimulatedRank *ranks;
    GQueue runnable;
    GHashTable *meetings;      /* "group number" as DtMeeting -> itself */
    GArray *functions;         /* const struct dt_call *, by function */
    GHashTable *sent;          /* "from to" -> messages so far; NULL: not counted */
    GArray *pairs;             /* DtMetCalls; NULL: not kept */
    GHashTable *not_simulated; /* what was met and is not simulated; NULL: nothing */
    gboolean may_lack;         /* some of that might have done what others wait for */
    GHashTable *between;       /* names of communicators of which some between two groups are made; NULL: none */
    guint64 calls;
    guint went_on;
} DtSimulating;

/* ---- operations ------------------------------------------------------------------------------ */

DtOperation *dt_operation_new(guint rank);
DtOperation *dt_operation_hold(DtOperation *operation);
void dt_operation_release(gpointer operation);
/** It is done: whose it is may go on. */
void dt_operation_finish(DtSimulating *simulating, DtOperation *operation);
void dt_wake(DtSimulating *simulating, guint rank);

/* ---- messages -------------------------------------------------------------------------------- */

/** A send that a receive may get. */
gboolean dt_operations_fit(const DtOperation *send, const DtOperation *receive);
/** Begins a send or a receive, and matches it if that is no choice. O(what waits at the receiver). */
void dt_operation_post(DtSimulating *simulating, DtOperation *operation);
/** Nothing comes for the receive any more. */
void dt_cancel_receive(DtSimulating *simulating, DtOperation *receive);
/** What may be chosen of a rank: the first receive that may take each sender's first message; appends DtMatch. */
void dt_find_matches(const DtSimulating *simulating, guint rank, GArray *matches);
/** Matches these two, and what is no choice any more then. */
void dt_choose_match(DtSimulating *simulating, const DtMatch *match);

/* ---- times ----------------------------------------------------------------------------------- */

/** A count, as the counts of all data are scaled; with NULL the same. */
gint64 dt_timing_scale(const DtTiming *timing, gint64 count);
/** The rank computes before its call, which it enters then; FALSE: it enters it now. */
gboolean dt_timing_compute(DtTiming *timing, guint rank);
/** The rank enters its call; it leaves it. */
void dt_timing_enter(DtTiming *timing, guint rank);
void dt_timing_leave(DtTiming *timing, guint rank);
/** The rank has come to its end. */
void dt_timing_end(DtTiming *timing, guint rank);
/** The operation begins; of a buffered send that may be begun again, what stands for this message (else the same). A
 * reference to it. */
DtOperation *dt_timing_post(DtTiming *timing, DtOperation *operation);
/** No receive is there yet: a message that does not wait for it is on its way now. */
void dt_timing_send(DtTiming *timing, DtOperation *send);
/** A message has its receive. */
void dt_timing_match(DtTiming *timing, DtOperation *send, DtOperation *receive);
/** A member has come to a collective. */
void dt_timing_join(DtTiming *timing, DtMeeting *meeting, DtOperation *operation);
/** What the member has is no more. */
void dt_member_free(struct DtMember *member);

/* ---- all ------------------------------------------------------------------------------------- */

DtSimulating *dt_simulating_new(const DtSkeleton *skeleton, DtSends sends, gboolean any);
void dt_simulating_free(DtSimulating *simulating);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSimulating, dt_simulating_free)
/** The rank enters its call, after having computed. */
void dt_simulating_enter(DtSimulating *simulating, guint rank);
/** Until nobody gets on who has nothing to wait for; TRUE of the second one: some got on for want of others. */
void dt_simulating_go_on(DtSimulating *simulating);
gboolean dt_simulating_let_go(DtSimulating *simulating);
/** Takes a collective that is over out. */
void dt_simulating_end_meeting(DtSimulating *simulating, DtMeeting *meeting);
/** Until nobody gets on. */
void dt_simulating_run(DtSimulating *simulating);
/** Counts in `sent` what all ranks have to send from where they are on; nothing is simulated. */
void dt_simulating_count_sends(DtSimulating *simulating);
/** What has become of it; with `tell` also who stands still. */
DtSimulation *dt_simulating_result(const DtSimulating *simulating, gboolean tell);
/** Who stands still, in the words of `difftrace waits`. */
void dt_simulation_tell(const DtSimulating *simulating, DtSimulation *simulation);
/** Ranks that what the rank is in waits for, ascending (element-type guint), and whether any one is enough;
 * g_array_unref(). */
GArray *dt_awaited_ranks(const DtSimulating *simulating, guint rank, gboolean *for_any);

G_END_DECLS

#endif
