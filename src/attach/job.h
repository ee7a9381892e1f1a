/** Who belongs to a job. */
#ifndef DT_ATTACH_JOB_H
#define DT_ATTACH_JOB_H

#include "attach/attach.h"

G_BEGIN_DECLS

/** (element-type DtLiveProcess) labelled and in order; NULL: dt_live_job_new(). *is_whole: DtLiveJob. */
GPtrArray *dt_job_processes(const GArray *pids, gboolean launcher, gboolean *is_whole, GError **error);
/** One more thread, without frames, label and name; borrowed. */
DtLiveThread *dt_job_add_thread(DtLiveProcess *process);
/** Numbers the threads of a process and gives them their labels: the program's, then those of libraries. */
void dt_job_label_threads(DtLiveProcess *process);
/** A thread of a process that has not ended: the first one may, while the others go on, and then nothing can be read by
 * the process's own number. 0: there is none. */
pid_t dt_job_live_thread(pid_t pid);
/** The thread of a process with that id of the kernel's, or NULL; borrowed. */
DtLiveThread *dt_job_find_thread(const DtLiveProcess *process, pid_t tid);

G_END_DECLS

#endif
