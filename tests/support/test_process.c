/* Synthetic runs: the trace file of a process. */
#include <string.h>

#include "format/checks.h"
#include "test_run_private.h"
#include "writer/writer_private.h"

enum { LATER_TYPE = 999 };

static gsize align_chunk(gsize bytes)
{
    return (bytes + DT_CHUNK_ALIGN - 1) / DT_CHUNK_ALIGN * DT_CHUNK_ALIGN;
}

/* ---- streams -------------------------------------------------------------- */

static guint32 id_at(const guint16 *word)
{
    return word[0] == DT_WORD_ESCAPE ? word[1] | (guint32)word[2] << 15 : word[0];
}

/* Leaves the segment open that is open. */
static void suspend(DtStreamWriter *stream)
{
    struct dt_segment_header header;
    struct dt_commit *commit = &stream->commit;
    if (stream->word_count > 0)
        dt_stream_writer_encode(stream);
    if (!stream->state)
        return;
    const guint8 *open = stream->bytes->data + stream->segment_at;
    gsize bytes = stream->bytes->len - stream->segment_at;
    memcpy(&header, open, sizeof(header));
    dt_codec_suspend(stream->codec, stream->state, commit->pending);
    commit->crc32 = dt_crc32(dt_segment_crc_begin(&header), open + sizeof(header), bytes - sizeof(header));
    commit->segment_words = stream->open_words;
    commit->stream_bytes += bytes;
}

static DtStreamWriter *make_stream(const DtTestThread *thread)
{
    DtStreamWriter *stream = g_new(DtStreamWriter, 1);
    const guint16 *words = (const guint16 *)(void *)thread->words->data;
    gsize end = thread->words->len - MIN(thread->tail_words, thread->words->len), at = 0;
    dt_stream_writer_init(stream, thread->process->codec);
    stream->batch_words = thread->batch_words ? thread->batch_words : stream->batch_words;
    stream->segment_words = thread->segment_words ? thread->segment_words : stream->segment_words;
    for (gsize next; (next = at + (at < end && words[at] == DT_WORD_ESCAPE ? 3 : 1)) <= end; at = next)
        dt_stream_writer_event(stream, id_at(words + at));
    if (at < end && !stream->state)
        dt_stream_writer_open(stream);
    while (at < end) /* an escape whose end is in the tail */
        stream->words[stream->word_count++] = words[at++];
    if (thread->finish)
        dt_stream_writer_finish(stream);
    else
        suspend(stream);
    return stream;
}

/* Of the thread, or of the one that it is like. */
static const DtStreamWriter *coded_stream(DtTestThread *thread)
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

static void append_packed(const DtTestProcess *process, guint32 index, const struct dt_thread *thread)
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
    struct dt_chunk_header chunk = {.type = DT_CHUNK_ENDED, .owner = G_MAXUINT32};
    dt_process_writer_chunk(process->writer, chunk, &packed, packed.record.bytes);
}

/* As the process's version has it: earlier ones had shorter tails, later ones may have more behind the record. */
static void append_record(const DtTestProcess *process, guint32 index, const struct dt_thread *thread)
{
    struct dt_thread record = *thread;
    gsize capacity = tail_capacity(process), shorter = 2 * (sizeof(record.tail[0]) - capacity * sizeof(guint16));
    memmove(&record.tail[0][0] + capacity, record.tail[1], capacity * sizeof(guint16));
    struct dt_chunk_header chunk = {.type = DT_CHUNK_THREAD, .owner = index, .records = 1};
    chunk.bytes = process->later ? 16384 : 0;
    dt_process_writer_chunk(process->writer, chunk, &record, sizeof(record) - shorter);
}

/* ---- times ------------------------------------------------------------------- */

enum { FIRST_TICKS = 5000000, A_CALL = 100, BATCH_AFTER = 30, LONG_AFTER = 40, LOST_AFTER = 50 };

static void put_byte(GByteArray *row, guint8 byte)
{
    g_byte_array_append(row, &byte, 1);
}

static void put_anchor(GByteArray *row, guint64 ticks)
{
    const struct dt_time_anchor anchor = {ticks, 2 * ticks, ticks / 2};
    put_byte(row, DT_TIME_ANCHOR);
    g_byte_array_append(row, (const guint8 *)&anchor, sizeof(anchor));
}

