/** Records of different lengths in chunks of a type, one behind the other. */
#ifndef DT_RECORD_RECORD_ROW_H
#define DT_RECORD_RECORD_ROW_H

#include <stddef.h>
#include <stdint.h>

/** Where the next record goes; all zero: nowhere yet. */
struct dt_record_row {
    struct dt_chunk_header *chunk;
    size_t used;
};

/** A place for `bytes` bytes, a multiple of 8, all zero, in a chunk of `type`; the caller holds a lock. NULL: the file
 * has none. What was written there counts when dt_record_row_done() has been called. */
void *dt_record_row_place(struct dt_record_row *row, uint32_t type, size_t bytes);
void dt_record_row_done(struct dt_record_row *row);

#endif
