/**
 * Checksums of the structures of a trace file, all CRC-32 (dt_crc32()). The
 * tracer writes a *check* over what it knows for good when it writes a
 * structure; the collector writes a *seal* over all of it when the process has
 * ended. Files before version 1.1 have neither.
 */
#ifndef DT_FORMAT_CHECKS_H
#define DT_FORMAT_CHECKS_H

#include "arguments.h"
#include "crc32.h"
#include "trace_file.h"

/** Of what does not change once the file is made: version, identity, options. */
uint32_t dt_file_header_check(const struct dt_file_header *header);
/** Of type, bytes, owner and sequence. */
uint32_t dt_chunk_check(const struct dt_chunk_header *chunk);
/** Of identity, times, end and name. */
uint32_t dt_thread_check(const struct dt_thread *thread);
/** Of index, count of words and the words behind; the head has checks of its own. */
uint32_t dt_ended_thread_check(const struct dt_ended_thread *record);
/** Of these records: all but the check itself. */
uint32_t dt_commit_check(const struct dt_commit *commit);
uint32_t dt_last_signal_check(const struct dt_last_signal *signal);
uint32_t dt_function_check(const struct dt_function *function);
uint32_t dt_image_check(const struct dt_image *image);
uint32_t dt_open_frames_check(const struct dt_open_frames *frames);
uint32_t dt_call_site_check(const struct dt_call_site *site);
/** Of the record and the members behind it. */
uint32_t dt_array_check(const struct dt_array *array);
uint32_t dt_communicator_check(const struct dt_communicator *communicator);

/** A segment's checksum starts with what its header says from the beginning, */
uint32_t dt_segment_crc_begin(const struct dt_segment_header *header);
/** and ends, behind open frames and code, with what it says when it is complete. */
uint32_t dt_segment_crc_end(uint32_t crc, const struct dt_segment_header *header);

/** Of the `header->header_bytes` bytes that start with `header`, `seal` taken for 0. */
uint32_t dt_file_header_seal(const struct dt_file_header *header);
/** Of the whole chunk of `chunk->bytes` bytes that starts with `chunk`, `seal` taken for 0. */
uint32_t dt_chunk_seal(const struct dt_chunk_header *chunk);

#endif
