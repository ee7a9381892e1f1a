/** What a function's name says of how it is to be hooked. */
#ifndef DT_PLAN_PLAN_NAMES_H
#define DT_PLAN_PLAN_NAMES_H

#include "images/elf_image.h"
#include "native/plan/plan.h"

/** Hooked for the runtime's own sake; DT_HOOK_NONE: it is not. */
enum dt_runtime_hook dt_plan_hook_of(const char *name, bool runtime_library);
/** True for what is hooked in images that are not traced as a whole. */
bool dt_plan_wants_in_library(const char *name);
/** DT_HOOKED while nothing speaks against it. */
enum dt_skip_reason dt_plan_reason_by_name(const struct dt_elf_function *function, bool runtime_library);
/** Fills class, action and hook. */
void dt_plan_classify(struct dt_plan_function *planned, const char *name, bool runtime_library);

#endif
