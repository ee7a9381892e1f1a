/* Reading a process's trace file: header, chunks, tables. */
#include "store/process_file.h"

#include <string.h>

#include "format/checks.h"
#include "store/file_header.h"
#include "store/problems.h"
#include "store/process_tables.h"
#include "store/sealed/sealed_reader.h"
#include "store/thread_record.h"

/* What reading a file's chunks needs at every step. */
typedef struct {
    DtProcessFile *file;
    DtWindow *window;
    guint64 bytes; /* of the file */
    GPtrArray *problems;
} Parse;

/* ---- threads -------------------------------------------------------------- */

static void add_thread(Parse *parse, const struct dt_thread *thread, DtThreadRecord record)
{
    guint16 tail[DT_TAIL_ALL_WORDS + 1];
    DtCommitChoice choice = dt_thread_choose_commit(thread, parse->file->checked);
    gsize tail_words = dt_thread_tail_words(thread, &choice, parse->file->childless, tail);
    record.kind = thread->kind;
    record.number = thread->number;
    record.returned = thread->end_state == DT_THREAD_RETURNED;
    memcpy(record.name, thread->name, sizeof(thread->name));
    guint64 words = choice.commit ? choice.commit->words : 0, bytes = choice.commit ? choice.commit->stream_bytes : 0;
    record.dropped_words = thread->kept_stream > 0 ? MIN(thread->kept_words, words) : 0;
    record.words = words - record.dropped_words + tail_words;
    record.bytes = bytes - MIN(thread->kept_stream, bytes) + 2 * tail_words;
    record.dropped_events = thread->dropped_events;
    record.dropped_notes = thread->dropped_notes;
    if (thread->last_signal.check == dt_last_signal_check(&thread->last_signal))
        record.signal = thread->last_signal;
    if (thread->open_frames.cause != 0 && thread->open_frames.count <= DT_OPEN_FRAMES &&
        thread->open_frames.check == dt_open_frames_check(&thread->open_frames))
        record.open = g_memdup2(&thread->open_frames, sizeof(thread->open_frames));
    record.last_seen_ns = MAX(MAX(thread->start_monotonic_ns, thread->end_monotonic_ns), thread->last_seen_ns);
    if (parse->file->checked && thread->check != 0 && thread->check != dt_thread_check(thread))
        dt_problem(parse->problems, parse->file->name,
                   "thread %u at offset %" G_GUINT64_FORMAT ": wrong checksum: its number and name may be wrong",
                   record.index, record.offset);
    if (thread->selector > 1)
        dt_problem(parse->problems, parse->file->name,
                   "thread %u at offset %" G_GUINT64_FORMAT ": selector %u should be 0 or 1", record.index,
                   record.offset, thread->selector);
    g_array_append_val(parse->file->threads, record);
}

static void read_thread(Parse *parse, const struct dt_chunk_header *chunk, DtPayload payload)
{
    struct dt_thread thread;
    DtThreadRecord record = {.index = chunk->owner, .offset = payload.offset};
    if (dt_thread_read(payload.data, payload.bytes, parse->file->tail_capacity, &thread))
        add_thread(parse, &thread, record);
    else
        dt_problem(parse->problems, parse->file->name,
                   "the record of thread %u at offset %" G_GUINT64_FORMAT " is cut short: its trace is lost",
                   chunk->owner, payload.offset);
}

static void read_ended_threads(Parse *parse, DtPayload payload)
{
    struct dt_ended_thread head;
    for (; payload.bytes >= sizeof(head); payload = dt_payload_behind(payload, head.bytes)) {
        struct dt_thread thread;
        memcpy(&head, payload.data, sizeof(head));
        if (head.bytes == 0)
            return;
        if (head.bytes % 8 != 0 || head.bytes < sizeof(head) || head.bytes > payload.bytes) {
            dt_problem(parse->problems, parse->file->name,
                       "the record of an ended thread at offset %" G_GUINT64_FORMAT
                       " is damaged: it and those behind it are lost",
                       payload.offset);
            return;
        }
        DtThreadRecord record = {.index = head.index, .offset = payload.offset, .packed = TRUE};
        if (dt_thread_unpack(payload.data, head.bytes, &thread))
            add_thread(parse, &thread, record);
        else
            dt_report_record(parse->file, parse->problems, payload.offset, "the record of ended thread %u", head.index);
    }
}

/* ---- chunks ------------------------------------------------------------------- */

