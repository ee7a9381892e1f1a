/**
 * The process file: its header, and chunks given out to threads and tables. Places are given out once and for good; any
 * thread may ask for one, in signal handlers too. When the file can grow no more recording stops and the program goes
 * on.
 */
#ifndef DT_RECORD_TRACE_WRITER_H
#define DT_RECORD_TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "format/trace_file.h"

bool dt_writer_create(void);
/** A new chunk, mapped, all zero but its header's sizes; NULL: recording stops. *offset: in the file. */
struct dt_chunk_header *dt_writer_chunk(uint32_t type, uint32_t owner, uint32_t sequence, size_t bytes,
                                        uint64_t *offset);
/** A part of the file, mapped. */
struct dt_extent {
    uint64_t offset; /* in the file */
    void *memory;    /* NULL: it is not mapped yet */
};
/** The two halves of it: a new extent (false: there is none, `errno` in *error), and a chunk there. */
bool dt_writer_take(size_t bytes, struct dt_extent *extent, long *error);
struct dt_chunk_header *dt_writer_begin(uint32_t type, uint32_t owner, uint32_t sequence, size_t bytes,
                                        const struct dt_extent *extent);
/** Maps an extent that was given out before; false: there is no memory. */
bool dt_writer_find(uint64_t offset, size_t bytes, struct dt_extent *extent);
/** The program is about to change its root directory or its user, and the file's path may lead nowhere then: makes the
 * file larger by a hole. */
void dt_writer_size_ahead(void);
/** System calls may soon be forbidden: takes some MB that can be used without any. */
void dt_writer_take_ahead(void);
/** True if max_bytes has no capacity for so many more. */
bool dt_writer_is_full(size_t bytes);
/** Writes the magic: from now on readers see the chunk. */
void dt_writer_publish(struct dt_chunk_header *chunk);
void dt_writer_write_at(uint64_t offset, const void *data, size_t bytes);
/** On a file system of a network: begins to send what was written, so that other hosts see it. Else nothing. */
void dt_writer_show(void);
/** Recording ends here for good; the program goes on. */
void dt_writer_stop(long error);
/** Recording ends because the file has been cut short, or its memory unmapped: says so in the file, whose first page is
 * written again if it is gone. In the handler of a fault. */
void dt_writer_lost(void);
/** False: the file has been cut short, and nobody has touched what is gone. */
bool dt_writer_is_whole(void);

#endif
