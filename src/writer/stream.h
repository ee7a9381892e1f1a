/** The byte stream of a thread: events through the codec into segments, in memory. */
#ifndef DT_WRITER_STREAM_H
#define DT_WRITER_STREAM_H

#include <glib.h>

#include "format/trace_file.h"

G_BEGIN_DECLS

typedef struct {
    guint32 codec;
    gsize batch_words;       /* encoded at once, at most */
    gsize segment_words;     /* a segment ends with the batch that brings it to so many */
    struct dt_commit commit; /* words encoded; bytes of complete segments */
    guint32 segments;        /* complete ones */
    guint64 events;
    GByteArray *bytes; /* complete segments that nobody has taken yet, then the open one */
    GArray *frames;    /* guint32: open calls, outermost first */
    guint16 *words;    /* of the next batch; NULL: no segment is open */
    gsize word_count, due;
    void *state;        /* of the codec; NULL: no segment is open */
    gsize segment_at;   /* of the open segment in `bytes` */
    guint64 open_words; /* encoded ones of it */
} DtStreamWriter;

void dt_stream_writer_init(DtStreamWriter *stream, guint32 codec);
void dt_stream_writer_clear(DtStreamWriter *stream);

/** Opens a segment; there must be none. */
void dt_stream_writer_open(DtStreamWriter *stream);

/** A function's id or DT_WORD_RETURN. TRUE: a segment was completed with it. */
gboolean dt_stream_writer_event(DtStreamWriter *stream, guint32 id);

/** Encodes the words that are not encoded yet; that may complete the open segment. */
void dt_stream_writer_encode(DtStreamWriter *stream);

/** Completes the open segment, if there is one; gives memory back. */
void dt_stream_writer_finish(DtStreamWriter *stream);

G_END_DECLS

#endif
