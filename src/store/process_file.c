/* Reading a process's trace file: header, chunks, tables. */
#include "store/process_file.h"

#include <string.h>

#include "format/checks.h"
#include "store/file_header.h"
#include "store/problems.h"
#include "store/thread_record.h"

/* What reading a file's chunks needs at every step. */
typedef struct {
    DtProcessFile *file;
    const guint8 *data;
    gsize bytes;
    GPtrArray *problems;
} Parse;

/* ---- threads -------------------------------------------------------------- */

static void G_GNUC_PRINTF(3, 4) report_record(Parse *parse, guint64 offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    dt_problem(parse->problems, parse->file->name, "%s at offset %" G_GUINT64_FORMAT ": wrong checksum: left out", what,
               offset);
}

static void add_thread(Parse *parse, const struct dt_thread *thread, DtThreadRecord record)
{
    guint16 tail[DT_TAIL_ALL_WORDS + 1];
    DtCommitChoice choice = dt_thread_choose_commit(thread, parse->file->checked);
    gsize tail_words = dt_thread_tail_words(thread, &choice, tail);
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

static void read_thread(Parse *parse, const struct dt_chunk_header *chunk, guint64 payload)
{
    struct dt_thread thread;
    DtThreadRecord record = {.index = chunk->owner, .offset = payload};
    if (chunk->bytes - sizeof(*chunk) >= sizeof(thread) && dt_thread_read(parse->data, parse->bytes, payload, &thread))
        add_thread(parse, &thread, record);
    else
        dt_problem(parse->problems, parse->file->name,
                   "the record of thread %u at offset %" G_GUINT64_FORMAT " is cut short: its trace is lost",
                   chunk->owner, payload);
}

static void read_ended_threads(Parse *parse, guint64 offset, gsize bytes)
{
    guint64 end = offset + bytes;
    struct dt_ended_thread head;
    while (end - offset >= sizeof(head)) {
        struct dt_thread thread;
        memcpy(&head, parse->data + offset, sizeof(head));
        if (head.bytes == 0)
            return;
        if (head.bytes % 8 != 0 || head.bytes < sizeof(head) || head.bytes > end - offset) {
            dt_problem(parse->problems, parse->file->name,
                       "the record of an ended thread at offset %" G_GUINT64_FORMAT
                       " is damaged: it and those behind it are lost",
                       offset);
            return;
        }
        DtThreadRecord record = {.index = head.index, .offset = offset, .packed = TRUE};
        if (dt_thread_unpack(parse->data, (gsize)(offset + head.bytes), offset, &thread))
            add_thread(parse, &thread, record);
        else
            report_record(parse, offset, "the record of ended thread %u", head.index);
        offset += head.bytes;
    }
}

/* ---- tables ----------------------------------------------------------------- */

static void read_functions(Parse *parse, guint64 offset, gsize bytes)
{
    for (gsize i = 0; i < bytes / sizeof(struct dt_function); i++, offset += sizeof(struct dt_function)) {
        struct dt_function function;
        memcpy(&function, parse->data + offset, sizeof(function));
        if (function.id == 0)
            continue;
        if (parse->file->checked && function.check != dt_function_check(&function))
            report_record(parse, offset, "function %u", function.id);
        else
            g_array_append_val(parse->file->functions, function);
    }
}

static void read_images(Parse *parse, guint64 offset, gsize bytes)
{
    for (gsize i = 0; i < bytes / sizeof(struct dt_image); i++, offset += sizeof(struct dt_image)) {
        struct dt_image image;
        memcpy(&image, parse->data + offset, sizeof(image));
        if (image.index == 0)
            continue;
        if (parse->file->checked && image.check != dt_image_check(&image)) {
            report_record(parse, offset, "image %u", image.index);
            continue;
        }
        image.key[sizeof(image.key) - 1] = 0;
        image.path[sizeof(image.path) - 1] = 0;
        g_array_append_val(parse->file->images, image);
    }
}

/* No process has so many; a damaged file may say so. */
enum { MOST_COMMUNICATORS = 65536 };

static void free_communicator(gpointer data)
{
    DtCommunicator *communicator = data;
    if (!communicator)
        return;
    g_free((char *)communicator->name);
    g_free((gint *)communicator->members);
    g_free(communicator);
}

static void add_communicator(DtProcessFile *file, const struct dt_communicator *record, const guint8 *members)
{
    guint count = (guint)record->size + (record->remote_size > 0 ? (guint)record->remote_size : 0);
    DtCommunicator *communicator = g_new0(DtCommunicator, 1);
    DtOrigin origin = {record->parent, record->creation};
    communicator->number = record->number;
    communicator->key = record->key;
    communicator->rank = record->rank;
    communicator->size = record->size;
    communicator->remote_size = record->remote_size;
    communicator->members = g_memdup2(members, count * sizeof(gint));
    if (record->number >= file->communicators->len) {
        g_ptr_array_set_size(file->communicators, (gint)record->number + 1);
        g_array_set_size(file->origins, record->number + 1);
    }
    free_communicator(file->communicators->pdata[record->number]);
    file->communicators->pdata[record->number] = communicator;
    g_array_index(file->origins, DtOrigin, record->number) = origin;
}

static gboolean communicator_is_good(const struct dt_communicator *record, const guint8 *place)
{
    gint64 members = (gint64)record->size + MAX(record->remote_size, 0);
    struct dt_communicator *copy = g_memdup2(place, record->bytes);
    gboolean good = dt_communicator_check(copy) == record->check && record->size > 0 &&
                    record->number < MOST_COMMUNICATORS &&
                    sizeof(*record) + (guint64)members * sizeof(gint32) <= record->bytes;
    g_free(copy);
    return good;
}

static void read_communicators(Parse *parse, guint64 offset, gsize bytes)
{
    struct dt_communicator record;
    for (gsize at = 0; bytes - at >= sizeof(record); at += record.bytes) {
        const guint8 *place = parse->data + offset + at;
        memcpy(&record, place, sizeof(record));
        if (record.bytes == 0)
            return;
        if (record.bytes % 8 != 0 || record.bytes < sizeof(record) || record.bytes > bytes - at) {
            report_record(parse, offset + at, "a communicator");
            return;
        }
        if (communicator_is_good(&record, place))
            add_communicator(parse->file, &record, place + sizeof(record));
        else
            report_record(parse, offset + at, "communicator %u", record.number);
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
static void check_seal(Parse *parse, guint64 offset, const struct dt_chunk_header *chunk)
{
    if (chunk->type != DT_CHUNK_THREAD && !dt_chunk_seal_holds(parse->data + offset, parse->bytes - offset))
        dt_problem(parse->problems, parse->file->name,
                   "the chunk at offset %" G_GUINT64_FORMAT " has a wrong checksum: what it says may be wrong", offset);
}

static void read_chunk(Parse *parse, guint64 offset, const struct dt_chunk_header *chunk)
{
    guint64 payload = offset + sizeof(*chunk);
    gsize bytes = MIN(chunk->bytes, parse->bytes - offset) - sizeof(*chunk);
    switch (chunk->type) {
    case DT_CHUNK_THREAD:
        read_thread(parse, chunk, payload);
        break;
    case DT_CHUNK_DATA:
    case DT_CHUNK_NOTES: {
        DtDataChunk data = {chunk->owner, chunk->sequence, payload, bytes, chunk->bytes - sizeof(*chunk), FALSE};
        data.cut = data.bytes < data.whole;
        g_array_append_val(chunk->type == DT_CHUNK_DATA ? parse->file->data : parse->file->notes, data);
        break;
    }
    case DT_CHUNK_ENDED:
        read_ended_threads(parse, payload, bytes);
        break;
    case DT_CHUNK_FUNCTIONS:
        read_functions(parse, payload, bytes);
        break;
    case DT_CHUNK_IMAGES:
        read_images(parse, payload, bytes);
        break;
    case DT_CHUNK_COMMUNICATORS:
        read_communicators(parse, payload, bytes);
        break;
    default:
        break; /* free, or of a later version */
    }
}

/* Bytes to the next place where a chunk may start. */
static gsize read_chunk_at(Parse *parse, guint64 offset)
{
    struct dt_chunk_header chunk;
    memcpy(&chunk, parse->data + offset, sizeof(chunk));
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
    check_seal(parse, offset, &chunk);
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
                   "cut short at offset %" G_GSIZE_FORMAT ": %" G_GUINT64_FORMAT " bytes are missing", parse->bytes,
                   header->file_bytes - parse->bytes);
    else if (header->file_bytes < parse->bytes && header->end_state != DT_PROCESS_RUNNING)
        dt_problem(parse->problems, parse->file->name, "%" G_GUINT64_FORMAT " bytes more than its header tells",
                   parse->bytes - header->file_bytes);
}

DtProcessFile *dt_process_file_parse(const char *name, const guint8 *data, gsize bytes, GPtrArray *problems,
                                     GError **error)
{
    DtHeader read = {0};
    if (!dt_header_read(name, data, bytes, &read, problems, error))
        return NULL;
    DtProcessFile *file = g_new0(DtProcessFile, 1);
    file->name = g_strdup(name);
    file->header = read.header;
    file->checked = read.checked;
    file->threads = g_array_new(FALSE, FALSE, sizeof(DtThreadRecord));
    file->data = g_array_new(FALSE, FALSE, sizeof(DtDataChunk));
    file->notes = g_array_new(FALSE, FALSE, sizeof(DtDataChunk));
    file->images = g_array_new(FALSE, FALSE, sizeof(struct dt_image));
    file->functions = g_array_new(FALSE, FALSE, sizeof(struct dt_function));
    file->communicators = g_ptr_array_new_with_free_func(free_communicator);
    file->origins = g_array_new(FALSE, TRUE, sizeof(DtOrigin));

    Parse parse = {.file = file, .data = data, .bytes = bytes, .problems = problems};
    check_size(&parse);
    read_chunks(&parse, read.first_chunk);
    g_array_sort(file->threads, compare_threads);
    g_array_sort(file->data, compare_data);
    g_array_sort(file->notes, compare_data);
    drop_duplicate_threads(&parse);
    drop_duplicate_chunks(&parse, file->data);
    drop_duplicate_chunks(&parse, file->notes);
    add_lost_threads(&parse);
    return file;
}

void dt_process_file_free(DtProcessFile *file)
{
    if (!file)
        return;
    g_free(file->name);
    g_array_unref(file->threads);
    g_array_unref(file->data);
    g_array_unref(file->notes);
    g_array_unref(file->images);
    g_array_unref(file->functions);
    g_ptr_array_unref(file->communicators);
    g_array_unref(file->origins);
    g_free(file);
}
