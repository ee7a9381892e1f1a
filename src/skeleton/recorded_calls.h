/** The MPI calls of a run, each with all that was recorded of it, as sequences of numbers: equal calls have one. */
#ifndef DT_SKELETON_RECORDED_CALLS_H
#define DT_SKELETON_RECORDED_CALLS_H

#include "skeleton/skeleton.h"
#include "skeleton/walk.h"

G_BEGIN_DECLS

enum { DT_CALL_FIELDS = 24 };

typedef struct {
    guint kind; /* of DtField */
    DtValue value;
} DtCallField;

/** A call as it was made. */
typedef struct {
    guint function; /* index into the skeleton's functions */
    guint count;
    DtCallField fields[DT_CALL_FIELDS];
} DtRecordedCall;

typedef struct {
    guint thread, rank;
    GArray *calls;  /* numbers of calls (element-type guint32) */
    GArray *places; /* where each comes from, in DtRecordedCalls (element-type guint32); NULL: not known */
} DtCallSequence;

typedef struct {
    GPtrArray *calls;     /* DtRecordedCall, by number */
    GHashTable *numbers;  /* DtRecordedCall -> number + 1 */
    GPtrArray *sequences; /* DtCallSequence, by thread and rank */
    GPtrArray *places;    /* "heat.c:60 in exchange", by number; the first is not known */
    GHashTable *between;  /* names of communicators between two groups: peers there are ranks of the other one */
} DtRecordedCalls;

/** Reads all ranks' threads; functions, atoms, communicators and ranks go to the skeleton, which has none yet. */
DtRecordedCalls *dt_recorded_calls_read(const DtRun *run, const DtSkeletonOptions *options, DtSkeleton *skeleton,
                                        GError **error);
/** The calls of a skeleton, without those that say nothing to others unless `all`; where each comes from is its line's
 * comment. Functions, atoms, communicators and ranks go to `skeleton`, which has none yet. DT_SKELETON_ERROR_LARGE:
 * more than DT_SKELETON_MOST_CALLS. O(calls). */
DtRecordedCalls *dt_recorded_calls_of_skeleton(const DtSkeleton *from, gboolean all, DtSkeleton *skeleton,
                                               GError **error);
void dt_recorded_calls_free(DtRecordedCalls *calls);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRecordedCalls, dt_recorded_calls_free)
/** Without any. */
DtRecordedCalls *dt_recorded_calls_new(void);
/** The number of a call, which is copied. O(1). */
guint32 dt_recorded_calls_intern(DtRecordedCalls *calls, const DtRecordedCall *call);
/** That a walk has come to. Atoms are those of its skeleton. O(fields^2). */
DtRecordedCall dt_recorded_call_of_walk(const DtWalk *walk, const DtSkeletonNode *node);
/** Whether a run's skeleton has its calls: a thread of the process that has the rank. */
gboolean dt_trace_is_of_rank(const DtTrace *trace);
/** What others may notice: messages, collectives, windows, files, requests, communicators. */
gboolean dt_call_communicates(const char *name);
/** Makes the skeleton of these calls, whose sequences are in order; functions, atoms and ranks are there. Peers are
 * rewritten. */
void dt_skeleton_merge(DtSkeleton *skeleton, DtRecordedCalls *calls, const DtSkeletonOptions *options);
static inline const DtRecordedCall *dt_recorded_call(const DtRecordedCalls *calls, guint32 number)
{
    return calls->calls->pdata[number];
}

G_END_DECLS

#endif
