/**
 * What is counted while the events of a trace go by. It is the same for all traces that have these events; what it
 * means, whose rank a peer is and which communicator a name, depends on the process: meaning.c.
 */
#ifndef DT_WAITFOR_COUNTS_H
#define DT_WAITFOR_COUNTS_H

#include "waitfor/calls.h"
#include "waitfor/facts.h"

G_BEGIN_DECLS

typedef struct {
    guint32 id;
    guint64 calls;
} DtCallCount;

/** On a communicator by its name, or a window by its number in the process. */
typedef struct {
    const char *communicator; /* NULL: on a window */
    gint64 window;
    DtCollectives collectives;
} DtNamedCollectives;

/** Of all traces with the same events. */
typedef struct {
    GArray *calls;       /* by ascending id (element-type DtCallCount) */
    GArray *collectives; /* (element-type DtNamedCollectives) */
    GPtrArray *windows;  /* by their numbers, names of the communicators on which this thread made them (borrowed) */
    GArray *locks;       /* (element-type DtLockUse) */
    GArray *open;        /* ids of the open calls, outermost first (element-type guint32) */
    guint32 last_test;   /* that no other call of MPI or of locks came after; 0: none */
} DtCounts;

struct DtFactsReading {
    const DtPass *pass;
    guint run; /* its number in the pass */
    const DtFunctions *functions;
    guint8 *roles;     /* DtRole by function id, also of signatures */
    DtCounts **counts; /* by distinct trace; NULL: not wanted */
};

/** The signature of a call; NULL: its arguments were not recorded. */
static inline const DtSignature *dt_counted_signature(const DtFactsReading *reading, guint32 id)
{
    return dt_functions_get(reading->functions, id)->signature;
}
/** The first argument of that kind, if it is a number; else NULL. */
const DtArgument *dt_find_argument(const DtSignature *signature, guint kind);
/** The call by what members of a communicator have to agree on. `signature` may be NULL. */
DtCollectiveCall dt_collective_call(const DtFactsReading *reading, guint32 id, const DtSignature *signature);

G_END_DECLS

#endif
