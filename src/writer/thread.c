/* A thread: its stream in data chunks, its notes, its record. */
#include <string.h>

#include "codec/codec.h"
#include "format/checks.h"
#include "format/note.h"
#include "format/varint.h"
#include "text/text.h"
#include "writer/writer_private.h"

enum { MOST_ENCODERS = 64, LARGEST_CHUNK = 256 << 10, NOTES_CHUNK = 64 << 10 };
/* Of times; behind it another one and an anchor find room. */
enum { MOST_TIMES = NOTES_CHUNK - (int)sizeof(struct dt_chunk_header) - 64 };

struct DtThreadWriter {
    DtProcessWriter *process;
    guint32 index;
    struct dt_thread record;
    DtStreamWriter stream;
    guint32 sequence, note_sequence, time_sequence; /* of the next chunks */
    gsize chunk_bytes;                              /* of the next data chunk */
    GByteArray *notes;                              /* of the next chunk; empty, or a struct dt_notes and notes */
    guint64 position;                               /* of that chunk */
    GByteArray *times;                              /* of the next chunk; empty, or a struct dt_times and items */
    guint64 timed_position, time;                   /* of the last item */
};

static guint32 checked_codec(DtProcessWriter *process)
{
    DtRunWriter *run = process->run;
    if (dt_codec_encoder_bytes(process->header.codec) > 0)
        return process->header.codec;
    if (!run->error)
        dt_set_error(&run->error, DT_WRITER_ERROR, DT_WRITER_ERROR_CODEC,
                     "%s: there is no codec %u: choose one of dt_codecs", process->path, process->header.codec);
    return DT_CODEC_LZR;
}

DtThreadWriter *dt_process_writer_thread(DtProcessWriter *process, guint32 kind, guint32 number)
{
    DtThreadWriter *thread = g_new0(DtThreadWriter, 1);
    struct dt_file_header *header = &process->header;
    guint32 *numbers = kind == DT_THREAD_APP ? &header->app_threads : &header->library_threads;
    thread->process = process;
    thread->index = process->thread_count++;
    thread->record.kind = kind;
    thread->record.number = number;
    thread->record.creator = G_MAXUINT32;
    thread->notes = g_byte_array_new();
    thread->times = g_byte_array_new();
    thread->chunk_bytes = DT_CHUNK_ALIGN;
    dt_stream_writer_init(&thread->stream, checked_codec(process));
    *numbers = MAX(*numbers, number + 1);
    g_ptr_array_add(process->threads, thread);
    process->run->written.threads++;
    return thread;
}

struct dt_thread *dt_thread_writer_record(DtThreadWriter *thread)
{
    return &thread->record;
}

/* ---- the stream -------------------------------------------------------------------------------- */

static void write_data(DtThreadWriter *thread, gsize bytes)
{
    struct dt_chunk_header chunk = {.type = DT_CHUNK_DATA, .owner = thread->index, .sequence = thread->sequence++};
    dt_process_writer_chunk(thread->process, chunk, thread->stream.bytes->data, bytes);
    g_byte_array_remove_range(thread->stream.bytes, 0, (guint)bytes);
    thread->chunk_bytes = MIN(2 * thread->chunk_bytes, LARGEST_CHUNK);
}

/* While no segment is open. */
static void write_full_chunks(DtThreadWriter *thread)
{
    while (thread->stream.bytes->len > thread->chunk_bytes - sizeof(struct dt_chunk_header))
        write_data(thread, thread->chunk_bytes - sizeof(struct dt_chunk_header));
}

static void complete_segment(DtThreadWriter *thread)
{
    dt_stream_writer_finish(&thread->stream);
    write_full_chunks(thread);
}

/* Encoders are large, and there may be any number of threads. */
static void bound_encoders(DtThreadWriter *thread)
{
    GPtrArray *encoding = thread->process->run->encoding;
    if (encoding->len >= MOST_ENCODERS) {
        for (guint i = 0; i < encoding->len; i++)
            complete_segment(g_ptr_array_index(encoding, i));
        g_ptr_array_set_size(encoding, 0);
    }
    g_ptr_array_add(encoding, thread);
}

void dt_thread_writer_event(DtThreadWriter *thread, guint32 id)
{
    if (!thread->stream.state)
        bound_encoders(thread);
    if (dt_stream_writer_event(&thread->stream, id))
        write_full_chunks(thread);
}

guint32 dt_thread_writer_top(const DtThreadWriter *thread)
{
    const GArray *frames = thread->stream.frames;
    return frames->len > 0 ? g_array_index(frames, guint32, frames->len - 1) : 0;
}

/* ---- notes ------------------------------------------------------------------------------------- */

static void write_notes(DtThreadWriter *thread)
{
    struct dt_chunk_header chunk = {.type = DT_CHUNK_NOTES, .owner = thread->index};
    if (thread->notes->len == 0)
        return;
    chunk.sequence = thread->note_sequence++;
    dt_process_writer_chunk(thread->process, chunk, thread->notes->data, thread->notes->len);
    g_byte_array_set_size(thread->notes, 0);
}

