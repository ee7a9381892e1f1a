/** Who in a wait-for graph will wait for ever, if those who run may do anything. */
#ifndef DT_LIVE_CLOSURE_H
#define DT_LIVE_CLOSURE_H

#include "waitfor/waitfor.h"

G_BEGIN_DECLS

/** What is known of one of the graph's waiters beside the graph. */
typedef struct {
    gboolean is_free;    /* it runs, or nobody knows what it does: it may come to anything */
    gboolean is_unclear; /* it waits for others of the job, but nobody knows for whom: for any that can come */
    gboolean is_idle;    /* a thread that does nothing until another one of its process gives it something to do */
    gboolean uses_mpi;   /* or may */
} DtClosureNode;

/**
 * By waiter of `waits`, TRUE for those that wait, and for whom nobody can do what they wait for: neither one that is
 * free, nor one that would get on if those who are free came. Threads of the awaited process that use MPI can do what
 * is waited for in a call of MPI; elsewhere it is the thread itself. A waiter whose call may end, or that waits for
 * nobody that is known, can go on, unless it is unclear. `nodes` is in the order of the waiters. g_free(). O(threads x
 * edges) at worst.
 */
gboolean *dt_closure_find(const DtWaitFor *waits, const DtClosureNode *nodes);

G_END_DECLS

#endif
