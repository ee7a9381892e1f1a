/** Finding the segments of a thread's stream, and what of it is damaged. */
#ifndef DT_STORE_SEGMENTS_H
#define DT_STORE_SEGMENTS_H

#include "store/extent.h"
#include "store/store.h"

G_BEGIN_DECLS

/** A segment and where it lies; code and open_frames are still NULL. */
typedef struct {
    DtSegment segment;
    const DtExtent *extent;
    guint64 frames_offset, code_offset;
} DtSegmentPlace;

typedef struct {
    const char *name;               /* of the trace, in problem reports */
    const GPtrArray *extents;       /* DtExtent; gaps lie between */
    gboolean first_is_whole;        /* the first extent holds the start of what the thread kept */
    guint64 first_start;            /* stream offset of its first byte */
    guint64 kept_stream;            /* where in the stream the first segment starts */
    const struct dt_commit *commit; /* borrowed: `pending` of the open segment points into it; NULL: it is damaged */
    gboolean checked;               /* checksums cover headers and open frames, too */
    GArray *places;                 /* out: DtSegmentPlace */
    GPtrArray *problems;            /* out: char * */
    guint64 dropped_words;          /* before that; the segment there tells better */
    guint64 next_word;              /* out: words up to the end of the last segment */
    guint64 certain_word;           /* the same of the last one that is whole */
} DtSegmentSearch;

/** `pending` of code whose end is missing. */
extern const guint8 dt_nothing_pending[];

/** O(bytes). */
void dt_segments_find(DtSegmentSearch *search);

G_END_DECLS

#endif
