/* A thread's stream in its data chunks: segments of code. */
#include "record/segments.h"

#include <errno.h>

#include "codec/codec.h"
#include "format/checks.h"
#include "record/functions.h"
#include "record/ring.h"
#include "system/file_memory.h"

enum { DT_FIRST_DATA_BYTES = 4 << 10, DT_LARGEST_DATA_BYTES = 256 << 10 };

/* ---- the byte stream ------------------------------------------------------------------------- */

static struct dt_chunk_header *ring_chunk(struct dt_thread_state *thread, uint64_t *offset)
{
    struct dt_extent extent = {0};
    size_t bytes = dt_ring_chunk_bytes();
    if (!dt_ring_next(thread, &extent))
        return NULL;
    *offset = extent.offset;
    if (!extent.memory && !dt_writer_find(extent.offset, bytes, &extent)) {
        dt_writer_stop(ENOMEM);
        return NULL;
    }
    return dt_writer_begin(DT_CHUNK_DATA, thread->index, thread->data_sequence, bytes, &extent);
}

/* Sizes double: short traces take little space, long ones few system calls. */
static struct dt_chunk_header *larger_chunk(struct dt_thread_state *thread, uint64_t *offset)
{
    size_t bytes = thread->data_chunk_bytes ? thread->data_chunk_bytes * 2 : DT_FIRST_DATA_BYTES;
    if (bytes > DT_LARGEST_DATA_BYTES)
        bytes = DT_LARGEST_DATA_BYTES;
    return dt_writer_chunk(DT_CHUNK_DATA, thread->index, thread->data_sequence, bytes, offset);
}

static bool next_data_chunk(struct dt_thread_state *thread)
{
    uint64_t offset;
    struct dt_chunk_header *chunk = dt_ring_is_used() ? ring_chunk(thread, &offset) : larger_chunk(thread, &offset);
    size_t bytes = chunk ? chunk->bytes : 0;
    if (bytes <= sizeof *chunk) /* there is none, or the file was lost at this moment */
        return false;
    dt_writer_publish(chunk);
    if (thread->data)
        dt_file_memory_unmap(thread->data - sizeof *chunk, thread->data_chunk_bytes);
    thread->data_sequence++;
    dt_thread_rename(thread); /* now and then: programs name threads when they run */
    thread->data = (uint8_t *)(chunk + 1);
    thread->data_chunk_bytes = bytes;
    thread->data_capacity = bytes - sizeof *chunk;
    thread->data_used = 0;
    thread->data_file_offset = offset + sizeof *chunk;
    return true;
}

static bool stream_append(struct dt_thread_state *thread, const void *data, size_t bytes)
{
    const uint8_t *from = data;
    while (bytes) {
        if (thread->data_used == thread->data_capacity && !next_data_chunk(thread))
            return false;
        size_t part = thread->data_capacity - thread->data_used;
        if (part > bytes)
            part = bytes;
        __builtin_memcpy(thread->data + thread->data_used, from, part);
        thread->data_used += part;
        thread->stream_bytes += part;
        from += part;
        bytes -= part;
    }
    return true;
}

/* ---- segments -------------------------------------------------------------------------------- */

bool dt_segment_open(struct dt_thread_state *thread, const struct dt_frame *top)
{
    if ((!thread->data || thread->data_used == thread->data_capacity) && !next_data_chunk(thread))
        return false;
    if (thread->ring)
        dt_ring_segment(thread);
    const struct dt_segment_header header = {.magic = DT_SEGMENT_MAGIC,
                                             .codec = dt_process.options.codec,
                                             .first_event = thread->words,
                                             .depth = (uint32_t)(top - (thread->frames + 1))};
    thread->segment = header;
    thread->segment.crc32 = dt_segment_crc_begin(&header);
    thread->segment_start = thread->stream_bytes;
    /* The header may lie across two chunks. */
    size_t here = thread->data_capacity - thread->data_used;
    thread->segment_place[0].offset = thread->data_file_offset + thread->data_used;
    thread->segment_place[0].bytes = here < sizeof header ? here : sizeof header;
    if (!stream_append(thread, &header, sizeof header))
        return false;
    thread->segment_place[1].offset = thread->data_file_offset;
    thread->segment_place[1].bytes = sizeof header - thread->segment_place[0].bytes;
    for (const struct dt_frame *frame = thread->frames + 1; frame < top; frame++) {
        uint32_t id = dt_function_id(frame->index);
        thread->segment.crc32 = dt_crc32(thread->segment.crc32, &id, sizeof id);
        if (!stream_append(thread, &id, sizeof id))
            return false;
    }
    dt_codec_encoder_init(header.codec, thread->codec_state);
    thread->segment_open = true;
    return true;
}

bool dt_segment_append(struct dt_thread_state *thread, size_t bytes)
{
    thread->segment.crc32 = dt_crc32(thread->segment.crc32, thread->staging, bytes);
    thread->segment.bytes += bytes;
    return stream_append(thread, thread->staging, bytes);
}

bool dt_segment_close(struct dt_thread_state *thread)
{
    if (!dt_segment_append(thread, dt_codec_finish(thread->segment.codec, thread->codec_state, thread->staging)))
        return false;
    thread->segment.crc32 = dt_segment_crc_end(thread->segment.crc32, &thread->segment);
    const uint8_t *header = (const uint8_t *)&thread->segment;
    for (int part = 0; part < 2; part++) {
        dt_writer_write_at(thread->segment_place[part].offset, header, thread->segment_place[part].bytes);
        header += thread->segment_place[part].bytes;
    }
    thread->segment_open = false;
    thread->shared->segments++;
    return true;
}
