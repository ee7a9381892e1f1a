/** Rows of the time matrix: traces, or, where there are too many to be seen, those that are alike in one row. */
#ifndef DT_REPORT_TIMES_OVER_TIME_ROWS_H
#define DT_REPORT_TIMES_OVER_TIME_ROWS_H

#include "times/call_times.h"

G_BEGIN_DECLS

typedef struct {
    GPtrArray *labels; /* (element-type utf8): "0-14,16" */
    guint columns, traces;
    gdouble *shares; /* by row, columns within: share of MPI, a mean over the row's traces */
    gdouble
        apart; /* traces of one row differ by no more from its first one, as a mean over columns; 0: rows are traces */
} DtOverTimeRows;

/**
 * Of at most `most` traces each is a row. More are put together: a trace belongs to the first row whose first trace it
 * differs from by so little, on average over the columns, that there are at most `most` rows. `shown`: only so many
 * traces, each a row; 0: all. O(traces * rows * columns), up to a dozen times.
 */
DtOverTimeRows *dt_over_time_rows_new(const DtCallTimes *times, guint shown, guint most);
void dt_over_time_rows_free(DtOverTimeRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtOverTimeRows, dt_over_time_rows_free)

G_END_DECLS

#endif
