/** What simulations of a skeleton come to: as who waits for whom at the end of a run is told. */
#ifndef DT_REPORT_SIMULATION_REPORT_H
#define DT_REPORT_SIMULATION_REPORT_H

#include "report/json.h"
#include "report/report.h"
#include "simulate/simulate.h"

G_BEGIN_DECLS

/** Text, in `width` characters (0: any), TSV, JSON; of one skeleton simulated in several ways (element-type
 * DtSimulation). */
char *dt_report_simulations(const GPtrArray *simulations, guint width, DtReportFormat format, GError **error);

/** Members of the current object: summary, traces, cycles, as in `difftrace waits --json`. */
void dt_json_add_waits(JsonBuilder *builder, const DtWaitFor *waits);

G_END_DECLS

#endif
