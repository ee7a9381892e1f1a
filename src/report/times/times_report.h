/** Where the time of a run went. Internal. */
#ifndef DT_REPORT_TIMES_TIMES_REPORT_H
#define DT_REPORT_TIMES_TIMES_REPORT_H

#include "report/report.h"
#include "times/call_times.h"
#include "times/function_times.h"
#include "times/loop_passes.h"

G_BEGIN_DECLS

/** What all of these reports need to know. */
typedef struct {
    const DtRun *run;
    guint width;            /* of the text in characters, 0: any */
    guint top;              /* rows at most; 0: all */
    const DtFilterSet *set; /* functions that have a row; NULL: all */
} DtTimesShown;

/** Calls by how long they took together. Text, TSV, JSON. */
char *dt_report_call_times(const DtTimesShown *shown, const DtCallTimes *times, DtReportFormat format, GError **error);
/** Traces, by how their time divides. Text, TSV, JSON. */
char *dt_report_trace_times(const DtTimesShown *shown, const DtCallTimes *times, DtReportFormat format, GError **error);
/** Functions of traces (DtFunctionTimes), by what they took themselves; with `balance` by what the traces lost because
 * one took longer than their mean. Text, TSV, JSON. */
char *dt_report_function_times(const DtTimesShown *shown, const GPtrArray *times, gboolean balance,
                               DtReportFormat format, GError **error);
/** Passes of a loop, slow ones marked: more than 1.5 times the median work, somewhere. Text, TSV, JSON. */
char *dt_report_loop_passes(const DtTimesShown *shown, const DtLoopPasses *passes, DtReportFormat format,
                            GError **error);
/** The share of MPI in each of the columns that the run was cut into, a row a trace. Text, TSV, JSON, SVG. */
char *dt_report_over_time(const DtTimesShown *shown, const DtCallTimes *times, DtReportFormat format, GError **error);

G_END_DECLS

#endif
