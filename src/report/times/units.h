/** Times and amounts as these reports write them. Internal. */
#ifndef DT_REPORT_TIMES_UNITS_H
#define DT_REPORT_TIMES_UNITS_H

#include "report/table.h"

G_BEGIN_DECLS

/** "1.234 s", "56.7 ms", "8.9 us", "12 ns"; g_free(). */
char *dt_duration_text(gdouble ns);
/** A cell: a duration as people read it, in TSV seconds; empty if it is not known. */
void dt_table_add_duration(DtTable *table, gboolean tsv, gboolean known, gdouble ns);
/** A cell: "12.3 %", in TSV 0.123; empty if `of` is 0. */
void dt_table_add_share(DtTable *table, gboolean tsv, gdouble part, gdouble of);
/** A cell: "1.2 GB" (powers of 1000), in TSV the number; empty if it is not known. `unit`: "B" or "B/s". */
void dt_table_add_amount(DtTable *table, gboolean tsv, gboolean known, gdouble amount, const char *unit);

G_END_DECLS

#endif
