/** Filters that a trace goes through while somebody else decodes it. */
#ifndef DT_FILTERS_TAPS_H
#define DT_FILTERS_TAPS_H

#include "decoder/call_reader.h"
#include "filters/filters.h"

G_BEGIN_DECLS

typedef struct DtTaps DtTaps;
/** For one trace. `taps` are copied. */
DtTaps *dt_taps_new(const DtFilterTap *taps, guint count);
void dt_taps_follow(DtTaps *taps, const DtCallBatch *batch);
/** At the end: gives the open calls, of which `frames` are all, with arguments; frees the taps. */
void dt_taps_finish(DtTaps *taps, const guint32 *frames, guint depth, const DtFunctions *functions);

G_END_DECLS

#endif
