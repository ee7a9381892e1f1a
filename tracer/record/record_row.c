#include "record/record_row.h"

#include "record/trace_writer.h"
#include "system/file_memory.h"
#include "system/system.h"

enum { DT_ROW_CHUNK_BYTES = 16 << 10 };

static struct dt_chunk_header *next_chunk(uint32_t type, size_t bytes)
{
    uint64_t offset;
    /* Behind the last record the end is told by a word of 0. */
    size_t needed = sizeof(struct dt_chunk_header) + bytes + sizeof(uint32_t);
    size_t whole = (needed + DT_CHUNK_ALIGN - 1) & ~(size_t)(DT_CHUNK_ALIGN - 1);
    struct dt_chunk_header *chunk =
        dt_writer_chunk(type, UINT32_MAX, 0, whole < DT_ROW_CHUNK_BYTES ? DT_ROW_CHUNK_BYTES : whole, &offset);
    if (chunk)
        dt_writer_publish(chunk);
    return chunk;
}

void *dt_record_row_place(struct dt_record_row *row, uint32_t type, size_t bytes)
{
    if (!row->chunk || row->used + bytes > row->chunk->bytes) {
        if (row->chunk)
            dt_file_memory_unmap(row->chunk, row->chunk->bytes);
        row->chunk = next_chunk(type, bytes);
        row->used = sizeof *row->chunk;
    }
    if (!row->chunk)
        return NULL;
    uint8_t *place = (uint8_t *)row->chunk + row->used;
    row->used += bytes;
    return place;
}

void dt_record_row_done(struct dt_record_row *row)
{
    row->chunk->records++;
}
