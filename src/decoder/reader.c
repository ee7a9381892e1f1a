/*
 * Events of a trace: segments through their codec into words, words into file
 * ids, file ids into functions of the run.
 */
#include "decoder/reader_private.h"

#include <string.h>

#include "format/codec.h"

G_DEFINE_QUARK(dt - decoder - error - quark, dt_decoder_error)

enum { BATCH = 4096 };

static void G_GNUC_PRINTF(2, 3) report(DtReader *reader, const char *format, ...)
{
    if (reader->problem)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    reader->problem = g_strdup_printf("%s: %s", dt_stream_name(reader->stream), text);
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

DtReader *dt_reader_of_stream(DtStream *stream)
{
    DtReader *reader = g_new0(DtReader, 1);
    reader->stream = stream;
    reader->end_segment = dt_stream_segment_count(stream);
    reader->limit = G_MAXUINT64;
    reader->words = g_new(guint16, DT_CODEC_ROW_WORDS);
    reader->functions = dt_stream_functions(stream, &reader->function_count);
    reader->left_out = g_array_new(FALSE, FALSE, sizeof(guint64));
    reader->bridge = g_array_new(FALSE, FALSE, sizeof(guint32));
    reader->stack = dt_call_stack_new();
    reader->keeps_stack = loses_words(stream);
    return reader;
}

DtReader *dt_reader_open(const DtRun *run, const DtTrace *trace, GError **error)
{
    DtStream *stream = dt_stream_open(run, trace, error);
    return stream ? dt_reader_of_stream(stream) : NULL;
}

void dt_reader_free(DtReader *reader)
{
    if (!reader)
        return;
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
        guint32 function = dt_stream_function(reader->stream, segment->open_frames[i]);
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

/* Decodes the next words; FALSE at the end of the trace. */
static gboolean read_words(DtReader *reader)
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
        reader->row_words = reader->word_count;
        reader->rows_to_come = times - 1;
        if (reader->word_count == 0)
            end_segment(reader);
    }
    return TRUE;
}

static void sum_up_problems(DtReader *reader)
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

/* ---- words to events --------------------------------------------------------------- */

/* Whether the event goes out: not if it belongs to a call that is left out. */
static gboolean passes(DtReader *reader, guint32 event)
{
    GArray *left_out = reader->left_out;
    if (left_out->len == 0)
        return TRUE;
    guint64 *above = &g_array_index(left_out, guint64, left_out->len - 1);
    if (event != DT_EVENT_RETURN) {
        ++*above;
    } else if (*above > 0) {
        --*above;
    } else {
        g_array_set_size(left_out, left_out->len - 1);
        return FALSE;
    }
    return TRUE;
}

/* The event of a file id; FALSE if there is none to give. */
static gboolean resolve(DtReader *reader, guint32 id, guint32 *event)
{
    *event = id < reader->function_count ? reader->functions[id] : 0;
    if (id != DT_WORD_RETURN && *event == 0) {
        guint64 none = 0;
        reader->unknown_calls++;
        g_array_append_val(reader->left_out, none);
        return FALSE;
    }
    return passes(reader, *event);
}

/* One word, with everything that is rare. FALSE if no event ends with it. */
static gboolean take_word(DtReader *reader, guint16 word, guint32 *event)
{
    reader->position++;
    if (word == DT_WORD_UNWRITTEN) {
        reader->impossible_words++;
        return FALSE;
    }
    switch (reader->at) {
    case AT_LOW:
        reader->low = word;
        reader->at = AT_HIGH;
        return FALSE;
    case AT_HIGH:
        reader->at = AT_EVENT;
        return resolve(reader, reader->low | (guint32)word << 15, event);
    case AT_EVENT:
    default:
        if (word == DT_WORD_ESCAPE) {
            reader->at = AT_LOW;
            return FALSE;
        }
        return resolve(reader, word, event);
    }
}

