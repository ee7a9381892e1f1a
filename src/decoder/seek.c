/* Readers anywhere in a trace: at a position, at the parts that can be read at the same time. */
#include "decoder/reader_private.h"

/* What the bridge does to the open calls; nobody is told. */
static void cross_bridge(DtReader *reader)
{
    guint32 event;
    while (reader->bridge->len > 0) {
        dt_reader_take_bridge(reader, &event, NULL, 1);
        dt_call_stack_apply(reader->stack, event);
    }
}

/* To the start of a segment, with the calls that it says to be open there. */
static void go_to_segment(DtReader *reader, guint segment)
{
    gboolean keeps_stack = reader->keeps_stack;
    dt_call_stack_reset(reader->stack);
    g_array_set_size(reader->left_out, 0);
    g_array_set_size(reader->bridge, 0);
    reader->next_bridge = 0;
    reader->segment = NULL;
    reader->next_segment = segment;
    reader->next_word = reader->word_count = 0;
    reader->rows_to_come = 0;
    reader->at = AT_EVENT;
    reader->position = 0;
    reader->unknown_calls = reader->impossible_words = 0;
    g_clear_pointer(&reader->problem, g_free);
    g_clear_pointer(&reader->summary, g_free);
    reader->keeps_stack = TRUE;
    reader->words_lost = segment > 0;
    dt_reader_start_segment(reader);
    cross_bridge(reader);
    reader->keeps_stack = keeps_stack;
}

/* Where to decode from to come to a position: the last segment before it that tells its open calls, or, if it lies in
 * words that are lost, the one behind them. */
static guint find_segment(const DtReader *reader, guint64 position)
{
    guint found = 0;
    for (guint i = 1; i < reader->end_segment; i++) {
        const DtSegment *segment = dt_stream_segment_head(reader->stream, i);
        const DtSegment *before = dt_stream_segment_head(reader->stream, i - 1);
        gboolean is_behind = before->first_word + before->words > position;
        if (segment->knows_frames && !is_behind)
            found = i;
    }
    return found;
}

void dt_reader_seek(DtReader *reader, guint64 position)
{
    gboolean keeps_stack = reader->keeps_stack;
    DtEventBatch batch;
    go_to_segment(reader, find_segment(reader, position));
    reader->keeps_stack = TRUE;
    reader->limit = MIN(position, reader->end);
    while (dt_reader_next_batch(reader, &batch))
        continue;
    reader->limit = reader->end;
    cross_bridge(reader);
    reader->keeps_stack = keeps_stack;
}

guint64 dt_reader_position(const DtReader *reader)
{
    return reader->position;
}

const guint32 *dt_reader_open_calls(const DtReader *reader, guint *depth)
{
    *depth = dt_call_stack_depth(reader->stack);
    return dt_call_stack_frames(reader->stack);
}

guint dt_reader_part_count(const DtReader *reader)
{
    guint segments = dt_stream_segment_count(reader->stream);
    if (reader->keeps_stack || segments == 0)
        return 1;
    guint has_tail = dt_stream_segment_head(reader->stream, segments - 1)->knows_frames ? 0 : 1;
    return MAX(segments - has_tail, 1);
}

DtReader *dt_reader_open_part(const DtReader *reader, guint part)
{
    DtReader *opened = dt_reader_of_stream(dt_stream_share(reader->stream), reader->projection);
    if (part + 1 < dt_reader_part_count(reader))
        opened->end_segment = part + 1;
    opened->limit = opened->end = reader->end;
    if (part > 0)
        go_to_segment(opened, part);
    return opened;
}
