/* Checksums of the structures of a trace file. */
#include "checks.h"

/* Goes on with the bytes of a structure from one offset to another. */
static uint32_t add(uint32_t crc, const void *structure, size_t start, size_t end)
{
    return dt_crc32(crc, (const uint8_t *)structure + start, end - start);
}

/* All `bytes` of it, the four at `hole` taken for 0. */
static uint32_t with_hole(const void *structure, size_t hole, size_t bytes)
{
    static const uint8_t zeros[4];
    uint32_t crc = add(0, structure, 0, hole);
    return add(dt_crc32(crc, zeros, sizeof zeros), structure, hole + sizeof zeros, bytes);
}

uint32_t dt_file_header_check(const struct dt_file_header *header)
{
    typedef struct dt_file_header H;
    uint32_t crc = add(0, header, 0, offsetof(H, flags));
    crc = add(crc, header, offsetof(H, pid), offsetof(H, end_monotonic_ns));
    crc = add(crc, header, offsetof(H, images_mode), offsetof(H, app_threads));
    return add(crc, header, offsetof(H, host), sizeof *header);
}

uint32_t dt_chunk_check(const struct dt_chunk_header *chunk)
{
    return add(0, chunk, offsetof(struct dt_chunk_header, type), offsetof(struct dt_chunk_header, records));
}

uint32_t dt_thread_check(const struct dt_thread *thread)
{
    typedef struct dt_thread T;
    uint32_t crc = add(0, thread, 0, offsetof(T, selector));
    crc = add(crc, thread, offsetof(T, start_monotonic_ns), offsetof(T, dropped_events));
    return add(crc, thread, offsetof(T, name), offsetof(T, commit));
}

uint32_t dt_ended_thread_check(const struct dt_ended_thread *record)
{
    uint32_t crc = add(0, record, offsetof(struct dt_ended_thread, index), offsetof(struct dt_ended_thread, check));
    return dt_crc32(crc, record + 1, record->words * sizeof(uint16_t));
}

uint32_t dt_commit_check(const struct dt_commit *commit)
{
    /* In one piece: of so many bytes the checksum is fast, and the tracer writes one for every batch. */
    enum { BEFORE = offsetof(struct dt_commit, check) };
    uint8_t bytes[BEFORE + sizeof commit->pending];
    __builtin_memcpy(bytes, commit, BEFORE);
    __builtin_memcpy(bytes + BEFORE, commit->pending, sizeof commit->pending);
    return dt_crc32(0, bytes, sizeof bytes);
}

uint32_t dt_last_signal_check(const struct dt_last_signal *signal)
{
    return add(0, signal, 0, offsetof(struct dt_last_signal, check));
}

uint32_t dt_function_check(const struct dt_function *function)
{
    return add(0, function, 0, offsetof(struct dt_function, check));
}

uint32_t dt_image_check(const struct dt_image *image)
{
    uint32_t crc = add(0, image, 0, offsetof(struct dt_image, check));
    return add(crc, image, offsetof(struct dt_image, reserved), sizeof *image);
}

uint32_t dt_open_frames_check(const struct dt_open_frames *frames)
{
    uint32_t count = frames->count < DT_OPEN_FRAMES ? frames->count : DT_OPEN_FRAMES;
    size_t bytes = offsetof(struct dt_open_frames, frames) + count * sizeof frames->frames[0];
    return with_hole(frames, offsetof(struct dt_open_frames, check), bytes);
}

uint32_t dt_call_site_check(const struct dt_call_site *site)
{
    return add(0, site, 0, offsetof(struct dt_call_site, check));
}

uint32_t dt_array_check(const struct dt_array *array)
{
    return with_hole(array, offsetof(struct dt_array, check), array->bytes);
}

uint32_t dt_communicator_check(const struct dt_communicator *communicator)
{
    return with_hole(communicator, offsetof(struct dt_communicator, check), communicator->bytes);
}

uint32_t dt_segment_crc_begin(const struct dt_segment_header *header)
{
    uint32_t crc = add(0, header, 0, offsetof(struct dt_segment_header, events));
    return add(crc, header, offsetof(struct dt_segment_header, depth), sizeof *header);
}

uint32_t dt_segment_crc_end(uint32_t crc, const struct dt_segment_header *header)
{
    return add(crc, header, offsetof(struct dt_segment_header, events), offsetof(struct dt_segment_header, crc32));
}

uint32_t dt_file_header_seal(const struct dt_file_header *header)
{
    return with_hole(header, offsetof(struct dt_file_header, seal), header->header_bytes);
}

uint32_t dt_chunk_seal(const struct dt_chunk_header *chunk)
{
    return with_hole(chunk, offsetof(struct dt_chunk_header, seal), chunk->bytes);
}
