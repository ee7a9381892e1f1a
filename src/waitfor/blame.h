/** Whose fault it is that the graph does not dissolve. */
#ifndef DT_WAITFOR_BLAME_H
#define DT_WAITFOR_BLAME_H

#include "waitfor/edges.h"

G_BEGIN_DECLS

typedef struct {
    double weight; /* any number from 0 on */
    char *reason;  /* of the largest part of it, NULL if none */
    double part;   /* that part */
} DtBlame;

/** Per node of a trace; edges->facts->len entries. `components` of the graph. */
DtBlame *dt_blame_new(const DtEdges *edges, const guint *components, guint component_count);
void dt_blame_free(DtBlame *blame, guint count);

/** TRUE for the nodes of a component that wait in vain: for each other, or for themselves, and for nobody else. */
gboolean *dt_deadlocked_nodes(const DtEdges *edges, const guint *components, guint component_count);

/** By component, TRUE where a node's edges are a guess, or its call may have returned meanwhile; g_free(). */
gboolean *dt_unproved_components(const DtEdges *edges, const guint *components, guint component_count);

G_END_DECLS

#endif
