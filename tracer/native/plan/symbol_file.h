/** RUN/images/KEY.sym: an image's functions, for those who read the run. */
#ifndef DT_PLAN_SYMBOL_FILE_H
#define DT_PLAN_SYMBOL_FILE_H

#include "native/plan/imports.h"
#include "native/plan/plan.h"

/** Writes RUN/images/KEY.sym unless it is there: the plan's functions with the reasons given, then the imports. */
void dt_symbol_file_write(const struct dt_plan *plan, const uint8_t *reasons, const struct dt_imports *imports);

#endif
