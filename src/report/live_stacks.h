/** The stacks of processes that run now. */
#ifndef DT_REPORT_LIVE_STACKS_H
#define DT_REPORT_LIVE_STACKS_H

#include "attach/attach.h"
#include "report/report.h"

G_BEGIN_DECLS

/** What is shown of them. */
typedef struct {
    gboolean arguments, lines;
    gboolean depths;    /* frames of libraries behind the call that the program made, and threads that only these run */
    const char *thread; /* label of the one to be shown, NULL: all */
} DtLiveView;

/** One stack a thread. Text, TSV, JSON. */
char *dt_report_live_stacks(const DtLiveJob *job, const DtLiveView *view, DtReportFormat format, GError **error);
/** All merged into a tree. `job` must outlive it. */
DtStackTree *dt_live_stack_tree(const DtLiveJob *job, const DtLiveView *view);

G_END_DECLS

#endif
