/** What agents on other hosts tell of the threads there, kept by host; docs/agents.md. */
#ifndef DT_LIVE_REMOTE_H
#define DT_LIVE_REMOTE_H

#include "live/kernel.h"

G_BEGIN_DECLS

/** A thread, as its own host sees it. */
typedef struct {
    guint32 number; /* T of the label P.T; for library threads the letter's number */
    gboolean library;
    guint32 tid;
    guint64 words;         /* its position */
    DtKernelThread kernel; /* not known: it is gone */
} DtNodeThread;

/** A process, as its own host sees it. */
typedef struct {
    guint32 pid;
    guint64 start_ns; /* monotonic, there: it and the pid name the process */
    gboolean is_gone;
    GArray *threads; /* (element-type DtNodeThread) */
} DtNodeProcess;

void dt_node_process_clear(DtNodeProcess *process);
/** (element-type DtNodeProcess), which owns the threads. */
GArray *dt_node_processes_new(void);

typedef struct DtRemote DtRemote;
DtRemote *dt_remote_new(void);
void dt_remote_free(DtRemote *remote);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRemote, dt_remote_free)

/** What is known of the host is now this; `processes` (element-type DtNodeProcess) is kept, and sorted. O(p log p). */
void dt_remote_take(DtRemote *remote, const char *host, GArray *processes, gint64 now_us);

enum { DT_REMOTE_OLD_SECONDS = 5 /* after it nothing is known any more */ };
/** NULL: nothing was told of it lately. Borrowed until more is told. O(log p). */
const DtNodeProcess *dt_remote_process(const DtRemote *remote, const char *host, guint32 pid, guint64 start_ns,
                                       gint64 now_us);
/** The same of a thread. O(threads of the process). `heard_us`: when; may be NULL. */
const DtNodeThread *dt_remote_thread(const DtRemote *remote, const char *host, guint32 pid, guint64 start_ns,
                                     gboolean library, guint32 number, gint64 now_us, gint64 *heard_us);

G_END_DECLS

#endif
