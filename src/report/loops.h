/** Elements and loop bodies as text and JSON. Internal to the reports. */
#ifndef DT_REPORT_LOOPS_H
#define DT_REPORT_LOOPS_H

#include "report/json.h"
#include "report/report.h"

G_BEGIN_DECLS

/** The bodies that elements mention, directly or inside other bodies: adds their ids to `bodies` (a set). */
void dt_bodies_gather(const DtLoopTable *table, DtElements elements, GHashTable *bodies);
/** The same through calls of a call tree; adds these (DtCallNode) to `nodes`. `tree` may be NULL. */
void dt_reach_gather(const DtLoopTable *table, const DtCallTree *tree, DtElements elements, GHashTable *bodies,
                     GHashTable *nodes);
/** "solve{3} = [MPI_Send MPI_Recv]", a line each, in the order of the tree. */
void dt_nodes_append_text(GString *out, GHashTable *nodes, const DtCallTree *tree, const DtFunctions *functions);
/** "nodes": {"solve{3}": ["MPI_Send", "MPI_Recv"]}; nothing if there is none. */
void dt_nodes_add_json(JsonBuilder *builder, GHashTable *nodes, const DtCallTree *tree, const DtFunctions *functions);
/** Ids of a set in ascending order; (element-type guint32); g_array_unref(). */
GArray *dt_bodies_sorted(GHashTable *bodies);
/** The bodies that a diffNLR mentions, sorted, also through its calls, whose nodes go to `nodes`. */
GArray *dt_reach_of_diff(const DtLoopTable *table, const DtCallTree *tree, const DtDiffNlr *diff, GHashTable *nodes);

/** "L0 = [MPI_Send MPI_Recv]", a line each. */
void dt_bodies_append_text(GString *out, const GArray *bodies, const DtLoopTable *table, const DtFunctions *functions);
/** "bodies": {"L0": ["MPI_Send", "MPI_Recv"]} */
void dt_bodies_add_json(JsonBuilder *builder, const GArray *bodies, const DtLoopTable *table,
                        const DtFunctions *functions);
/** An array of element texts, "L0^4" for a loop. */
void dt_elements_add_json(JsonBuilder *builder, const char *name, DtElements elements, const DtFunctions *functions);

G_END_DECLS

#endif