gboolean dt_chunk_seal_holds(const guint8 *chunk, guint64 bytes)
{
    const struct dt_chunk_header *header = (const struct dt_chunk_header *)(const void *)chunk;
    if (header->seal == 0 || header->type == DT_CHUNK_DATA || header->bytes > bytes)
        return TRUE;
    return header->seal == dt_chunk_seal(header);
}

/* Threads' chunks are many: theirs are checked when they are read. */
static void check_seal(Parse *parse, guint64 offset, const guint8 *chunk, guint64 there)
{
    if (!dt_chunk_seal_holds(chunk, there))
        dt_problem(parse->problems, parse->file->name,
                   "the chunk at offset %" G_GUINT64_FORMAT " has a wrong checksum: what it says may be wrong", offset);
}

static void add_stream_chunk(GArray *chunks, const struct dt_chunk_header *chunk, guint64 offset, gsize there)
{
    DtDataChunk data = {chunk->owner, chunk->sequence, offset, there, chunk->bytes - sizeof(*chunk), FALSE};
    data.cut = data.bytes < data.whole;
    g_array_append_val(chunks, data);
}

static void read_chunk(Parse *parse, guint64 offset, const struct dt_chunk_header *chunk)
{
    gsize there = (gsize)MIN(chunk->bytes, parse->bytes - offset);
    DtPayload payload = {NULL, there - sizeof(*chunk), offset + sizeof(*chunk)};
    if (chunk->type == DT_CHUNK_DATA) {
        add_stream_chunk(parse->file->data, chunk, payload.offset, payload.bytes);
        return;
    }
    const guint8 *data = dt_window_view(parse->window, offset, there);
    payload.data = data + sizeof(*chunk);
    if (chunk->type == DT_CHUNK_THREAD) {
        read_thread(parse, chunk, payload);
        return;
    }
    check_seal(parse, offset, data, there);
    if (chunk->type == DT_CHUNK_NOTES)
        add_stream_chunk(parse->file->notes, chunk, payload.offset, payload.bytes);
    else if (chunk->type == DT_CHUNK_TIMES)
        add_stream_chunk(parse->file->times, chunk, payload.offset, payload.bytes);
    else if (chunk->type == DT_CHUNK_STAMPS)
        add_stream_chunk(parse->file->stamps, chunk, payload.offset, payload.bytes);
    else if (chunk->type == DT_CHUNK_ENDED)
        read_ended_threads(parse, payload);
    else
        dt_read_table(parse->file, chunk->type, payload, parse->problems);
}

/* Bytes to the next place where a chunk may start. */
static gsize read_chunk_at(Parse *parse, guint64 offset)
{
    struct dt_chunk_header chunk;
    memcpy(&chunk, dt_window_view(parse->window, offset, sizeof(chunk)), sizeof(chunk));
    if (chunk.magic == 0) { /* its writer died before it was filled, or it was overwritten */
        if (parse->file->first_hole == 0)
            parse->file->first_hole = offset;
        return DT_CHUNK_ALIGN;
    }
    if (chunk.magic != DT_CHUNK_MAGIC) {
        dt_problem(parse->problems, parse->file->name, "no chunk at offset %" G_GUINT64_FORMAT, offset);
        return DT_CHUNK_ALIGN;
    }
    if (chunk.bytes == 0 || chunk.bytes % DT_CHUNK_ALIGN != 0) {
        dt_problem(parse->problems, parse->file->name,
                   "the chunk at offset %" G_GUINT64_FORMAT " has the impossible size %u", offset, chunk.bytes);
        return DT_CHUNK_ALIGN;
    }
    if (parse->file->checked && chunk.check != dt_chunk_check(&chunk)) {
        dt_problem(parse->problems, parse->file->name,
                   "the chunk at offset %" G_GUINT64_FORMAT " has a wrong checksum in its header: left out", offset);
        return DT_CHUNK_ALIGN;
    }
    if (chunk.type != DT_CHUNK_DATA && chunk.bytes > DT_CHUNK_MOST_BYTES) {
        dt_problem(parse->problems, parse->file->name,
                   "the chunk at offset %" G_GUINT64_FORMAT " has the impossible size %u: left out", offset,
                   chunk.bytes);
        return DT_CHUNK_ALIGN;
    }
    if (chunk.bytes > parse->bytes - offset)
        dt_problem(parse->problems, parse->file->name,
                   "the chunk at offset %" G_GUINT64_FORMAT " has %" G_GUINT64_FORMAT " of its %u bytes", offset,
                   parse->bytes - offset, chunk.bytes);
    read_chunk(parse, offset, &chunk);
    return chunk.bytes;
}

