/* Reading a trace: its segments, one after the other, through their codec into words; and what was wrong with them. */
#include "decoder/reader_private.h"

#include <string.h>

#include "codec/codec.h"
#include "store/run_private.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_decoder_error, dt_decoder_error)

enum { BATCH = 4096 };

static void G_GNUC_PRINTF(2, 3) report(DtReader *reader, const char *format, ...)
{
    if (reader->problem)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = dt_text_vprintf(format, arguments);
    va_end(arguments);
    reader->problem = dt_text_printf("%s: %s", dt_stream_name(reader->stream), text);
}

/* ---- opening ------------------------------------------------------------------ */

static gboolean loses_words(const DtStream *stream)
{
    for (guint i = 0; i < dt_stream_segment_count(stream); i++) {
        const DtSegment *segment = dt_stream_segment_head(stream, i);
        if (segment->lost_words > 0 || segment->cut)
            return TRUE;
    }
    return FALSE;
}

DtReader *dt_reader_of_stream(DtStream *stream, DtProjection projection)
{
    DtReader *reader = g_new0(DtReader, 1);
    reader->stream = stream;
    reader->projection = projection;
    reader->end_segment = dt_stream_segment_count(stream);
    reader->limit = reader->end = G_MAXUINT64;
    reader->words = g_new(guint16, DT_CODEC_ROW_WORDS);
    reader->functions = dt_stream_functions(stream, projection, &reader->function_count);
    reader->left_out = g_array_new(FALSE, FALSE, sizeof(guint64));
    reader->bridge = g_array_new(FALSE, FALSE, sizeof(guint32));
    reader->stack = dt_call_stack_new();
    reader->keeps_stack = loses_words(stream);
    return reader;
}

DtReader *dt_reader_open(const DtRun *run, const DtTrace *trace, DtProjection projection, GError **error)
{
    DtStream *stream = dt_stream_open(run, trace, error);
    DtReader *reader = stream ? dt_reader_of_stream(stream, projection) : NULL;
    if (reader && trace->fatal_words > 0)
        reader->limit = reader->end = trace->fatal_words;
    return reader;
}

void dt_reader_keep_handlers(DtReader *reader)
{
    reader->limit = reader->end = G_MAXUINT64;
}

void dt_reader_free(DtReader *reader)
{
    if (!reader)
        return;
    dt_stream_tell_decoded(reader->stream, reader->decoded_words, reader->projection);
    dt_stream_free(reader->stream);
    dt_call_stack_free(reader->stack);
    g_array_unref(reader->left_out);
    g_array_unref(reader->bridge);
    g_free(reader->state);
    g_free(reader->words);
    g_free(reader->events);
    g_free(reader->problem);
    g_free(reader->summary);
    g_free(reader);
}

/* ---- segments ------------------------------------------------------------------- */

/* The calls that a segment starts with, against those that are open: the
   returns and entries between were in the words that are lost. */
static void bridge_gap(DtReader *reader)
{
    const DtSegment *segment = reader->segment;
    const guint32 *frames = dt_call_stack_frames(reader->stack);
    guint depth = dt_call_stack_depth(reader->stack);
    g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_set_size(reader->left_out, 0);
    for (guint i = 0; i < segment->depth; i++) {
        guint32 id = segment->open_frames[i], function = id < reader->function_count ? reader->functions[id] : 0;
        guint64 none = 0;
        if (function == 0) {
            g_array_append_val(reader->left_out, none);
            continue;
        }
        g_array_append_val(wanted, function);
        if (reader->left_out->len > 0)
            g_array_index(reader->left_out, guint64, reader->left_out->len - 1)++;
    }
    guint common = 0;
    while (common < depth && common < wanted->len && frames[common] == g_array_index(wanted, guint32, common))
        common++;
    const guint32 leave = DT_EVENT_RETURN;
    for (guint i = common; i < depth; i++)
        g_array_append_val(reader->bridge, leave);
    for (guint i = common; i < wanted->len; i++)
        g_array_append_val(reader->bridge, g_array_index(wanted, guint32, i));
}