/* The usual words: returns and known ids, as many as follow each other. */
static gsize take_plain_words(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity)
{
    gsize most = MIN(capacity, reader->word_count - reader->next_word), count = 0;
    most = (gsize)MIN(most, reader->limit - reader->position);
    const guint16 *words = reader->words + reader->next_word;
    guint32 limit = MIN(reader->function_count, DT_WORD_LAST_ID + 1);
    if (reader->at != AT_EVENT || reader->left_out->len > 0)
        return 0;
    while (count < most) {
        guint16 word = words[count];
        if (word >= limit || (word != DT_WORD_RETURN && reader->functions[word] == 0))
            break;
        events[count++] = reader->functions[word];
    }
    for (gsize i = 0; positions && i < count; i++)
        positions[i] = reader->position + i + 1;
    reader->next_word += count;
    reader->position += count;
    return count;
}

gsize dt_reader_take_bridge(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity)
{
    gsize count = MIN(capacity, reader->bridge->len - reader->next_bridge);
    for (gsize i = 0; i < count; i++)
        events[i] = g_array_index(reader->bridge, guint32, reader->next_bridge + i);
    for (gsize i = 0; positions && i < count; i++)
        positions[i] = reader->position;
    reader->next_bridge += (guint)count;
    if (reader->next_bridge == reader->bridge->len) {
        g_array_set_size(reader->bridge, 0);
        reader->next_bridge = 0;
    }
    return count;
}

static gboolean has_words(const DtReader *reader)
{
    return reader->next_word < reader->word_count && reader->position < reader->limit;
}

/* Events of the words and of the bridge that are there. */
static gsize take_events(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity)
{
    gsize count = 0;
    if (reader->bridge->len > 0)
        count = dt_reader_take_bridge(reader, events, positions, capacity);
    while (count < capacity && has_words(reader)) {
        count += take_plain_words(reader, events + count, positions ? positions + count : NULL, capacity - count);
        if (count < capacity && has_words(reader) &&
            take_word(reader, reader->words[reader->next_word++], &events[count])) {
            if (positions)
                positions[count] = reader->position;
            count++;
        }
    }
    for (gsize i = 0; reader->keeps_stack && i < count; i++)
        dt_call_stack_apply(reader->stack, events[i]);
    return count;
}

/* Sees to it that there are words or a bridge. */
static gboolean make_ready(DtReader *reader)
{
    if (reader->position >= reader->limit)
        return FALSE;
    if (reader->next_word < reader->word_count || reader->bridge->len > 0 || read_words(reader))
        return TRUE;
    sum_up_problems(reader);
    return FALSE;
}

gsize dt_reader_next(DtReader *reader, guint32 *events, gsize capacity)
{
    return dt_reader_next_at(reader, events, NULL, capacity);
}

gsize dt_reader_next_at(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity)
{
    gsize count = 0;
    while (count < capacity && make_ready(reader))
        count += take_events(reader, events + count, positions ? positions + count : NULL, capacity - count);
    return count;
}

/* Whether the words, which are all of a row, are events one by one. */
static gboolean is_plain_row(const DtReader *reader)
{
    guint32 limit = MIN(reader->function_count, DT_WORD_LAST_ID + 1);
    gboolean plain = reader->at == AT_EVENT && reader->left_out->len == 0;
    for (gsize i = 0; plain && i < reader->word_count; i++) {
        guint16 word = reader->words[i];
        plain = word < limit && (word == DT_WORD_RETURN || reader->functions[word] != 0);
    }
    return plain;
}

/* How often the events of the words that are there come. */
static guint64 take_times(DtReader *reader)
{
    guint64 more = reader->rows_to_come, fit = (reader->limit - reader->position) / MAX(reader->row_words, 1);
    more = MIN(more, MAX(fit, 1) - 1);
    if (more == 0 || reader->next_word > 0 || reader->word_count != reader->row_words || reader->bridge->len > 0 ||
        !is_plain_row(reader))
        return 1;
    reader->position += more * reader->row_words;
    reader->rows_to_come -= more;
    return 1 + more;
}

gboolean dt_reader_next_batch(DtReader *reader, DtEventBatch *batch)
{
    if (reader->events == NULL)
        reader->events = g_new(guint32, DT_READER_BATCH_EVENTS);
    *batch = (DtEventBatch){reader->events, 0, 1};
    while (batch->count == 0 && make_ready(reader)) {
        batch->times = take_times(reader);
        batch->count = take_events(reader, reader->events, NULL, DT_READER_BATCH_EVENTS);
    }
    return batch->count > 0;
}

const char *dt_reader_problem(const DtReader *reader)
{
    return reader->summary ? reader->summary : dt_stream_problem(reader->stream);
}