static void read_chunks(Parse *parse, guint64 offset)
{
    while (offset < parse->bytes && parse->bytes - offset >= sizeof(struct dt_chunk_header))
        offset += read_chunk_at(parse, offset);
}

static gint compare_threads(gconstpointer first, gconstpointer second)
{
    const DtThreadRecord *one = first, *two = second;
    if (one->index != two->index)
        return one->index < two->index ? -1 : 1;
    return two->packed - one->packed;
}

static gint compare_data(gconstpointer first, gconstpointer second)
{
    const DtDataChunk *one = first, *two = second;
    if (one->owner != two->owner)
        return one->owner < two->owner ? -1 : 1;
    return (one->sequence > two->sequence) - (one->sequence < two->sequence);
}

static void clear_thread(DtThreadRecord *record)
{
    g_clear_pointer(&record->open, g_free);
}

/* One record a thread, one chunk a place: others are damage. */
static void drop_duplicate_threads(Parse *parse)
{
    GArray *threads = parse->file->threads;
    for (guint i = 1; i < threads->len;) {
        DtThreadRecord *record = &g_array_index(threads, DtThreadRecord, i);
        if (record->index != record[-1].index) {
            i++;
            continue;
        }
        gboolean moved = record[-1].packed && !record->packed; /* its writer died just then */
        if (!moved)
            dt_problem(parse->problems, parse->file->name,
                       "a second record of thread %u at offset %" G_GUINT64_FORMAT " is left out", record->index,
                       record->offset);
        clear_thread(record);
        g_array_remove_index(threads, i);
    }
}

static void drop_duplicate_chunks(Parse *parse, GArray *chunks)
{
    for (guint i = 1; i < chunks->len;) {
        DtDataChunk *chunk = &g_array_index(chunks, DtDataChunk, i);
        if (compare_data(chunk, chunk - 1) != 0) {
            i++;
            continue;
        }
        dt_problem(parse->problems, parse->file->name,
                   "a second chunk %u of thread %u at offset %" G_GUINT64_FORMAT " is left out", chunk->sequence,
                   chunk->owner, chunk->offset);
        g_array_remove_index(chunks, i);
    }
}

/* Threads whose record is lost, but not all of their stream. */
static void add_lost_threads(Parse *parse)
{
    GArray *threads = parse->file->threads;
    guint known = 0, count = threads->len;
    for (guint i = 0; i < parse->file->data->len; i++) {
        const DtDataChunk *chunk = &g_array_index(parse->file->data, DtDataChunk, i);
        if (i > 0 && chunk[-1].owner == chunk->owner)
            continue;
        while (known < count && g_array_index(threads, DtThreadRecord, known).index < chunk->owner)
            known++;
        if (known < count && g_array_index(threads, DtThreadRecord, known).index == chunk->owner)
            continue;
        DtThreadRecord lost = {.index = chunk->owner, .kind = DT_THREAD_APP, .number = chunk->owner, .lost = TRUE};
        g_array_append_val(threads, lost);
        dt_problem(parse->problems, parse->file->name,
                   "the chunk at offset %" G_GUINT64_FORMAT
                   " belongs to thread %u, which has no record: only complete segments of its trace are read",
                   chunk->offset, chunk->owner);
    }
    g_array_sort(threads, compare_threads);
}

/* ---- the file ------------------------------------------------------------------- */

/* A process whose recording stopped had space promised that it never got. */
static void check_size(Parse *parse)
{
    const struct dt_file_header *header = &parse->file->header;
    if (header->file_bytes > parse->bytes && !(header->flags & DT_FILE_STOPPED))
        dt_problem(parse->problems, parse->file->name,
                   "cut short at offset %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " bytes are missing", parse->bytes,
                   header->file_bytes - parse->bytes);
    else if (header->file_bytes < parse->bytes && header->end_state != DT_PROCESS_RUNNING &&
             !dt_file_is_blank_from(parse->window->file, header->file_bytes))
        dt_problem(parse->problems, parse->file->name, "%" G_GUINT64_FORMAT " bytes more than its header tells",
                   parse->bytes - header->file_bytes);
}