static void append_row(DtTestThread *thread, guint32 index)
{
    struct dt_chunk_header chunk = {.type = DT_CHUNK_TIMES, .owner = index};
    g_autoptr(GByteArray) row = g_byte_array_new();
    struct dt_times head = {.counter = FIRST_TICKS};
    const guint64 passed = FIRST_TICKS;
    g_byte_array_append(row, (const guint8 *)&head, sizeof(head));
    put_anchor(row, FIRST_TICKS);
    for (guint at = 0; at + 3 < thread->words->len - MIN(thread->tail_words, thread->words->len); at += 3) {
        if (at % LOST_AFTER == 0)
            put_byte(row, DT_TIME_LOST);
        if (at % BATCH_AFTER == 0)
            put_byte(row, DT_TIME_BATCH);
        put_byte(row, at % LONG_AFTER == 0 ? DT_TIME_LONG : A_CALL);
        if (at % LONG_AFTER == 0)
            g_byte_array_append(row, (const guint8 *)&passed, sizeof(passed));
        put_byte(row, at == 0 ? 0 : 3);
    }
    put_anchor(row, 3 * FIRST_TICKS);
    ((struct dt_times *)(void *)row->data)->used = (guint32)(row->len - sizeof(head));
    dt_process_writer_chunk(thread->process->writer, chunk, row->data, row->len);
}

static void append_stamps(const DtTestThread *thread, guint32 index)
{
    struct dt_chunk_header chunk = {.type = DT_CHUNK_STAMPS, .owner = index};
    g_autofree struct dt_stamps *stamps = g_new0(struct dt_stamps, 1);
    stamps->begin = (struct dt_time_anchor){FIRST_TICKS - 1000, 2 * FIRST_TICKS - 2000, 1};
    stamps->end = (struct dt_time_anchor){9 * FIRST_TICKS, 18 * FIRST_TICKS, 2 * FIRST_TICKS};
    stamps->place_of_first = DT_TAIL_WORDS + DT_TAIL_SLACK;
    for (guint64 i = 0; i < thread->tail_words; i++)
        for (guint64 tail = 0; tail < 2; tail++)
            stamps->stamps[tail][i] = (4 * FIRST_TICKS + 1000 * i) << DT_STAMP_PLACE_BITS | i |
                                      (tail == 0 ? DT_TAIL_WORDS + DT_TAIL_SLACK : 0);
    dt_process_writer_chunk(thread->process->writer, chunk, stamps, sizeof(*stamps));
}

/* ---- a thread -------------------------------------------------------------- */

static void append_thread(DtTestThread *thread, guint32 index)
{
    const DtStreamWriter *stream = coded_stream(thread);
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
        append_packed(thread->process, index, &record);
    if (!thread->packed || thread->gaps)
        append_record(thread->process, index, &record);

    gsize capacity = align_chunk(thread->chunk_bytes) - sizeof(struct dt_chunk_header);
    struct dt_chunk_header data = {.type = DT_CHUNK_DATA, .owner = index, .bytes = (guint32)thread->chunk_bytes};
    for (gsize at = 0; at < stream->bytes->len; at += capacity, data.sequence++)
        dt_process_writer_chunk(thread->process->writer, data, stream->bytes->data + at,
                                MIN(capacity, stream->bytes->len - at));
    struct dt_chunk_header notes = {.type = DT_CHUNK_NOTES, .owner = index};
    if (thread->notes->len > 0)
        dt_process_writer_chunk(thread->process->writer, notes, thread->notes->data, thread->notes->len);
    if (!thread->timed)
        return;
    append_row(thread, index);
    append_stamps(thread, index);
}

/* ---- the file ---------------------------------------------------------------- */

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

