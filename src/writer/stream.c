/* Events through the codec into segments. */
#include "writer/stream.h"

#include <string.h>

#include "codec/codec.h"
#include "format/checks.h"

enum { BATCH_WORDS = 4096, WORDS_OF_AN_EVENT = 3 };

void dt_stream_writer_init(DtStreamWriter *stream, guint32 codec)
{
    *stream = (DtStreamWriter){.codec = codec, .batch_words = BATCH_WORDS, .segment_words = DT_SEGMENT_WORDS};
    stream->bytes = g_byte_array_new();
    stream->frames = g_array_new(FALSE, FALSE, sizeof(guint32));
}

void dt_stream_writer_clear(DtStreamWriter *stream)
{
    g_byte_array_unref(stream->bytes);
    g_array_unref(stream->frames);
    g_free(stream->words);
    g_free(stream->state);
}

void dt_stream_writer_open(DtStreamWriter *stream)
{
    struct dt_segment_header header = {.magic = DT_SEGMENT_MAGIC, .codec = stream->codec};
    header.first_event = stream->commit.words;
    header.depth = stream->frames->len;
    stream->segment_at = stream->bytes->len;
    stream->open_words = 0;
    stream->due = MIN(stream->batch_words, stream->segment_words);
    stream->words = g_new(guint16, stream->batch_words + WORDS_OF_AN_EVENT);
    stream->state = g_malloc0(dt_codec_encoder_bytes(stream->codec));
    dt_codec_encoder_init(stream->codec, stream->state);
    g_byte_array_append(stream->bytes, (const guint8 *)&header, sizeof(header));
    if (header.depth > 0)
        g_byte_array_append(stream->bytes, (const guint8 *)stream->frames->data, header.depth * 4u);
}

static void close_segment(DtStreamWriter *stream)
{
    GByteArray *bytes = stream->bytes;
    struct dt_segment_header header;
    guint at = bytes->len, behind = (guint)(stream->segment_at + sizeof(header));
    g_byte_array_set_size(bytes, at + (guint)dt_codec_bound(stream->codec, 0));
    g_byte_array_set_size(bytes, at + (guint)dt_codec_finish(stream->codec, stream->state, bytes->data + at));
    memcpy(&header, bytes->data + stream->segment_at, sizeof(header));
    header.events = stream->open_words;
    header.bytes = bytes->len - behind - header.depth * sizeof(guint32);
    guint32 crc = dt_crc32(dt_segment_crc_begin(&header), bytes->data + behind, bytes->len - behind);
    header.crc32 = dt_segment_crc_end(crc, &header);
    memcpy(bytes->data + stream->segment_at, &header, sizeof(header));
    stream->commit.stream_bytes += bytes->len - stream->segment_at;
    stream->commit.segment_start = stream->commit.stream_bytes;
    stream->segments++;
    g_clear_pointer(&stream->state, g_free);
    g_clear_pointer(&stream->words, g_free);
}

/* Between two events: the open calls are those of the words so far. */
void dt_stream_writer_encode(DtStreamWriter *stream)
{
    guint at = stream->bytes->len;
    g_byte_array_set_size(stream->bytes, at + (guint)dt_codec_bound(stream->codec, stream->word_count));
    gsize coded =
        dt_codec_encode(stream->codec, stream->state, stream->words, stream->word_count, stream->bytes->data + at);
    g_byte_array_set_size(stream->bytes, at + (guint)coded);
    stream->commit.words += stream->word_count;
    stream->open_words += stream->word_count;
    stream->word_count = 0;
    if (stream->open_words >= stream->segment_words || stream->bytes->len - stream->segment_at >= DT_SEGMENT_CODE_BYTES)
        close_segment(stream);
    else
        stream->due = MIN(stream->batch_words, stream->segment_words - stream->open_words);
}

static void follow(GArray *frames, guint32 id)
{
    if (id != DT_WORD_RETURN)
        g_array_append_val(frames, id);
    else if (frames->len > 0)
        g_array_set_size(frames, frames->len - 1);
}

gboolean dt_stream_writer_event(DtStreamWriter *stream, guint32 id)
{
    if (!stream->state)
        dt_stream_writer_open(stream);
    follow(stream->frames, id);
    stream->events++;
    if (id <= DT_WORD_LAST_ID) {
        stream->words[stream->word_count++] = (guint16)id;
    } else {
        stream->words[stream->word_count++] = DT_WORD_ESCAPE;
        stream->words[stream->word_count++] = id & 0x7fff;
        stream->words[stream->word_count++] = (guint16)(id >> 15);
    }
    if (stream->word_count < stream->due)
        return FALSE;
    dt_stream_writer_encode(stream);
    return !stream->state;
}

void dt_stream_writer_finish(DtStreamWriter *stream)
{
    if (stream->word_count > 0)
        dt_stream_writer_encode(stream);
    if (stream->state)
        close_segment(stream);
}
