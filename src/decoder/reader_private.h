/** A reader from the inside, shared by the files that move it. */
#ifndef DT_DECODER_READER_PRIVATE_H
#define DT_DECODER_READER_PRIVATE_H

#include "decoder/decoder.h"

G_BEGIN_DECLS

/* A large id is the escape and two words of 15 bits. */
typedef enum { AT_EVENT, AT_LOW, AT_HIGH } WordState;

struct DtReader {
    DtStream *stream;
    DtProjection projection;
    const guint32 *functions; /* by file id */
    guint32 function_count;

    guint next_segment, end_segment;
    const DtSegment *segment; /* being decoded, or NULL */
    guint64 segment_words;    /* of it, so far */
    guint32 codec;            /* that `state` is for */
    void *state;
    guint16 *words; /* DT_CODEC_ROW_WORDS */
    gsize word_count, next_word;
    gsize row_words;      /* of a row that comes more than once, and that the words begin with */
    guint64 rows_to_come; /* so many more, after those in `words` */
    guint32 *events;      /* of a batch; NULL before the first one */

    WordState at;
    guint32 low;
    guint64 position; /* words of the trace that have gone by, lost ones too */
    guint64 limit;    /* no word behind it is looked at */
    guint64 end;      /* nor behind this, wherever it seeks to */

    /* Calls of functions without a record are left out, and so are their
       returns: for each of them the calls open above it, up to the next one. */
    GArray *left_out; /* guint64 */

    /* Only if words were lost, or while looking for a position: calls open now, to come from there to those that
       the next segment tells; events that do so. */
    gboolean keeps_stack;
    DtCallStack *stack;
    GArray *bridge; /* guint32 */
    guint next_bridge;
    gboolean words_lost;

    guint64 decoded_words; /* from all segments */
    guint64 unknown_calls, impossible_words;
    char *problem; /* the first that was met while decoding */
    char *summary; /* of all, at the end */
};

/** A reader at the first event; the stream is the reader's from now on. */
DtReader *dt_reader_of_stream(DtStream *stream, DtProjection projection);

/** Starts the next segment; FALSE if there is none. What lies between what was read and it becomes the bridge. */
gboolean dt_reader_start_segment(DtReader *reader);

/** Decodes the next words, or comes to a bridge; FALSE at the end of the trace. */
gboolean dt_reader_read_words(DtReader *reader);

/** At the end: what dt_reader_problem() tells. */
void dt_reader_sum_up_problems(DtReader *reader);

/** Takes events from the bridge; how many. */
gsize dt_reader_take_bridge(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity);

G_END_DECLS

#endif