void dt_thread_writer_note(DtThreadWriter *thread, guint32 kind, const gint64 *values, guint count, const char *text)
{
    struct dt_note note = {.kind = kind, .count = MIN(count, DT_NOTE_VALUES), .text = (const guint8 *)text};
    guint64 position = thread->stream.commit.words + thread->stream.word_count;
    struct dt_notes head = {.position = position};
    guint8 body[DT_NOTE_BODY];
    if (thread->notes->len == 0) {
        g_byte_array_append(thread->notes, (const guint8 *)&head, sizeof(head));
        thread->position = position;
    }
    if (note.count > 0)
        memcpy(note.values, values, note.count * sizeof(*values));
    note.offset = position - thread->position;
    note.text_bytes = text ? strlen(text) : 0;
    guint8 length = note.count == count ? (guint8)dt_note_encode(&note, body) : 0;
    if (length == 0) {
        thread->record.dropped_notes++;
        return;
    }
    g_byte_array_append(thread->notes, &length, 1);
    g_byte_array_append(thread->notes, body, length);
    if (thread->notes->len > NOTES_CHUNK - sizeof(struct dt_chunk_header) - 1 - DT_NOTE_BODY)
        write_notes(thread);
}

/* ---- times ------------------------------------------------------------------------------------- */

static void write_times(DtThreadWriter *thread)
{
    struct dt_chunk_header chunk = {.type = DT_CHUNK_TIMES, .owner = thread->index};
    if (thread->times->len == 0)
        return;
    struct dt_times *head = (struct dt_times *)(void *)thread->times->data;
    head->used = (guint32)(thread->times->len - sizeof(*head));
    chunk.sequence = thread->time_sequence++;
    dt_process_writer_chunk(thread->process, chunk, thread->times->data, thread->times->len);
    g_byte_array_set_size(thread->times, 0);
}

static void put_anchor(GByteArray *times, guint64 ns, guint64 processor_ns)
{
    const guint8 code = DT_TIME_ANCHOR;
    const struct dt_time_anchor anchor = {.counter = ns, .monotonic_ns = ns, .processor_ns = processor_ns};
    g_byte_array_append(times, &code, sizeof(code));
    g_byte_array_append(times, (const guint8 *)&anchor, sizeof(anchor));
}

/* The counter is the clock. */
static void begin_times(DtThreadWriter *thread, guint64 position, guint64 ns)
{
    const struct dt_times head = {.position = position, .counter = ns};
    if (thread->times->len > 0)
        return;
    g_byte_array_append(thread->times, (const guint8 *)&head, sizeof(head));
    put_anchor(thread->times, ns, 0);
    put_anchor(thread->times, ns + 1, 0);
    thread->timed_position = position;
    thread->time = ns;
}

void dt_thread_writer_processor_time(DtThreadWriter *thread, guint64 ns, guint64 processor_ns)
{
    begin_times(thread, thread->stream.commit.words + thread->stream.word_count, ns);
    put_anchor(thread->times, ns, processor_ns);
    if (thread->times->len > MOST_TIMES)
        write_times(thread);
}

/* No time is rounded. */
void dt_thread_writer_time(DtThreadWriter *thread, guint64 ns)
{
    guint64 position = thread->stream.commit.words + thread->stream.word_count;
    begin_times(thread, position, ns);
    const guint64 passed = ns > thread->time ? ns - thread->time : 0;
    guint8 item[1 + sizeof(passed) + DT_VARINT_BYTES] = {DT_TIME_LONG};
    memcpy(item + 1, &passed, sizeof(passed));
    gsize bytes = dt_varint_put(item + 1 + sizeof(passed), position - thread->timed_position);
    g_byte_array_append(thread->times, item, (guint)(1 + sizeof(passed) + bytes));
    thread->timed_position = position;
    thread->time += passed;
    if (thread->times->len > MOST_TIMES)
        write_times(thread);
}

/* ---- the end ------------------------------------------------------------------------------------- */

static void write_record(DtThreadWriter *thread)
{
    struct dt_thread *record = &thread->record;
    struct dt_chunk_header chunk = {.type = DT_CHUNK_THREAD, .owner = thread->index, .records = 1};
    record->segments = thread->stream.segments;
    record->commit[0] = record->commit[1] = thread->stream.commit;
    record->commit[0].check = record->commit[1].check = dt_commit_check(&thread->stream.commit);
    for (gsize i = 0; i < G_N_ELEMENTS(record->tail[0]); i++)
        record->tail[0][i] = record->tail[1][i] = DT_WORD_UNWRITTEN;
    record->last_signal.check = record->last_signal.number ? dt_last_signal_check(&record->last_signal) : 0;
    record->open_frames.check = record->open_frames.cause ? dt_open_frames_check(&record->open_frames) : 0;
    record->check = dt_thread_check(record);
    dt_process_writer_chunk(thread->process, chunk, record, sizeof(*record));
}

void dt_thread_writer_end(DtThreadWriter *thread)
{
    DtProcessWriter *process = thread->process;
    DtRunWriter *run = process->run;
    complete_segment(thread);
    if (thread->stream.bytes->len > 0)
        write_data(thread, thread->stream.bytes->len);
    write_notes(thread);
    write_times(thread);
    write_record(thread);
    run->written.events += thread->stream.events;
    while (g_ptr_array_remove_fast(run->encoding, thread)) {
    }
    g_ptr_array_remove_fast(process->threads, thread);
}

void dt_thread_writer_free(gpointer data)
{
    DtThreadWriter *thread = data;
    dt_stream_writer_clear(&thread->stream);
    g_byte_array_unref(thread->notes);
    g_byte_array_unref(thread->times);
    g_free(thread);
}
