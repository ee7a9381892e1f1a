/* Making the checksums of a damaged trace file right. */
#include "repair.h"

#include <string.h>

#include "format/checks.h"

/* A few bytes of code may stand for as many words as a segment may have: fewer are enough. Claims of more stay. */
enum { ENOUGH_WORDS = 1 << 16 };

static guint64 shorten(guint64 words)
{
    return words > DT_SEGMENT_MOST_WORDS ? words : MIN(words, ENOUGH_WORDS);
}

/* Copies a structure out, has `check` written into it, and back: the data may lie anywhere. */
#define REPAIR(type, at, function)                                                                                     \
    do {                                                                                                               \
        struct type record;                                                                                            \
        memcpy(&record, at, sizeof(record));                                                                           \
        record.check = function(&record);                                                                              \
        memcpy(at, &record, sizeof(record));                                                                           \
    } while (0)

static void repair_records(guint8 *payload, gsize bytes, guint32 type)
{
    for (; type == DT_CHUNK_FUNCTIONS && bytes >= sizeof(struct dt_function); bytes -= sizeof(struct dt_function)) {
        REPAIR(dt_function, payload, dt_function_check);
        payload += sizeof(struct dt_function);
    }
    for (; type == DT_CHUNK_SITES && bytes >= sizeof(struct dt_call_site); bytes -= sizeof(struct dt_call_site)) {
        REPAIR(dt_call_site, payload, dt_call_site_check);
        payload += sizeof(struct dt_call_site);
    }
    for (; (type == DT_CHUNK_IMAGES || type == DT_CHUNK_SITE_IMAGES) && bytes >= sizeof(struct dt_image);
         bytes -= sizeof(struct dt_image)) {
        REPAIR(dt_image, payload, dt_image_check);
        payload += sizeof(struct dt_image);
    }
}

/* Records that tell how long they are; `bytes` is their first member. */
static void repair_long_records(guint8 *payload, gsize bytes, guint32 type)
{
    gsize least = type == DT_CHUNK_ARRAYS ? sizeof(struct dt_array) : sizeof(struct dt_communicator);
    guint32 length;
    for (; bytes >= least; payload += length, bytes -= length) {
        memcpy(&length, payload, sizeof(length));
        if (length % 8 != 0 || length < least || length > bytes)
            return;
        g_autofree guint8 *copy = g_memdup2(payload, length);
        struct dt_array *array = (struct dt_array *)(gpointer)copy;
        struct dt_communicator *communicator = (struct dt_communicator *)(gpointer)copy;
        if (type == DT_CHUNK_ARRAYS)
            array->check = dt_array_check(array);
        else
            communicator->check = dt_communicator_check(communicator);
        memcpy(payload, copy, length);
    }
}

static guint32 segment_crc(const struct dt_segment_header *header, const guint8 *behind, gsize bytes)
{
    return dt_crc32(dt_segment_crc_begin(header), behind, bytes);
}

/* Of a stream that starts here: its complete segments, and the open one's for the commit record. */
static void repair_segments(guint8 *stream, gsize bytes, struct dt_commit *commit)
{
    gsize at = 0;
    struct dt_segment_header header;
    while (bytes - at >= sizeof(header)) {
        memcpy(&header, stream + at, sizeof(header));
        gsize rest = bytes - at - sizeof(header), frames = header.depth * (gsize)sizeof(guint32);
        if (commit && at == commit->segment_start) {
            gsize there = commit->stream_bytes > at + sizeof(header) ? commit->stream_bytes - at - sizeof(header) : 0;
            commit->crc32 = segment_crc(&header, stream + at + sizeof(header), MIN(there, rest));
            return;
        }
        if (header.magic != DT_SEGMENT_MAGIC || frames > rest || header.bytes > rest - frames)
            return;
        header.events = shorten(header.events);
        header.crc32 = dt_segment_crc_end(
            segment_crc(&header, stream + at + sizeof(header), frames + (gsize)header.bytes), &header);
        memcpy(stream + at, &header, sizeof(header));
        at += sizeof(header) + frames + (gsize)header.bytes;
    }
}

/* The first data chunk of a thread, its payload; NULL if there is none. */
static guint8 *find_stream(guint8 *data, gsize size, guint32 owner, gsize *bytes)
{
    struct dt_chunk_header chunk;
    for (gsize at = DT_CHUNK_ALIGN; at < size && size - at >= sizeof(chunk); at += DT_CHUNK_ALIGN) {
        memcpy(&chunk, data + at, sizeof(chunk));
        gboolean wanted = chunk.magic == DT_CHUNK_MAGIC && chunk.type == DT_CHUNK_DATA && chunk.owner == owner;
        if (!wanted || chunk.sequence != 0 || chunk.bytes < sizeof(chunk))
            continue;
        *bytes = MIN(chunk.bytes, size - at) - sizeof(chunk);
        return data + at + sizeof(chunk);
    }
    return NULL;
}

static void repair_thread(guint8 *payload, guint8 *data, gsize size, guint32 owner)
{
    struct dt_thread thread;
    gsize bytes = 0;
    guint8 *stream = find_stream(data, size, owner, &bytes);
    memcpy(&thread, payload, sizeof(thread));
    if (stream)
        repair_segments(stream, bytes, &thread.commit[thread.selector & 1]);
    for (int i = 0; i < 2; i++) {
        thread.commit[i].segment_words = shorten(thread.commit[i].segment_words);
        thread.commit[i].check = dt_commit_check(&thread.commit[i]);
    }
    thread.check = dt_thread_check(&thread);
    memcpy(payload, &thread, sizeof(thread));
}

static void repair_chunk(guint8 *data, gsize size, gsize at)
{
    struct dt_chunk_header chunk;
    memcpy(&chunk, data + at, sizeof(chunk));
    if (chunk.magic != DT_CHUNK_MAGIC || chunk.bytes < sizeof(chunk))
        return;
    chunk.check = dt_chunk_check(&chunk);
    chunk.seal = 0;
    memcpy(data + at, &chunk, sizeof(chunk));
    guint8 *payload = data + at + sizeof(chunk);
    gsize bytes = MIN(chunk.bytes, size - at) - sizeof(chunk);
    repair_records(payload, bytes, chunk.type);
    if (chunk.type == DT_CHUNK_ARRAYS || chunk.type == DT_CHUNK_COMMUNICATORS)
        repair_long_records(payload, bytes, chunk.type);
    if (chunk.type == DT_CHUNK_THREAD && bytes >= sizeof(struct dt_thread))
        repair_thread(payload, data, size, chunk.owner);
}

void dt_repair(guint8 *data, gsize size)
{
    struct dt_file_header header;
    if (size < sizeof(header))
        return;
    memcpy(&header, data, sizeof(header));
    header.seal = 0;
    header.check = dt_file_header_check(&header);
    memcpy(data, &header, sizeof(header));
    for (gsize at = DT_CHUNK_ALIGN; at < size && size - at >= sizeof(struct dt_chunk_header); at += DT_CHUNK_ALIGN)
        repair_chunk(data, size, at);
}