gboolean dt_reader_start_segment(DtReader *reader)
{
    if (reader->next_segment >= reader->end_segment)
        return FALSE;
    const DtSegment *segment = dt_stream_segment(reader->stream, reader->next_segment++);
    if (!reader->state || segment->codec != reader->codec) {
        g_free(reader->state);
        reader->state = g_malloc0(dt_codec_decoder_bytes(segment->codec));
        reader->codec = segment->codec;
    }
    dt_codec_decoder_init(segment->codec, reader->state, segment->code, segment->bytes, segment->words,
                          segment->pending);
    reader->segment = segment;
    reader->segment_words = 0;
    reader->position = segment->first_word;
    if (segment->gone)
        report(reader, "segment %u: the file has become shorter since it was opened", reader->next_segment - 1);
    if (segment->lost_words > 0)
        reader->words_lost = TRUE;
    if (reader->words_lost) {
        reader->at = AT_EVENT;
        if (reader->keeps_stack && segment->open_frames)
            bridge_gap(reader);
    }
    reader->words_lost = FALSE;
    return TRUE;
}

static void end_segment(DtReader *reader)
{
    const DtSegment *segment = reader->segment;
    if (reader->segment_words < segment->words) {
        if (!segment->cut)
            report(reader, "segment %u breaks off after %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " words",
                   reader->next_segment - 1, reader->segment_words, segment->words);
        reader->words_lost = TRUE;
    } else if (!dt_codec_at_end(reader->codec, reader->state)) {
        report(reader, "segment %u holds more than its %" G_GUINT64_FORMAT " words", reader->next_segment - 1,
               segment->words);
    }
    reader->segment = NULL;
}

/* The next rows of those to come: short ones several at once. */
static void repeat_row(DtReader *reader)
{
    gsize rows = (gsize)MIN(reader->rows_to_come, MAX(BATCH / reader->row_words, 1));
    for (gsize i = 1; i < rows; i++)
        memcpy(reader->words + i * reader->row_words, reader->words, reader->row_words * sizeof *reader->words);
    reader->next_word = 0;
    reader->word_count = rows * reader->row_words;
    reader->rows_to_come -= rows;
}

gboolean dt_reader_read_words(DtReader *reader)
{
    if (reader->rows_to_come > 0) {
        repeat_row(reader);
        return TRUE;
    }
    reader->next_word = reader->word_count = 0;
    while (reader->word_count == 0) {
        if (!reader->segment && !dt_reader_start_segment(reader))
            return FALSE;
        if (reader->bridge->len > 0)
            return TRUE;
        guint64 times;
        reader->word_count = dt_codec_decode_row(reader->codec, reader->state, reader->words, &times);
        reader->segment_words += reader->word_count * times;
        reader->decoded_words += reader->word_count * times;
        reader->row_words = reader->word_count;
        reader->rows_to_come = times - 1;
        if (reader->word_count == 0)
            end_segment(reader);
    }
    return TRUE;
}

void dt_reader_sum_up_problems(DtReader *reader)
{
    const char *stream = dt_stream_problem(reader->stream);
    if (reader->summary)
        return;
    if (reader->unknown_calls > 0)
        report(reader, "%" G_GUINT64_FORMAT " calls of functions without a record are left out", reader->unknown_calls);
    if (reader->impossible_words > 0)
        report(reader, "%" G_GUINT64_FORMAT " words that are no events are left out", reader->impossible_words);
    if (stream && reader->problem)
        reader->summary = g_strdup_printf("%s; %s", stream, reader->problem);
    else if (stream || reader->problem)
        reader->summary = g_strdup(stream ? stream : reader->problem);
}

const char *dt_reader_problem(const DtReader *reader)
{
    return reader->summary ? reader->summary : dt_stream_problem(reader->stream);
}
