/** The agent of this node, which tells of the run's processes here: docs/agents.md. */
#ifndef DT_NATIVE_AGENT_H
#define DT_NATIVE_AGENT_H

/**
 * Starts it, if the collector asked for agents and is on another host, and nobody here has started one. Before the
 * program's main(), once the process has its file. The program sees nothing of it.
 */
void dt_agent_start(void);

#endif
