/** Words for the reasons why a function has no hook. */
#ifndef DT_FORMAT_SKIP_REASON_H
#define DT_FORMAT_SKIP_REASON_H

#include "trace_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/** "hooked", "excluded", ...: one or two words for a dt_skip_reason. */
const char *dt_skip_reason_name(uint32_t reason);

#ifdef __cplusplus
}
#endif

#endif
