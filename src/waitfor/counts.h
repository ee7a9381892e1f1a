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

/** What the functions of an analysis mean to those who wait. */
typedef struct {
    const DtFunctions *functions;
    GArray *roles;  /* DtRole by function id, also of signatures (element-type guint8) */
    GArray *pauses; /* DtPause, likewise (element-type guint8) */
} DtCallRoles;

DtCallRoles *dt_call_roles_new(const DtFunctions *functions);
void dt_call_roles_free(DtCallRoles *roles);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCallRoles, dt_call_roles_free)
/** Finds those of functions that came since. O(their number). */
void dt_call_roles_update(DtCallRoles *roles);
static inline DtRole dt_role_of_id(const DtCallRoles *roles, guint32 id)
{
    return (DtRole)g_array_index(roles->roles, guint8, id);
}

enum { DT_MOST_TESTS = 32 };

/** Of all traces with the same events. */
typedef struct {
    GArray *calls;       /* by ascending id (element-type DtCallCount) */
    GArray *collectives; /* (element-type DtNamedCollectives) */
    GPtrArray *windows;  /* by their numbers, names of the communicators on which this thread made them (borrowed) */
    GArray *locks;       /* (element-type DtLockUse) */
    GArray *open;        /* ids of the open calls, outermost first (element-type guint32) */
    guint32 last_test;   /* that no other call of MPI or of locks came after; 0: none */
    GArray *tests;       /* all different ones since such a call, the first DT_MOST_TESTS (element-type guint32) */
} DtCounts;

DtCounts *dt_counts_new(void);
void dt_counts_free(DtCounts *counts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCounts, dt_counts_free)
/** Of the calls of functions with one role. O(calls). */
guint64 dt_counts_of_role(const DtCounts *counts, const DtCallRoles *roles, DtRole role);

/** Counting the events of one trace after the other, by one thread. */
typedef struct DtCounting DtCounting;
/** `roles` is borrowed, and may be updated between traces. */
DtCounting *dt_counting_new(const DtCallRoles *roles);
void dt_counting_free(DtCounting *counting);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCounting, dt_counting_free)
/** What follows is added to `counts`, until dt_counting_end(). */
void dt_counting_begin(DtCounting *counting, DtCounts *counts);
void dt_counting_follow(DtCounting *counting, const DtCallBatch *batch);
/** `open`: ids of the calls that are open now, outermost first. */
void dt_counting_end(DtCounting *counting, const guint32 *open, guint depth);

struct DtFactsReading {
    const DtPass *pass;
    guint run; /* its number in the pass */
    DtCallRoles *roles;
    DtCounts **counts; /* by distinct trace; NULL: not wanted */
};

/** The signature of a call; NULL: its arguments were not recorded. */
static inline const DtSignature *dt_counted_signature(const DtCallRoles *roles, guint32 id)
{
    return dt_functions_get(roles->functions, id)->signature;
}
/** The first argument of that kind, if it is a number; else NULL. */
const DtArgument *dt_find_argument(const DtSignature *signature, guint kind);
/** The call by what members of a communicator have to agree on. `signature` may be NULL. */
DtCollectiveCall dt_collective_call(const DtCallRoles *roles, guint32 id, const DtSignature *signature);

/** What counts mean: facts on each trace of the application, for the graph. */
typedef struct {
    GPtrArray *facts; /* (element-type DtFacts), in the order of the run's traces */
    DtMembers *members;
} DtMeaning;
/** `counts` by trace of the run; NULL: of libraries. `to`: the positions that they go up to; NULL: the ends. NULL if
 * notes cannot be read. */
DtMeaning *dt_meaning_new(const DtRun *run, const DtCallRoles *roles, const DtCounts *const *counts, const guint64 *to,
                          GError **error);
void dt_meaning_free(DtMeaning *meaning);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtMeaning, dt_meaning_free)

G_END_DECLS

#endif
