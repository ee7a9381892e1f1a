/** Streams of runs that still grow: read on from where a reader was, without looking at what lies before. */
#ifndef DT_STORE_GROWING_H
#define DT_STORE_GROWING_H

#include "store/store.h"

G_BEGIN_DECLS

/** Where a stream may be begun to read: the start of a segment. All 0: its start. */
typedef struct {
    guint64 bytes; /* of the stream before it */
    guint64 words; /* the same */
} DtStreamMark;

/**
 * As dt_stream_open(), but the segments before `from`, which is dt_stream_mark() of the same trace, are neither there
 * nor checked. O(bytes behind it).
 */
DtStream *dt_stream_open_from(const DtRun *run, const DtTrace *trace, DtStreamMark from, GError **error);
/** The start of the last segment before `position`, in words, that tells its open calls; all 0 if the stream has gaps.
 */
DtStreamMark dt_stream_mark(const DtStream *stream, guint64 position);

G_END_DECLS

#endif
