/** What matched messages and collective calls tell of a run's time. Internal. */
#ifndef DT_REPORT_TIMES_MESSAGES_REPORT_H
#define DT_REPORT_TIMES_MESSAGES_REPORT_H

#include "report/json.h"
#include "report/times/times_report.h"
#include "times/clocks.h"
#include "times/critical_path.h"
#include "times/links.h"

G_BEGIN_DECLS

/** What these reports are made of; all borrowed. */
typedef struct {
    const DtTimesShown *shown;
    const DtMessages *messages;
    const DtClocks *clocks;
} DtMessagesShown;

/** Who waited for whom. Text, TSV, JSON; DOT and SVG: for whom each rank waited most. */
char *dt_report_wait_states(const DtMessagesShown *shown, const DtWaitStates *states, DtReportFormat format,
                            GError **error);
/** Text, TSV, JSON. */
char *dt_report_critical_path(const DtMessagesShown *shown, const DtCriticalPath *path, DtReportFormat format,
                              GError **error);
/** Messages by sender and receiver. Text, TSV, JSON. */
char *dt_report_links(const DtMessagesShown *shown, const DtLinks *links, DtReportFormat format, GError **error);

/** Calls by where they stand in the program, those that took longest first. Text, TSV, JSON. */
char *dt_report_site_times(const DtMessagesShown *shown, DtReportFormat format, GError **error);

typedef enum { DT_MATRIX_BYTES, DT_MATRIX_MESSAGES, DT_MATRIX_WAIT } DtMatrixOf;
/** Rank by rank, the sender's or the waiting one's row: text of up to 32 ranks, TSV, JSON, SVG. `states` only of waits.
 */
char *dt_report_time_matrix(const DtMessagesShown *shown, DtMatrixOf of, const DtLinks *links,
                            const DtWaitStates *states, DtReportFormat format, GError **error);

/** What each thread did over time: its own code, calls, waits. Text, TSV, JSON, SVG. `columns`: how many moments. */
char *dt_report_timeline(const DtMessagesShown *shown, const DtWaitStates *states, guint columns, DtReportFormat format,
                         GError **error);

/* ---- for these reports ----------------------------------------------------------------------- */

/** "5" */
const char *dt_rank_label(const DtMessages *messages, guint rank);
/** Lines on what was matched, and on clocks of other hosts, for the end of a text. */
void dt_append_matched(GString *out, const DtMessagesShown *shown);
/** Members "span_ns", "ranks", "matched", "unmatched", "clocks". */
void dt_json_matched(JsonBuilder *builder, const DtMessagesShown *shown);

G_END_DECLS

#endif
