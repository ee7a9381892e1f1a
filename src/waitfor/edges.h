/** The wait-for graph of a set of facts, with nodes of its own for what many wait for together. */
#ifndef DT_WAITFOR_EDGES_H
#define DT_WAITFOR_EDGES_H

#include "waitfor/facts.h"
#include "waitfor/graph.h"

G_BEGIN_DECLS

/** Messages that a call waits for. */
typedef struct {
    DtTransfer first;
    guint count; /* 0: none, or none that is known */
} DtAwaited;

/** What it takes at least that a call ends; edges may be more, as those who are late are to blame, too. */
typedef struct {
    gboolean may_end; /* it can end without an act of others, as far as is known */
    gboolean by_some; /* some of those that it waits for may be enough */
    GArray *needs;    /* nodes without each of which it cannot end (element-type guint); NULL: none that is known */
} DtRelease;

typedef struct {
    const GPtrArray *facts; /* (element-type DtFacts); their indices are nodes */
    const DtMembers *members;
    const DtFunctions *functions; /* NULL: names of collective calls are not known */
    GHashTable *rank_nodes;       /* rank in MPI_COMM_WORLD -> node + 1 of its thread that calls MPI */
    GHashTable *rank_threads;     /* rank + 1 -> nodes of all its threads (element-type guint) */
    GHashTable *shared;           /* key of what is waited for together -> node (element-type guint) */
    DtWaitGraph *graph;
    guint *waiting; /* per node of a trace: how many traces wait for it directly */
    DtWaitMode *modes;
    DtAwaited *awaited;  /* per node: messages that it waits for */
    GHashTable *met;     /* nodes of collective calls to which all members came (element-type guint) */
    DtRelease *releases; /* per node */
    guint ranks;         /* of the job, seen or not; 0: it has none */
    gboolean *guessed;   /* per node: for whom it waits is not known, and its edges lead to all who may be meant */
} DtEdges;

DtEdges *dt_edges_new(const GPtrArray *facts, const DtMembers *members, const DtFunctions *functions);
void dt_edges_free(DtEdges *edges);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtEdges, dt_edges_free)

static inline const DtFacts *dt_edges_facts(const DtEdges *edges, guint node)
{
    return g_ptr_array_index(edges->facts, node);
}
/** Node of a rank, or G_MAXUINT. */
guint dt_edges_node_of(const DtEdges *edges, gint rank);
/** Messages sent from one rank to another less those that were asked for, with that tag; wildcards count for all. */
gint64 dt_edges_surplus(const DtEdges *edges, const DtTransfer *transfer, gint rank);

/** TRUE if messages with these tags may be meant for each other, wildcards and unknown ones included. */
gboolean dt_same_tag(gint64 a, gint64 b);

G_END_DECLS

#endif
