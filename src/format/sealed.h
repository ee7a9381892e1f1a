/**
 * The form in which a trace file rests when its process has ended: the same file, as pieces of it that are not zero,
 * packed in blocks. docs/trace-format.md, section 14, is the contract.
 *
 *     +--------------------+ 0
 *     | dt_file_header     |  of the file that this one stands for, but with DT_SEALED_MAJOR
 *     +--------------------+ DT_SEALED_OFFSET
 *     | dt_sealed          |
 *     +--------------------+
 *     | table              |  dt_sealed_piece[], dt_sealed_block[]; packed
 *     +--------------------+
 *     | blocks             |  packed, one behind the other
 *     +--------------------+
 */
#ifndef DT_FORMAT_SEALED_H
#define DT_FORMAT_SEALED_H

#include "trace_file.h"

#define DT_SEALED_MAGIC  "DiffSeal" /* 8 bytes, no terminator in the file */
#define DT_SEALED_MAJOR  2
#define DT_SEALED_MINOR  0
#define DT_SEALED_OFFSET 2296u

enum {
    DT_SEALED_BLOCK_BYTES = 1 << 18, /* of what a block stands for, at most */
    DT_SEALED_MOST_ROWS = 1 << 20    /* pieces, and blocks */
};

struct dt_sealed {
    char magic[8];
    uint64_t image_bytes; /* of the file that this one stands for */
    uint32_t pieces, blocks;
    uint32_t table_bytes; /* as it lies here; of it unpacked: the table is not packed */
    uint32_t table_crc32; /* of these bytes */
    uint32_t reserved;
    uint32_t check; /* CRC-32 of what stands before */
};

/** Pieces in the order of what the blocks hold; all between them is 0. */
struct dt_sealed_piece {
    uint64_t offset; /* in the file that this one stands for */
    uint64_t bytes;
};

struct dt_sealed_block {
    uint32_t bytes;
    uint32_t packed_bytes; /* as many as `bytes`: it is not packed */
    uint32_t crc32;        /* of the block as it lies here */
    uint32_t rows_bytes;   /* 0, or it holds whole pieces, each a chunk of notes; unpacked, so many bytes of rows */
};

#endif
