/* Synthetic runs: the trace file of a process. */
#include <string.h>

#include "format/checks.h"
#include "test_run_private.h"

enum { LATER_TYPE = 999 };

/* The coded stream of a thread and its last commit. */
struct DtCodedStream {
    GByteArray *bytes;
    struct dt_commit commit;
    guint segments;   /* complete ones */
    GArray *frames;   /* guint32: file ids of the calls open before `next_event` */
    gsize next_event; /* word at which the first starts that is not in a segment yet */
};
typedef struct DtCodedStream Stream;

static gsize align_chunk(gsize bytes)
{
    return (bytes + DT_CHUNK_ALIGN - 1) / DT_CHUNK_ALIGN * DT_CHUNK_ALIGN;
}

static void append_zeros(GByteArray *file, gsize bytes)
{
    guint old = file->len;
    g_byte_array_set_size(file, old + (guint)bytes);
    memset(file->data + old, 0, bytes);
}

static void append_chunk(GByteArray *file, guint32 type, guint32 owner, guint32 sequence, guint32 records,
                         const void *payload, gsize bytes, gsize least_bytes)
{
    struct dt_chunk_header header = {.magic = DT_CHUNK_MAGIC, .type = type, .owner = owner, .sequence = sequence};
    gsize whole = align_chunk(MAX(sizeof(header) + bytes, least_bytes));
    header.bytes = (guint32)whole;
    header.records = records;
    header.check = dt_chunk_check(&header);
    g_byte_array_append(file, (const guint8 *)&header, sizeof(header));
    if (bytes > 0)
        g_byte_array_append(file, payload, (guint)bytes);
    append_zeros(file, whole - sizeof(header) - bytes);
}

/* ---- streams -------------------------------------------------------------- */

static void follow_event(Stream *stream, const guint16 *word)
{
    guint32 id = word[0] == DT_WORD_ESCAPE ? word[1] | (guint32)word[2] << 15 : word[0];
    if (id != DT_WORD_RETURN)
        g_array_append_val(stream->frames, id);
    else if (stream->frames->len > 0)
        g_array_set_size(stream->frames, stream->frames->len - 1);
}

/* Where the segment that starts at word `start` ends: at an event. The frames go there, too. */
static gsize segment_end(const DtTestThread *thread, gsize start, gsize end, Stream *stream)
{
    gsize least = start + (thread->segment_words ? thread->segment_words : DT_SEGMENT_WORDS);
    const guint16 *words = (const guint16 *)(void *)thread->words->data;
    while (stream->next_event < end && stream->next_event < least) {
        const guint16 *event = words + stream->next_event;
        follow_event(stream, event);
        stream->next_event += *event == DT_WORD_ESCAPE ? 3 : 1;
    }
    return stream->next_event < end ? stream->next_event : end;
}

static void encode_words(const DtTestThread *thread, void *state, gsize start, gsize end, GByteArray *code)
{
    guint32 codec = thread->process->codec;
    const guint16 *words = (const guint16 *)(void *)thread->words->data;
    gsize batch = thread->batch_words ? thread->batch_words : MAX(end - start, 1);
    for (gsize at = start; at < end; at += batch) {
        gsize count = MIN(batch, end - at);
        g_autofree guint8 *out = g_malloc(dt_codec_bound(codec, count));
        g_byte_array_append(code, out, (guint)dt_codec_encode(codec, state, words + at, count, out));
    }
}

static guint32 segment_crc(const struct dt_segment_header *header, const GArray *frames, const GByteArray *code)
{
    guint32 crc = dt_crc32(dt_segment_crc_begin(header), frames->data, frames->len * sizeof(guint32));
    return dt_crc32(crc, code->data, code->len);
}

