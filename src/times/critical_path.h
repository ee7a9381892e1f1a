/**
 * The critical path of a run: what its duration consists of. From the end of the thread that ends last back in time;
 * where a thread waited, on to the one that it waited for.
 *
 * D. Boehme and others: Scalable critical-path based performance analysis. IPDPS 2012. docs/algorithms/wait_states.md.
 */
#ifndef DT_TIMES_CRITICAL_PATH_H
#define DT_TIMES_CRITICAL_PATH_H

#include "times/clocks.h"
#include "times/wait_states.h"

G_BEGIN_DECLS

/** A stretch of it, in one thread. */
typedef struct {
    guint row;
    gint64 begin, end;
    guint waited; /* the call in which the thread before it on the way back waited for this one; DT_NO_CALL: the end */
} DtPathPart;

/** A function's time on the path in one rank. */
typedef struct {
    guint rank;
    guint32 function; /* 0: none that is known */
    gint64 ns;
} DtPathTime;

/** A function's time on the path in all ranks. */
typedef struct {
    guint32 function;
    gint64 ns;
    gint64 mean_ns; /* over the ranks, of all its time in the span */
    guint rank;     /* with most of it on the path */
    gint64 rank_ns;
} DtPathFunction;

typedef struct {
    const DtWaitStates *states;
    GArray *parts;     /* DtPathPart, the last first */
    GArray *times;     /* DtPathTime, most first */
    GArray *functions; /* DtPathFunction, most first */
    gint64 *by_rank;   /* on the path */
    gint64 length_ns;  /* the span's, exactly */
} DtCriticalPath;

/** `states` is borrowed; `clocks`: by which its times were corrected. What functions do between two times is told by
 * their shares (attribution.h). NULL if a trace cannot be read. O(events + parts log calls). */
DtCriticalPath *dt_critical_path_new(const DtWaitStates *states, const DtClocks *clocks, GError **error);
void dt_critical_path_free(DtCriticalPath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCriticalPath, dt_critical_path_free)

G_END_DECLS

#endif
