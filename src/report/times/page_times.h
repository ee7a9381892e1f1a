/** What report.html shows of times: of the normal and of the faulty run, side by side. Internal. */
#ifndef DT_REPORT_TIMES_PAGE_TIMES_H
#define DT_REPORT_TIMES_PAGE_TIMES_H

#include "report/json.h"
#include "report/page.h"
#include "times/clocks.h"
#include "times/links.h"
#include "times/timeline.h"

G_BEGIN_DECLS

/** A function, in all traces of a run. In ns. */
typedef struct {
    guint64 calls, exclusive_ns, told_ns; /* told: DtFunctionTime */
    guint64 most_ns;                      /* of the trace with most */
    guint most;                           /* which row that is */
} DtPageFunction;

/** A run's times; {0}: it has none. */
typedef struct {
    const DtRun *run;
    DtMessages *messages;
    DtClocks *clocks;
    DtWaitStates *states;
    DtLinks *links;
    guint *row_of;       /* by the messages' row; DT_NO_CALL: not shown */
    gint64 begin, end;   /* of what is shown */
    gint64 zero;         /* the moment at which the runs are aligned */
    DtTimeline *rows;    /* a group a row */
    DtTimeline *classes; /* a group a class */
    GArray *functions;   /* DtPageFunction by id */
} DtPageRunTimes;

/** What moment of both runs is the same in the picture. */
typedef enum { DT_ALIGNED_AT_DEPARTURE, DT_ALIGNED_AT_INIT, DT_ALIGNED_AT_BEGIN } DtPageAlignment;

struct DtPageTimes {
    DtPageAlignment alignment;
    char *departing;    /* the trace that departs */
    GPtrArray *labels;  /* const char *: rows, threads of either run, borrowed */
    GArray *class_of;   /* guint by row: threads that do the same in each run; those of suspects are first */
    guint classes;      /* at most DT_PAGE_CLASSES */
    gboolean remainder; /* the last class is of all that are in no larger one */
    DtPageRunTimes runs[2];
};

/** "times" */
void dt_page_add_times(JsonBuilder *builder, const DtPage *page);
/** Members of it: "functions"; "links" and "most_waited". */
void dt_page_add_profile(JsonBuilder *builder, const DtPageTimes *times);
void dt_page_add_ranks(JsonBuilder *builder, const DtPageTimes *times);

G_END_DECLS

#endif
