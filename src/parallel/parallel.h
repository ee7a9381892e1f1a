/**
 * Processes that do one analysis together, such as the ranks of an MPI job: summing up what each found, and telling
 * all. How bytes get from one to the other is the link's business.
 *
 * All functions are collective: every member calls them, in the same order. The root is rank 0.
 */
#ifndef DT_PARALLEL_PARALLEL_H
#define DT_PARALLEL_PARALLEL_H

#include <glib.h>

G_BEGIN_DECLS

#define DT_PARALLEL_ERROR (dt_parallel_error_quark())
typedef enum { DT_PARALLEL_ERROR_MEMBER, DT_PARALLEL_ERROR_LAUNCHER } DtParallelError;
GQuark dt_parallel_error_quark(void);

/** A member's view. Where it is optional, NULL is a process that works alone. */
typedef struct {
    guint rank, size;
    gpointer link;
    /* Bytes of one member arrive at another in the order in which they were sent. */
    void (*send)(gpointer link, guint to, GBytes *bytes);
    GBytes *(*receive)(gpointer link, guint from);
} DtParallel;

static inline gboolean dt_parallel_is_root(const DtParallel *parallel)
{
    return !parallel || parallel->rank == 0;
}

/** Makes one of two: `lower` is that of members before those of `higher`. Takes neither. */
typedef GBytes *(*DtParallelCombine)(GBytes *lower, GBytes *higher);
/**
 * What `combine`, which must be associative, makes of all members' bytes in the order of their ranks, by a binomial
 * tree: nobody receives more than log2(size) times. The root gets it, the others NULL. Takes `own`.
 */
GBytes *dt_parallel_reduce(const DtParallel *parallel, GBytes *own, DtParallelCombine combine);
/** To all, what the root has (the others' is not looked at, and may be NULL). Takes `roots`. */
GBytes *dt_parallel_broadcast(const DtParallel *parallel, GBytes *roots);

/** One after the other. */
GBytes *dt_parallel_concatenate(GBytes *lower, GBytes *higher);

/**
 * TRUE if no member has a `problem` and all do the same `task`; else all of them get the first problem as their error,
 * with the rank that has it if that is not the root.
 */
gboolean dt_parallel_agree(const DtParallel *parallel, const char *task, const GError *problem, GError **error);

/** The share of a member in a row of `count`: from *first to before *end. All of it for NULL. */
void dt_parallel_share(const DtParallel *parallel, guint count, guint *first, guint *end);

G_END_DECLS

#endif
