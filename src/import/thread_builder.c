/* The events of a thread: through the codec into segments, segments into data chunks. */
#include <string.h>

#include "codec/codec.h"
#include "format/checks.h"
#include "import/builder_private.h"

enum { BATCH_WORDS = 4096, LARGEST_CHUNK = 256 << 10, CODEC = DT_CODEC_LZR };

struct DtThreadBuilder {
    DtProcessBuilder *process;
    guint32 index;
    struct dt_thread record;
    struct dt_commit commit;
    GArray *frames; /* guint32: open calls */
    guint16 *words; /* of the next batch; NULL: none yet */
    gsize word_count;
    void *state; /* of the codec; NULL: no segment is open */
    struct dt_segment_header segment;
    GByteArray *opening; /* guint32: calls open at the segment's start */
    GByteArray *code;    /* of the open segment */
    GByteArray *chunk;   /* stream bytes that are in no chunk yet */
    guint32 sequence;
    gsize chunk_bytes;
    gboolean ended;
};

DtThreadBuilder *dt_process_builder_thread(DtProcessBuilder *process, guint32 kind, guint32 number)
{
    DtThreadBuilder *thread = g_new0(DtThreadBuilder, 1);
    thread->process = process;
    thread->index = process->threads->len;
    thread->record.kind = kind;
    thread->record.number = number;
    thread->record.creator = G_MAXUINT32;
    thread->frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    thread->opening = g_byte_array_new();
    thread->code = g_byte_array_new();
    thread->chunk = g_byte_array_new();
    thread->chunk_bytes = DT_CHUNK_ALIGN;
    g_ptr_array_add(process->threads, thread);
    process->run->threads++;
    return thread;
}

/* ---- the stream ------------------------------------------------------------------ */

static void write_chunk(DtThreadBuilder *thread, gsize bytes)
{
    struct dt_chunk_header header = {.type = DT_CHUNK_DATA, .owner = thread->index, .sequence = thread->sequence++};
    dt_process_builder_chunk(thread->process, header, thread->chunk->data, bytes);
    g_byte_array_remove_range(thread->chunk, 0, (guint)bytes);
    thread->chunk_bytes = MIN(2 * thread->chunk_bytes, LARGEST_CHUNK);
}

static void append_stream(DtThreadBuilder *thread, const void *data, gsize bytes)
{
    g_byte_array_append(thread->chunk, data, (guint)bytes);
    thread->commit.stream_bytes += bytes;
    while (thread->chunk->len > thread->chunk_bytes - sizeof(struct dt_chunk_header))
        write_chunk(thread, thread->chunk_bytes - sizeof(struct dt_chunk_header));
}

/* ---- segments -------------------------------------------------------------------- */

static void open_segment(DtThreadBuilder *thread)
{
    if (thread->process->run->encoders > 0)
        dt_run_builder_save_memory(thread->process->run);
    thread->state = g_malloc0(dt_codec_encoder_bytes(CODEC));
    thread->process->run->encoders++;
    dt_codec_encoder_init(CODEC, thread->state);
    thread->segment = (struct dt_segment_header){.magic = DT_SEGMENT_MAGIC, .codec = CODEC};
    thread->segment.first_event = thread->commit.words;
    thread->segment.depth = thread->frames->len;
    g_byte_array_set_size(thread->opening, 0);
    g_byte_array_append(thread->opening, (const guint8 *)thread->frames->data, thread->frames->len * 4u);
    g_byte_array_set_size(thread->code, 0);
}

static void close_segment(DtThreadBuilder *thread)
{
    g_autofree guint8 *out = g_malloc(dt_codec_bound(CODEC, 0));
    g_byte_array_append(thread->code, out, (guint)dt_codec_finish(CODEC, thread->state, out));
    struct dt_segment_header *header = &thread->segment;
    header->bytes = thread->code->len;
    guint32 crc = dt_crc32(dt_segment_crc_begin(header), thread->opening->data, thread->opening->len);
    header->crc32 = dt_segment_crc_end(dt_crc32(crc, thread->code->data, thread->code->len), header);
    append_stream(thread, header, sizeof(*header));
    append_stream(thread, thread->opening->data, thread->opening->len);
    append_stream(thread, thread->code->data, thread->code->len);
    thread->record.segments++;
    g_clear_pointer(&thread->state, g_free);
    thread->process->run->encoders--;
}

