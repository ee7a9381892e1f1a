/** The end of a job on its other nodes: `difftrace agent --end` and `--gather`, children of the collector. */
#ifndef DT_COLLECT_REMOTE_END_H
#define DT_COLLECT_REMOTE_END_H

#include <glib.h>
#include <sys/types.h>

/** Asks the agents of the run's nodes, if it has any, to end its processes there, and waits until they were asked, or
 * for three seconds. The child's pid; 0: there is nobody
 * to ask; -1 with errno. It ends by itself, after some seconds, and tells what went wrong. */
pid_t dt_remote_end_start(const char *run);

/** Has the agents send the run's files that are on their nodes' disks, when the job has ended, and waits until all that
 * can be had is there. */
void dt_remote_files_gather(const char *run);

#endif