static void append_segment(const DtTestThread *thread, gsize start, gsize end, gboolean finish, const GArray *frames,
                           Stream *stream)
{
    guint32 codec = thread->process->codec;
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(codec));
    g_autoptr(GByteArray) code = g_byte_array_new();
    struct dt_segment_header header = {.magic = DT_SEGMENT_MAGIC, .codec = codec, .first_event = start};

    dt_codec_encoder_init(codec, state);
    encode_words(thread, state, start, end, code);
    stream->commit.segment_start = stream->bytes->len;
    stream->commit.segment_words = end - start;
    header.depth = frames->len;
    if (finish) {
        g_autofree guint8 *out = g_malloc(dt_codec_bound(codec, 0) + 1);
        g_byte_array_append(code, out, (guint)dt_codec_finish(codec, state, out));
        header.events = end - start;
        header.bytes = code->len;
        header.crc32 = dt_segment_crc_end(segment_crc(&header, frames, code), &header);
        stream->segments++;
        stream->commit.segment_words = 0;
        stream->commit.crc32 = 0;
        memset(stream->commit.pending, 0, sizeof(stream->commit.pending));
    } else {
        dt_codec_suspend(codec, state, stream->commit.pending);
        stream->commit.crc32 = segment_crc(&header, frames, code);
    }
    g_byte_array_append(stream->bytes, (const guint8 *)&header, sizeof(header));
    g_byte_array_append(stream->bytes, (const guint8 *)frames->data, frames->len * (guint)sizeof(guint32));
    g_byte_array_append(stream->bytes, code->data, code->len);
    if (finish)
        stream->commit.segment_start = stream->bytes->len;
}

static Stream *make_stream(const DtTestThread *thread)
{
    Stream *stream = g_new0(Stream, 1);
    stream->bytes = g_byte_array_new();
    stream->frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    gsize end = thread->words->len - MIN(thread->tail_words, thread->words->len);
    for (gsize start = 0; start < end;) {
        g_autoptr(GArray) frames = g_array_copy(stream->frames);
        gsize stop = segment_end(thread, start, end, stream);
        append_segment(thread, start, stop, stop < end || thread->finish, frames, stream);
        start = stop;
    }
    stream->commit.words = end;
    stream->commit.stream_bytes = stream->bytes->len;
    return stream;
}

void dt_coded_stream_free(DtCodedStream *stream)
{
    if (stream == NULL)
        return;
    g_byte_array_unref(stream->bytes);
    g_array_unref(stream->frames);
    g_free(stream);
}

/* Of the thread, or of the one that it is like. */
static const Stream *coded_stream(DtTestThread *thread)
{
    DtTestThread *source = thread->like ? thread->like : thread;
    if (!source->stream)
        source->stream = make_stream(source);
    return source->stream;
}

/* ---- threads --------------------------------------------------------------- */

static gsize tail_capacity(const DtTestProcess *process)
{
    return process->minor >= 5 ? DT_TAIL_WORDS + DT_TAIL_SLACK : DT_TAIL_CAPACITY_1_4;
}

/* Puts words from *start on into a tail until it is full or `end` is reached. Gaps are places that stay unwritten. */
static void fill_tail(const DtTestThread *thread, guint16 *tail, gsize *start, gsize end)
{
    const guint16 *words = (const guint16 *)(void *)thread->words->data;
    gsize at = 0;
    while (*start < end && at < tail_capacity(thread->process)) {
        guint16 word = words[*start];
        if (thread->gaps && at % 3 == 1) {
            at++;
        } else if (thread->childless && *start % 3 != 0 && word - 1u < DT_TAIL_LAST_ID && *start + 1 < end &&
                   words[*start + 1] == DT_WORD_RETURN) {
            tail[at++] = (guint16)(DT_TAIL_CHILDLESS | word);
            *start += 2;
        } else {
            tail[at++] = word;
            (*start)++;
        }
    }
}

static void fill_tails(const DtTestThread *thread, gsize committed, struct dt_thread *record)
{
    gsize end = thread->words->len, start = committed;
    struct dt_commit *commit = &record->commit[record->selector];
    guint32 active = commit->active_tail;
    gsize middle = thread->two_tails ? start + (end - start) / 2 : end;
    for (guint i = 0; i < 2 * G_N_ELEMENTS(record->tail[0]); i++)
        record->tail[i / G_N_ELEMENTS(record->tail[0])][i % G_N_ELEMENTS(record->tail[0])] = DT_WORD_UNWRITTEN;
    commit->tail_serial = record->tail_serial[active] = 7;
    record->tail_serial[1 - active] = 6;
    fill_tail(thread, record->tail[active], &start, middle);
    if (start < end) {
        record->tail_serial[1 - active] = 8;
        fill_tail(thread, record->tail[1 - active], &start, end);
    } else {
        record->tail[1 - active][0] = 1; /* of the batch before: readers must not take it */
    }
    if (start < end)
        g_error("%" G_GSIZE_FORMAT " words are too many for the tails", end - committed);
}

static void append_notes(const DtTestThread *thread, guint32 index, GByteArray *file)
{
    if (thread->notes->len > 0)
        append_chunk(file, DT_CHUNK_NOTES, index, 0, 0, thread->notes->data, thread->notes->len, 0);
}

