/** What a job does, as a text of lines that fit, JSON, or a page of its own. */
#ifndef DT_REPORT_LIVE_REPORT_H
#define DT_REPORT_LIVE_REPORT_H

#include "live/classes.h"
#include "report/report.h"

G_BEGIN_DECLS

/** What is shown of a job at one time; all of it borrowed. */
typedef struct {
    const char *run; /* its path */
    const DtFunctions *functions;
    const GPtrArray *classes; /* (element-type DtLiveClass) */
    const DtLiveTotals *totals;
    const char *waits;       /* who waits for whom, a sentence without a full stop; NULL: not known */
    gdouble stuck_seconds;   /* 0: it is not stuck */
    const GPtrArray *unseen; /* (element-type utf8): what is not seen of other nodes, a line each; NULL: none */
    gboolean iterations;     /* are shown */
    guint width;             /* characters; 0: no limit */
} DtLiveReport;

/** Who waits for whom, in a sentence without a full stop. `for_ever`: by waiter, who waits for what cannot come; then a
 * deadlock of these comes first, and who is to blame. NULL: nobody, and nobody is blamed; NULL if there is nothing to
 * say. */
char *dt_report_live_waits(const DtWaitFor *waits, const gboolean *for_ever);
/** The same as lines of that width, with all who wait. */
char *dt_report_live_waiters(const DtWaitFor *waits, const gboolean *for_ever, guint width);

/** The parts of the text, each fit to the width, without line feeds. */
typedef struct {
    char *head;
    char *headings;
    GPtrArray *rows; /* (element-type utf8): of the classes, in their order */
    GPtrArray *foot; /* (element-type utf8): no line if all is well */
} DtLiveLines;

DtLiveLines *dt_live_lines_new(const DtLiveReport *what);
void dt_live_lines_free(DtLiveLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLiveLines, dt_live_lines_free)

/** The threads of one class, a line each; (element-type utf8), the headings first. */
GPtrArray *dt_live_member_lines(const DtLiveReport *what, const DtLiveClass *class);

/** As text, or as JSON on one line. NULL and an error if there is no such format. */
char *dt_report_live(const DtLiveReport *what, DtReportFormat format, GError **error);

/** An HTML page that needs nothing else, and asks for itself again after so many seconds, until the job has ended. */
char *dt_report_live_page(const DtLiveReport *what, gdouble period);

G_END_DECLS

#endif
