/** Data that differ, in a comparison's document: the member "data". */
#ifndef DT_REPORT_DATA_JSON_H
#define DT_REPORT_DATA_JSON_H

#include "compare/compare.h"
#include "report/json.h"

G_BEGIN_DECLS

/** Without data recorded nothing is added. */
void dt_data_verdict_add_json(JsonBuilder *builder, const DtDataVerdict *data);
/** The other way round; what is missing or of another kind is NULL or 0. NULL: there is none. */
DtDataVerdict *dt_data_verdict_read_json(JsonObject *document);

G_END_DECLS

#endif