static void append_packed(const struct dt_thread *thread, guint32 index, GByteArray *file)
{
    struct {
        struct dt_ended_thread record;
        guint16 words[DT_TAIL_WORDS + DT_TAIL_SLACK];
    } packed = {.record.index = index};
    const guint16 *tail = thread->tail[thread->commit[thread->selector].active_tail];
    memcpy(packed.record.head, thread, sizeof(packed.record.head));
    for (guint i = 0; i < G_N_ELEMENTS(packed.words); i++) {
        if (tail[i] != DT_WORD_UNWRITTEN)
            packed.words[packed.record.words++] = tail[i];
    }
    packed.record.check = dt_ended_thread_check(&packed.record);
    packed.record.bytes = (guint32)(sizeof(packed.record) + packed.record.words * sizeof(guint16) + 7) & ~7u;
    append_chunk(file, DT_CHUNK_ENDED, G_MAXUINT32, 0, 0, &packed, packed.record.bytes, 0);
}

/* As the process's version has it: earlier ones had shorter tails, later ones may have more behind the record. */
static void append_record(const DtTestProcess *process, guint32 index, const struct dt_thread *thread, GByteArray *file)
{
    struct dt_thread record = *thread;
    gsize capacity = tail_capacity(process), shorter = 2 * (sizeof(record.tail[0]) - capacity * sizeof(guint16));
    memmove(&record.tail[0][0] + capacity, record.tail[1], capacity * sizeof(guint16));
    append_chunk(file, DT_CHUNK_THREAD, index, 0, 1, &record, sizeof(record) - shorter, process->later ? 16384 : 0);
}

static void append_thread(DtTestThread *thread, guint32 index, GByteArray *file)
{
    const Stream *stream = coded_stream(thread);
    struct dt_thread record = {.kind = thread->kind, .number = thread->number, .tid = thread->process->pid + index};
    record.creator = index == 0 ? G_MAXUINT32 : 0;
    record.end_state = thread->end_state;
    if (thread->fatal_signal != 0) {
        record.last_signal = (struct dt_last_signal){.number = thread->fatal_signal, .code = 1};
        record.last_signal.check = dt_last_signal_check(&record.last_signal);
    }
    record.selector = (index + 1) % 2;
    record.start_monotonic_ns = thread->process->start_ns + 1000 * (guint64)index;
    record.segments = stream->segments;
    record.dropped_notes = thread->dropped_notes;
    memcpy(record.name, thread->name, MIN(strlen(thread->name), sizeof(record.name)));
    record.commit[record.selector] = stream->commit;
    record.commit[record.selector].active_tail = index % 2;
    record.commit[1 - record.selector].stream_bytes = 12345; /* a record that is not selected means nothing */
    fill_tails(thread->like ? thread->like : thread, stream->commit.words, &record);
    record.check = dt_thread_check(&record);
    record.commit[record.selector].check = dt_commit_check(&record.commit[record.selector]);
    if (thread->packed)
        append_packed(&record, index, file);
    if (!thread->packed || thread->gaps)
        append_record(thread->process, index, &record, file);

    gsize capacity = align_chunk(thread->chunk_bytes) - sizeof(struct dt_chunk_header);
    guint32 sequence = 0;
    for (gsize at = 0; at < stream->bytes->len; at += capacity) {
        gsize part = MIN(capacity, stream->bytes->len - at);
        append_chunk(file, DT_CHUNK_DATA, index, sequence++, 0, stream->bytes->data + at, part, thread->chunk_bytes);
    }
    append_notes(thread, index, file);
}

/* ---- the file ---------------------------------------------------------------- */

static void append_images(const DtTestProcess *process, GByteArray *file)
{
    g_autoptr(GArray) records = g_array_new(FALSE, TRUE, sizeof(struct dt_image));
    for (guint i = 0; i < process->images->len; i++) {
        const DtTestImage *image = g_ptr_array_index(process->images, i);
        struct dt_image record = {.index = i + 1, .flags = image->main_image ? DT_IMAGE_MAIN : DT_IMAGE_API_ONLY};
        record.hooked = image->symbols->len;
        g_strlcpy(record.key, image->key, sizeof(record.key));
        if (image->main_image)
            g_strlcpy(record.path, process->executable, sizeof(record.path));
        else
            g_snprintf(record.path, sizeof(record.path), "/usr/lib/%s", image->name);
        record.check = dt_image_check(&record);
        g_array_append_val(records, record);
    }
    append_chunk(file, DT_CHUNK_IMAGES, 0, 0, records->len, records->data, records->len * sizeof(struct dt_image), 0);
}