/* Between two events: the open calls are those of the words so far. */
static void encode_batch(DtThreadBuilder *thread)
{
    g_autofree guint8 *out = g_malloc(dt_codec_bound(CODEC, thread->word_count));
    gsize bytes = dt_codec_encode(CODEC, thread->state, thread->words, thread->word_count, out);
    g_byte_array_append(thread->code, out, (guint)bytes);
    thread->segment.events += thread->word_count;
    thread->commit.words += thread->word_count;
    thread->word_count = 0;
    if (thread->segment.events >= DT_SEGMENT_WORDS || thread->code->len >= DT_SEGMENT_CODE_BYTES)
        close_segment(thread);
}

void dt_thread_builder_release(DtThreadBuilder *thread)
{
    if (!thread->state)
        return;
    if (thread->word_count > 0)
        encode_batch(thread);
    if (thread->state)
        close_segment(thread);
    g_clear_pointer(&thread->words, g_free);
}

/* ---- events ------------------------------------------------------------------------ */

static void append_word(DtThreadBuilder *thread, guint32 word)
{
    thread->words[thread->word_count++] = (guint16)word;
}

void dt_thread_builder_event(DtThreadBuilder *thread, guint32 id)
{
    if (!thread->state)
        open_segment(thread);
    if (!thread->words)
        thread->words = g_new(guint16, BATCH_WORDS);
    if (id == DT_WORD_RETURN && thread->frames->len > 0)
        g_array_set_size(thread->frames, thread->frames->len - 1);
    else if (id != DT_WORD_RETURN)
        g_array_append_val(thread->frames, id);
    if (id <= DT_WORD_LAST_ID) {
        append_word(thread, id);
    } else {
        append_word(thread, DT_WORD_ESCAPE);
        append_word(thread, id & 0x7fff);
        append_word(thread, id >> 15);
    }
    thread->process->run->events++;
    if (thread->word_count > BATCH_WORDS - 3)
        encode_batch(thread);
}

guint dt_thread_builder_depth(const DtThreadBuilder *thread)
{
    return thread->frames->len;
}

guint32 dt_thread_builder_top(const DtThreadBuilder *thread)
{
    return thread->frames->len > 0 ? g_array_index(thread->frames, guint32, thread->frames->len - 1) : 0;
}

/* ---- the end ------------------------------------------------------------------------- */

void dt_thread_builder_end(DtThreadBuilder *thread)
{
    if (thread->ended)
        return;
    thread->ended = TRUE;
    dt_thread_builder_release(thread);
    if (thread->chunk->len > 0)
        write_chunk(thread, thread->chunk->len);
    struct dt_thread *record = &thread->record;
    thread->commit.segment_start = thread->commit.stream_bytes;
    thread->commit.check = dt_commit_check(&thread->commit);
    record->commit[0] = record->commit[1] = thread->commit;
    record->check = dt_thread_check(record);
    memset(record->tail, 0xff, sizeof(record->tail));
    for (gsize i = 0; i < sizeof(record->tail) / sizeof(guint16); i++)
        (&record->tail[0][0])[i] = DT_WORD_UNWRITTEN;
    struct dt_chunk_header header = {.type = DT_CHUNK_THREAD, .owner = thread->index, .records = 1};
    dt_process_builder_chunk(thread->process, header, record, sizeof(*record));
}

void dt_thread_builder_free(gpointer data)
{
    DtThreadBuilder *thread = data;
    g_array_unref(thread->frames);
    g_byte_array_unref(thread->opening);
    g_byte_array_unref(thread->code);
    g_byte_array_unref(thread->chunk);
    g_free(thread->words);
    g_free(thread->state);
    g_free(thread);
}
