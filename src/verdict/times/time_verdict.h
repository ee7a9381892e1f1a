/** What is told of the times of runs: for those who are given a verdict. */
#ifndef DT_VERDICT_TIMES_TIME_VERDICT_H
#define DT_VERDICT_TIMES_TIME_VERDICT_H

#include "store/symbols/source_lines.h"
#include "verdict/verdict.h"

G_BEGIN_DECLS

/**
 * Of runs that all ended and make the same calls. NULL without an error: not all have times, or no trace that all have
 * does. dt_time_verdict_unref().
 */
DtTimeVerdict *dt_time_verdict_new(const DtVerdictRuns *runs, DtSourceLines *lines, guint jobs, GError **error);

/**
 * Lets it speak in a verdict that names no suspect: in its sentence behind the `cautions` that this begins with, its
 * suspects and its scope. Takes it over; `weight` 0..1: of the scores.
 */
void dt_verdict_add_times(DtVerdict *verdict, DtTimeVerdict *times, const DtRun *faulty, guint normals,
                          const char *cautions, gdouble weight);

G_END_DECLS

#endif
