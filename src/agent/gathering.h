/**
 * A collector's end of a run whose files are on the disks of its nodes: what an agent sends of them is written here, so
 * that the run is whole for every command. One collector on a host does so at a time. docs/agents.md
 */
#ifndef DT_AGENT_GATHERING_H
#define DT_AGENT_GATHERING_H

#include "agent/messages.h"

G_BEGIN_DECLS

/** Of one other host. */
typedef struct DtGathering DtGathering;
/** NULL: another collector here does it, or nobody may, as the run is complete. */
DtGathering *dt_gathering_new(const char *run, const char *host);
void dt_gathering_free(DtGathering *gathering);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGathering, dt_gathering_free)

/** Writes a PIECE, if the file is one that came from there. FALSE with an error: there is no room, say. */
gboolean dt_gathering_take(DtGathering *gathering, const DtAgentMessage *piece, GError **error);

G_END_DECLS

#endif
