/**
 * All messages and collective calls of a run, with the times of the calls that they took place in.
 *
 * Messages are matched as MPI does: those of a communicator, sender, receiver and tag in the order in which they were
 * sent and in which their receives were posted. Receives from anybody have the sender and the tag that they got.
 * docs/algorithms/wait_states.md.
 */
#ifndef DT_TIMES_MESSAGES_H
#define DT_TIMES_MESSAGES_H

#include "simulate/communicators.h"
#include "store/symbols/places.h"

G_BEGIN_DECLS

#define DT_NO_TIME G_MININT64
#define DT_NO_CALL G_MAXUINT

/** A process of the application. */
typedef struct {
    const DtProcess *process;
    guint host;  /* which of the hosts */
    gint64 base; /* what makes its host's monotonic clock that of the first host, as far as their wall clocks agree */
} DtTimedRank;

/** A thread of one. */
typedef struct {
    const DtTrace *trace;
    guint rank;              /* which of the ranks: an index */
    guint first_call, calls; /* of all calls, in the order of their beginnings */
    gint64 begin, end;       /* of the trace; DT_NO_TIME */
    guint init, finalize;    /* calls of MPI_Init and MPI_Finalize; DT_NO_CALL */
} DtTimedRow;

/** A call of MPI, OpenMP or pthreads. */
typedef struct {
    guint row;
    guint32 function;       /* in DtFunctions, without arguments */
    guint32 caller;         /* the innermost function of the program that it is in; 0: none */
    const DtCallSite *site; /* NULL: not known; borrowed from the run */
    gint64 begin, end;      /* nanoseconds by the first host's monotonic clock; DT_NO_TIME: not known */
} DtTimedCall;

/** The sender's or the receiver's part in a message, or a member's in a collective call; DT_NO_CALL: there is none, or
 * it is not known. */
typedef struct {
    guint call;  /* that began it */
    guint done;  /* that completed it, a Wait or the same */
    guint asked; /* the first one that named its request, to wait for it or to test it; the same if it has none */
} DtPart;

typedef struct {
    guint64 communicator; /* key */
    gint64 tag;
    guint64 bytes;
    DtPart sent, received;
    guint probe; /* a call that waited for it before it was received */
} DtMessage;

typedef struct {
    guint64 communicator; /* key */
    guint32 function;
    DtDirection direction;
    gboolean is_barrier;
    gboolean differs;        /* members called different functions, or gave different roots: nobody waits for anybody */
    guint root;              /* which of the parts; DT_NO_CALL: none, or not known */
    guint first_part, parts; /* of those that made it, in the order of their ranks in the communicator */
    guint members;           /* of the communicator */
} DtCollective;

/** What could not be matched. */
typedef struct {
    guint64 sends, receives;       /* without the other side */
    guint64 open_receives;         /* posted, and nothing came, or nobody waited for it */
    guint64 untold;                /* sends and receives whose peer, tag or communicator is not known */
    guint64 partial_collectives;   /* some members did not make */
    guint64 differing_collectives; /* members called different functions */
    guint64 untimed;               /* calls without times */
    guint64 left_out;              /* processes that have the rank of another one */
} DtUnmatched;

typedef struct {
    const DtRun *run;
    GArray *ranks;       /* DtTimedRank */
    GArray *rows;        /* DtTimedRow */
    GArray *calls;       /* DtTimedCall */
    GArray *messages;    /* DtMessage */
    GArray *collectives; /* DtCollective */
    GArray *parts;       /* DtPart, of collectives */
    GPtrArray *hosts;    /* names, borrowed from the run */
    DtUnmatched unmatched;
    gint64 begin, end; /* what is looked at: from the end of the first MPI_Init to the beginning of the last
                          MPI_Finalize; without these all of it */
    guint last_row;    /* the thread whose end that is */
} DtMessages;

/** NULL if a trace cannot be read. `run` must outlive it. O(events). */
DtMessages *dt_messages_read(const DtRun *run, GError **error);
void dt_messages_free(DtMessages *messages);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtMessages, dt_messages_free)

/** Of a guint64 that two numbers are in: GLib's own hash is the same for many pairs of ranks. */
static inline guint dt_hash_pair(gconstpointer key)
{
    return (guint)(*(const guint64 *)key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 32);
}

/** Finds the span again, when times were corrected. O(threads). */
void dt_messages_set_span(DtMessages *messages);

static inline const DtTimedCall *dt_messages_call(const DtMessages *messages, guint call)
{
    return &g_array_index(messages->calls, DtTimedCall, call);
}
static inline guint dt_messages_rank(const DtMessages *messages, guint call)
{
    return g_array_index(messages->rows, DtTimedRow, dt_messages_call(messages, call)->row).rank;
}
/** "12 sends without a receive, 3 calls without times", g_free(); NULL: all was matched. */
char *dt_messages_unmatched_text(const DtMessages *messages);

G_END_DECLS

#endif