static void append_functions(const DtTestProcess *process, GByteArray *file)
{
    enum { A_CHUNK = 500 };
    for (guint i = 0; i < process->functions->len; i += A_CHUNK) {
        guint count = MIN(A_CHUNK, process->functions->len - i);
        append_chunk(file, DT_CHUNK_FUNCTIONS, 0, 0, count, &g_array_index(process->functions, struct dt_function, i),
                     count * sizeof(struct dt_function), 0);
    }
}

static guint count_threads(const DtTestProcess *process, guint32 kind)
{
    guint count = 0;
    for (guint i = 0; i < process->threads->len; i++) {
        const DtTestThread *thread = g_ptr_array_index(process->threads, i);
        if (thread->kind == kind)
            count = MAX(count, thread->number + 1);
    }
    return count;
}

/* As the collector does, when the process has ended. */
static void seal(GByteArray *file)
{
    struct dt_file_header *header = (struct dt_file_header *)(void *)file->data;
    for (gsize offset = align_chunk(header->header_bytes); offset < file->len;) {
        struct dt_chunk_header *chunk = (struct dt_chunk_header *)(void *)(file->data + offset);
        if (chunk->type != DT_CHUNK_DATA)
            chunk->seal = dt_chunk_seal(chunk);
        offset += chunk->bytes;
    }
    header->seal = dt_file_header_seal(header);
}

static gint32 world_size(const DtTestRun *run)
{
    return run->world_size > 0 ? run->world_size : (gint32)run->process_count;
}

/* What a later version may add, that readers of this one are to skip. */
static void append_unknown_chunk(const DtTestProcess *process, GByteArray *file)
{
    static const char unknown[] = "DTCK main solve DSEG";
    if (process->later)
        append_chunk(file, LATER_TYPE, 0, 0, 3, unknown, sizeof(unknown), 8192);
}

static void append_header(const DtTestProcess *process, GByteArray *file)
{
    struct dt_file_header header = {.major = process->major, .minor = process->minor, .endian = DT_ENDIAN_MARK};
    memcpy(header.magic, DT_FILE_MAGIC, sizeof(header.magic));
    header.header_bytes = sizeof(header) + (process->later ? DT_CHUNK_ALIGN : 0);
    header.flags = process->flags | (process->later ? 1u << 31 : 0);
    header.pid = process->pid;
    header.ppid = 1;
    header.rank = process->rank;
    header.world_size = process->rank >= 0 ? world_size(process->run) : -1;
    header.start_realtime_ns = 1700000000000000000u + process->start_ns;
    header.start_monotonic_ns = process->start_ns;
    header.end_monotonic_ns = process->end_state == DT_PROCESS_RUNNING ? 0 : process->end_ns;
    header.end_state = process->end_state;
    header.end_status = process->end_status;
    header.images_mode = DT_IMAGES_APP;
    header.codec = process->codec;
    header.app_threads = count_threads(process, DT_THREAD_APP);
    header.library_threads = count_threads(process, DT_THREAD_LIBRARY);
    header.functions = process->functions->len;
    header.hooked = process->functions->len;
    header.stop_errno = process->stop_errno;
    g_strlcpy(header.host, process->host, sizeof(header.host));
    g_strlcpy(header.executable, process->executable, sizeof(header.executable));
    g_strlcpy(header.arguments, process->arguments, sizeof(header.arguments));
    header.check = dt_file_header_check(&header);
    g_byte_array_append(file, (const guint8 *)&header, sizeof(header));
    append_zeros(file, align_chunk(header.header_bytes) - sizeof(header));
}

void dt_write_process(const DtTestProcess *process)
{
    g_autoptr(GByteArray) file = g_byte_array_new();
    append_header(process, file);
    append_unknown_chunk(process, file);
    append_images(process, file);
    if (process->tables_first)
        append_functions(process, file);
    for (guint i = 0; i < process->threads->len; i++)
        append_thread(g_ptr_array_index(process->threads, i), i, file);
    append_unknown_chunk(process, file);
    if (!process->tables_first)
        append_functions(process, file);
    struct dt_file_header *header = (struct dt_file_header *)(void *)file->data;
    header->file_bytes = file->len;
    if (process->sealed)
        seal(file);

    g_autofree char *name = dt_test_process_file(process);
    g_autofree char *path = g_strconcat(process->run->path, "/", name, NULL);
    dt_write_bytes(path, file->data, file->len);
}