static DtProcessFile *new_file(const char *name, const DtHeader *read)
{
    DtProcessFile *file = g_new0(DtProcessFile, 1);
    file->name = g_strdup(name);
    file->header = read->header;
    file->checked = read->checked;
    file->childless = read->childless;
    file->tail_capacity = read->tail_capacity;
    file->threads = g_array_new(FALSE, FALSE, sizeof(DtThreadRecord));
    file->data = g_array_new(FALSE, FALSE, sizeof(DtDataChunk));
    file->notes = g_array_new(FALSE, FALSE, sizeof(DtDataChunk));
    file->times = g_array_new(FALSE, FALSE, sizeof(DtDataChunk));
    file->stamps = g_array_new(FALSE, FALSE, sizeof(DtDataChunk));
    file->images = g_array_new(FALSE, FALSE, sizeof(struct dt_image));
    file->functions = g_array_new(FALSE, FALSE, sizeof(struct dt_function));
    file->sites = g_array_new(FALSE, FALSE, sizeof(struct dt_call_site));
    file->site_images = g_array_new(FALSE, FALSE, sizeof(struct dt_image));
    file->communicators = g_ptr_array_new_with_free_func(dt_communicator_free);
    file->origins = g_array_new(FALSE, TRUE, sizeof(DtOrigin));
    file->arrays = g_ptr_array_new_with_free_func(g_free);
    file->unrecorded = g_array_new(FALSE, FALSE, sizeof(struct dt_unrecorded));
    return file;
}

/* Behind the header, in its page; a record that is not whole was being written. */
static void read_unrecorded(Parse *parse)
{
    struct dt_unrecorded record;
    if (parse->file->header.header_bytes > DT_UNRECORDED_OFFSET)
        return;
    for (guint i = 0; i < DT_UNRECORDED_RECORDS; i++) {
        guint64 offset = DT_UNRECORDED_OFFSET + i * sizeof(record);
        memcpy(&record, dt_window_view(parse->window, offset, sizeof(record)), sizeof(record));
        if (record.pid > 0 && record.pid <= G_MAXINT && record.check == dt_unrecorded_check(&record))
            g_array_append_val(parse->file->unrecorded, record);
    }
}

/* What the sealed form lacks says more than that its header cannot be read. */
static void tell_damage(const DtFile *from, const char *name, GError **error)
{
    g_autoptr(GPtrArray) damage = g_ptr_array_new_with_free_func(g_free);
    if (from->sealed)
        dt_sealed_report(from->sealed, name, damage);
    if (damage->len == 0)
        return;
    g_clear_error(error);
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED, "%s", (const char *)damage->pdata[0]);
}

DtProcessFile *dt_process_file_read(const char *name, const DtFile *from, GPtrArray *problems, GError **error)
{
    DtHeader read = {0};
    g_auto(DtWindow) window = {.file = from};
    if (!dt_header_read(name, &window, &read, problems, error)) {
        tell_damage(from, name, error);
        return NULL;
    }
    DtProcessFile *file = new_file(name, &read);
    Parse parse = {.file = file, .window = &window, .bytes = from->bytes, .problems = problems};
    check_size(&parse);
    read_unrecorded(&parse);
    read_chunks(&parse, read.first_chunk);
    g_array_sort(file->threads, compare_threads);
    g_array_sort(file->data, compare_data);
    g_array_sort(file->notes, compare_data);
    g_array_sort(file->times, compare_data);
    g_array_sort(file->stamps, compare_data);
    drop_duplicate_threads(&parse);
    drop_duplicate_chunks(&parse, file->data);
    drop_duplicate_chunks(&parse, file->notes);
    drop_duplicate_chunks(&parse, file->times);
    drop_duplicate_chunks(&parse, file->stamps);
    add_lost_threads(&parse);
    if (from->sealed)
        dt_sealed_report(from->sealed, name, problems);
    return file;
}

void dt_process_file_free(DtProcessFile *file)
{
    if (!file)
        return;
    g_free(file->name);
    for (guint i = 0; i < file->threads->len; i++)
        clear_thread(&g_array_index(file->threads, DtThreadRecord, i));
    g_array_unref(file->threads);
    g_array_unref(file->data);
    g_array_unref(file->notes);
    g_array_unref(file->times);
    g_array_unref(file->stamps);
    g_array_unref(file->images);
    g_array_unref(file->functions);
    g_array_unref(file->sites);
    g_array_unref(file->site_images);
    g_ptr_array_unref(file->communicators);
    g_array_unref(file->origins);
    g_ptr_array_unref(file->arrays);
    g_array_unref(file->unrecorded);
    g_free(file);
}
