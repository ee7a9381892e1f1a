/** Making the checksums of a damaged trace file right, so that fuzzing reaches what lies behind them. */
#ifndef DT_FUZZ_REPAIR_H
#define DT_FUZZ_REPAIR_H

#include <glib.h>

/** All of what can be found in `data`, in place; seals are removed. */
void dt_repair(guint8 *data, gsize bytes);

#endif
