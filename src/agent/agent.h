/**
 * A job on several nodes: an agent on each node that tells what its kernel and its files say of the run's processes
 * there, and a collector that listens to the agents, and may ask them to end these processes. docs/agents.md
 */
#ifndef DT_AGENT_AGENT_H
#define DT_AGENT_AGENT_H

#include "live/live.h"

G_BEGIN_DECLS

/* ---- on each node ------------------------------------------------------------------------------ */

/**
 * Is the agent of this node for the run until it is needed no more: until the run's processes here have ended and none
 * has come for some seconds, or have been ended, or nobody has listened for long. FALSE with an error: it cannot be
 * one.
 */
gboolean dt_agent_run(const char *run, GError **error);

/* ---- at the collector --------------------------------------------------------------------------- */

typedef struct DtNodes DtNodes;
/**
 * Listens, and says so in the run: on `address`, or, if that is NULL, on the one that `collect` was given, or on those
 * that the agents there are need, from now on: loopback as long as all are on this host, else the addresses from which
 * this host reaches theirs. NULL with an error; DT_AGENTS_ERROR_NOT_THERE: the run has no agents.
 */
DtNodes *dt_nodes_new(const char *run, const char *address, GError **error);
void dt_nodes_free(DtNodes *nodes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtNodes, dt_nodes_free)

/** Waits for so long at most, or until something comes; 0: not at all. What has come goes to `live`, if there is one.
 */
void dt_nodes_take(DtNodes *nodes, DtLive *live, gdouble seconds);
/** The same again and again until all nodes that have an agent are heard, for so long at most. */
void dt_nodes_meet(DtNodes *nodes, DtLive *live, gdouble seconds);
/**
 * Files of nodes that have the run on their own disks are written here as agents send them, to whoever listens with a
 * `live`: so they are there at the next refresh. From now on all of them, as the job has ended; other collectors of
 * this host leave it to us.
 */
void dt_nodes_gather_last(DtNodes *nodes);
/** TRUE when all that can be had is there. */
gboolean dt_nodes_have_gathered(const DtNodes *nodes);
/** How many agents have proved themselves so far, and how many reports have come. */
guint dt_nodes_heard(const DtNodes *nodes);
guint64 dt_nodes_reports(const DtNodes *nodes);
/** What is to be told, a line each, and was not yet; (element-type utf8). */
GPtrArray *dt_nodes_news(DtNodes *nodes);
/** How many connections were refused that had not proved to be agents; the first one is told among the news. */
guint dt_nodes_refused(const DtNodes *nodes);
/**
 * Of which nodes processes are there that are not seen, and why, a line each; (element-type utf8). `nodes` may be
 * NULL: nobody listens. Borrows nothing. O(processes).
 */
GPtrArray *dt_nodes_unseen(const DtNodes *nodes, const DtLive *live);

/** Asks all agents that are there, or come, to end their processes: SIGTERM, and SIGKILL after a grace. */
void dt_nodes_end(DtNodes *nodes, gdouble grace_seconds);
/** How many nodes have an agent; of them `*asked` were asked so far. */
guint dt_nodes_asked(const DtNodes *nodes, guint *asked);
/**
 * TRUE when each node that has an agent has done so, or must be given up. Then `problems` (element-type utf8) gets a
 * line for each where processes may be left.
 */
gboolean dt_nodes_have_ended(DtNodes *nodes, GPtrArray *problems);

G_END_DECLS

#endif
