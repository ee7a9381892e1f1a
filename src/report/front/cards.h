/** The parts of the first screen. Internal to the page. */
#ifndef DT_REPORT_FRONT_CARDS_H
#define DT_REPORT_FRONT_CARDS_H

#include <json-glib/json-glib.h>

#include "report/front/facts.h"

G_BEGIN_DECLS

/** Cards: the call that was made and what comes normally; stack and source; who waits for whom. */
void dt_front_add_what(GString *out, const DtFrontFacts *facts);
void dt_front_add_where(GString *out, const DtFrontFacts *facts);
void dt_front_add_waits(GString *out, const DtFrontFacts *facts);
/** A table of the calls around the departure and at the end. */
void dt_front_add_difference(GString *out, const DtFrontFacts *facts);
/** Commands to type next. */
void dt_front_add_steps(GString *out, const DtFrontFacts *facts);
/** Suspects, those with weak evidence in one line that opens. */
void dt_front_add_suspects(GString *out, const DtFrontFacts *facts);
/** Findings of the comparison's checks; nothing if it has none. */
void dt_front_add_checks(GString *out, const DtFrontFacts *facts);
/** The same of a document, an object with "checks" or without. */
void dt_front_add_findings(GString *out, JsonNode *document);

G_END_DECLS

#endif
