/** The JSON form of a comparison. Internal to the reports. */
#ifndef DT_REPORT_COMPARISON_JSON_H
#define DT_REPORT_COMPARISON_JSON_H

#include "report/json.h"
#include "report/report.h"

G_BEGIN_DECLS

/** At most `top` rows of each table, 0 = all. */
char *dt_comparison_json(const DtComparison *comparison, guint top, gboolean with_recipe);

/** The members of that document, without its recipe. */
void dt_comparison_add_json(JsonBuilder *builder, const DtComparison *comparison, guint top);

/* ---- checks_json.c: what rules find, the member "checks" ------------------------------------------ */

/** Rows (element-type DtCheckRow). */
void dt_check_rows_add_json(JsonBuilder *builder, const GPtrArray *rows);

/* ---- data_json.c: data that differ, the member "data" ------------------------------------------ */

/** Without data recorded nothing is added. */
void dt_data_verdict_add_json(JsonBuilder *builder, const DtDataVerdict *data);
/** The other way round; what is missing or of another kind is NULL or 0. NULL: there is none. */
DtDataVerdict *dt_data_verdict_read_json(JsonObject *document);

/* ---- times/time_verdict_json.c: times, the member "times" ---------------------------------------- */

/** Of NULL nothing is added. */
void dt_time_verdict_add_json(JsonBuilder *builder, const DtTimeVerdict *times);
/** As dt_data_verdict_read_json(). */
DtTimeVerdict *dt_time_verdict_read_json(JsonObject *document);

/* ---- skeletons/prediction_json.c: a normal run that was predicted, the member "prediction" --------- */

/** Of NULL nothing is added. */
void dt_prediction_add_json(JsonBuilder *builder, const DtPrediction *prediction);
/** As dt_data_verdict_read_json(). */
DtPrediction *dt_prediction_read_json(JsonObject *document);

G_END_DECLS

#endif
