/** The views of `difftrace times`, a function each; times.c opens the run for them and has the table. */
#ifndef DT_COMMANDS_TIMES_VIEWS_H
#define DT_COMMANDS_TIMES_VIEWS_H

#include "filters/filters.h"
#include "report/times/times_report.h"

G_BEGIN_DECLS

/** What was asked for, with the run open; all borrowed. */
typedef struct {
    DtTimesShown shown;      /* the run, the filter, width and number of rows */
    const GPtrArray *traces; /* DtTrace, in the run's order */
    const char *filter;      /* as it was given, or NULL */
    gboolean with_arguments;
    gboolean until_now; /* what runs lasts until now */
    guint jobs;         /* at least 1 */
    DtReportFormat format;
} DtTimesAsked;

/** The report, or NULL; g_free(). Warnings are told by the view. */
typedef char *(*DtTimesView)(const DtTimesAsked *asked, GError **error);

char *dt_times_by_call(const DtTimesAsked *asked, GError **error);
char *dt_times_by_function(const DtTimesAsked *asked, GError **error);
char *dt_times_by_balance(const DtTimesAsked *asked, GError **error);
char *dt_times_by_iteration(const DtTimesAsked *asked, GError **error);
char *dt_times_over_time(const DtTimesAsked *asked, GError **error);
char *dt_times_by_rank(const DtTimesAsked *asked, GError **error);
/* Of all ranks, by matched messages and collective calls. */
char *dt_times_waits(const DtTimesAsked *asked, GError **error);
char *dt_times_critical_path(const DtTimesAsked *asked, GError **error);
char *dt_times_timeline(const DtTimesAsked *asked, GError **error);
char *dt_times_by_site(const DtTimesAsked *asked, GError **error);
char *dt_times_by_link(const DtTimesAsked *asked, GError **error);
char *dt_times_matrix_bytes(const DtTimesAsked *asked, GError **error);
char *dt_times_matrix_messages(const DtTimesAsked *asked, GError **error);
char *dt_times_matrix_wait(const DtTimesAsked *asked, GError **error);

/** Moments that a picture over time tells apart: in a text as many as the width has room for. */
guint dt_times_columns(const DtTimesAsked *asked);
/** Tells what is damaged: lines of text, each with the run in front. */
void dt_times_warn(const DtTimesAsked *asked, const GPtrArray *problems);

G_END_DECLS

#endif
