/** The stacks of processes that run now. */
#ifndef DT_REPORT_ATTACHED_STACKS_H
#define DT_REPORT_ATTACHED_STACKS_H

#include "attach/attach.h"
#include "report/report.h"

G_BEGIN_DECLS

/** What is shown of them. */
typedef struct {
    gboolean arguments, lines;
    gboolean depths;    /* frames of libraries behind the call that the program made, and threads that only these run */
    const char *thread; /* label of the one to be shown, NULL: all */
    guint ranks;        /* of the job, here or elsewhere; 0: it has none */
    guint ranks_seen;   /* those whose stacks are known */
} DtAttachedView;

/** One stack a thread. Text, TSV, JSON. */
char *dt_report_attached_stacks(const DtAttachedJob *job, const DtAttachedView *view, DtReportFormat format,
                                GError **error);
/** All merged into a tree. `job` must outlive it. */
DtStackTree *dt_attached_stack_tree(const DtAttachedJob *job, const DtAttachedView *view);

G_END_DECLS

#endif