static void fill_header(const DtTestProcess *process)
{
    const DtTestRun *run = process->run;
    struct dt_file_header *header = dt_process_writer_header(process->writer);
    header->major = process->major;
    header->minor = process->minor;
    header->flags = process->flags;
    header->pid = process->pid;
    header->ppid = 1;
    header->rank = process->rank;
    if (process->rank >= 0)
        header->world_size = run->world_size > 0 ? run->world_size : (gint32)run->process_count;
    header->start_realtime_ns = 1700000000000000000u + process->start_ns;
    header->start_monotonic_ns = process->start_ns;
    header->end_monotonic_ns = process->end_state == DT_PROCESS_RUNNING ? 0 : process->end_ns;
    header->end_state = process->end_state;
    header->end_status = process->end_status;
    header->images_mode = DT_IMAGES_APP;
    header->codec = process->codec;
    header->app_threads = count_threads(process, DT_THREAD_APP);
    header->library_threads = count_threads(process, DT_THREAD_LIBRARY);
    header->hooked = dt_process_writer_functions(process->writer);
    header->stop_errno = process->stop_errno;
    g_strlcpy(header->host, process->host, sizeof(header->host));
    g_strlcpy(header->executable, process->executable, sizeof(header->executable));
    g_strlcpy(header->arguments, process->arguments, sizeof(header->arguments));
}

/* What a later version may add, that readers of this one are to skip. */
static void append_unknown_chunk(const DtTestProcess *process)
{
    static const char unknown[] = "DTCK main solve DSEG";
    struct dt_chunk_header chunk = {.type = LATER_TYPE, .records = 3, .bytes = 8192};
    if (process->later)
        dt_process_writer_chunk(process->writer, chunk, unknown, sizeof(unknown));
}

/* And the images of callers behind the first `images`, which have functions of the process. */
static void append_sites(const DtTestProcess *process, guint images)
{
    const GArray *sites = process->sites;
    struct dt_chunk_header chunk = {.type = DT_CHUNK_SITES, .owner = G_MAXUINT32, .records = sites->len};
    if (sites->len > 0)
        dt_process_writer_chunk(process->writer, chunk, sites->data, sites->len * sizeof(struct dt_call_site));
    chunk = (struct dt_chunk_header){.type = DT_CHUNK_SITE_IMAGES, .owner = G_MAXUINT32, .records = 1};
    for (guint i = 0, last = images; i < sites->len; i++) {
        struct dt_image image = {.index = g_array_index(sites, struct dt_call_site, i).image};
        if (image.index <= last)
            continue;
        last = image.index;
        g_snprintf(image.key, sizeof(image.key), "callers-%u", image.index);
        g_snprintf(image.path, sizeof(image.path), "/usr/lib/libcaller%u.so", image.index);
        image.check = dt_image_check(&image);
        dt_process_writer_chunk(process->writer, chunk, &image, sizeof(image));
    }
}

/* A header as a later version has it, seals as they are before the collector comes. */
static void change_file(const DtTestProcess *process, const char *path)
{
    g_autofree char *bytes = NULL;
    gsize size;
    if (!g_file_get_contents(path, &bytes, &size, NULL))
        g_error("%s: cannot be read", path);
    struct dt_file_header *header = (struct dt_file_header *)(void *)bytes;
    header->header_bytes += process->later ? DT_CHUNK_ALIGN : 0;
    header->flags |= process->later ? 1u << 31 : 0;
    header->check = dt_file_header_check(header);
    header->seal = process->sealed ? dt_file_header_seal(header) : 0;
    for (gsize at = align_chunk(header->header_bytes); !process->sealed && at < size;) {
        struct dt_chunk_header *chunk = (struct dt_chunk_header *)(void *)(bytes + at);
        chunk->seal = 0;
        at += chunk->bytes;
    }
    dt_write_bytes(path, bytes, size);
}

void dt_write_process(DtTestProcess *process)
{
    DtProcessWriter *writer = process->writer;
    g_autofree char *name = dt_test_process_file(process), *base = g_path_get_basename(name);
    g_autofree char *path = g_build_filename(writer->run->processes_path, base, NULL);
    fill_header(process);
    g_free(writer->path);
    writer->path = g_strdup(path);
    writer->header.file_bytes += process->later ? DT_CHUNK_ALIGN : 0;
    append_unknown_chunk(process);
    guint32 hooked = writer->header.hooked;
    guint images = writer->images->len;
    dt_process_writer_write_images(writer);
    writer->header.hooked = hooked;
    if (process->tables_first)
        dt_process_writer_write_functions(writer);
    for (guint i = 0; i < process->threads->len; i++)
        append_thread(g_ptr_array_index(process->threads, i), i);
    append_sites(process, images);
    append_unknown_chunk(process);
    dt_process_writer_end(writer);
    if (process->later || !process->sealed)
        change_file(process, path);
}
