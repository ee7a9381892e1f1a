/** Who belongs to a job. */
#ifndef DT_ATTACH_JOB_H
#define DT_ATTACH_JOB_H

#include "attach/attach.h"

G_BEGIN_DECLS

/** (element-type DtAttachedProcess) labelled and in order; NULL: dt_attached_job_new(). *is_whole: DtAttachedJob. */
GPtrArray *dt_job_processes(const GArray *pids, gboolean launcher, gboolean *is_whole, GError **error);
/** One more thread, without frames, label and name; borrowed. */
DtAttachedThread *dt_job_add_thread(DtAttachedProcess *process);
/** Numbers the threads of a process and gives them their labels: the program's, then those of libraries. */
void dt_job_label_threads(DtAttachedProcess *process);
/** A thread of a process that has not ended: the first one may, while the others go on, and then nothing can be read by
 * the process's own number. 0: there is none. */
pid_t dt_job_live_thread(pid_t pid);
/** The thread of a process with that id of the kernel's, or NULL; borrowed. */
DtAttachedThread *dt_job_find_thread(const DtAttachedProcess *process, pid_t tid);

G_END_DECLS

#endif
