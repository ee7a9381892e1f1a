/**
 * Packed runs: all files of a run in one, to be mailed and kept. docs/trace-format.md, section 15, is the contract: a
 * header, then one zstd frame to the end of the file, whose content is a row of entries.
 */
#ifndef DT_STORE_PACKED_FORMAT_H
#define DT_STORE_PACKED_FORMAT_H

#include <stdint.h>

#define DT_PACKED_MAGIC "DiffPack" /* 8 bytes, no terminator in the file */
#define DT_PACKED_MAJOR 1
#define DT_PACKED_MINOR 0

enum dt_packed_flags { DT_PACKED_ANONYMOUS = 1u << 0 /* names, paths and hosts were replaced */ };

struct dt_packed_header {
    char magic[8];
    uint16_t major, minor;
    uint32_t endian;
    uint64_t content_bytes; /* of the frame, unpacked */
    uint32_t flags;         /* enum dt_packed_flags */
    uint32_t check;         /* CRC-32 of what stands before */
};

enum dt_packed_kind {
    DT_PACKED_END = 0,     /* nothing follows */
    DT_PACKED_FILE = 1,    /* body: the file */
    DT_PACKED_TRACE = 2,   /* body: bytes of the trace file, 8 bytes; struct dt_sealed_piece[pieces]; the pieces */
    DT_PACKED_APART = 5,   /* as DT_PACKED_TRACE, but checksums of records are 0: they are to be made again */
    DT_PACKED_SYMBOLS = 6, /* body: a symbol file as symbol_columns.h has it */
    DT_PACKED_NOTES = 4,   /* body: as of DT_PACKED_CODE, but each piece as note_rows.h has it, all in one row */
    DT_PACKED_CODE = 3     /* body: struct dt_sealed_piece[pieces]; further pieces of a trace file that came before */
};

/** Then the name, the body, and a CRC-32 of all of it. */
struct dt_packed_entry {
    uint32_t kind; /* enum dt_packed_kind */
    uint32_t name_bytes;
    uint64_t bytes;  /* of the body */
    uint32_t pieces; /* of a trace file */
    uint32_t reserved;
};

enum {
    DT_PACKED_WINDOW_LOG = 25,         /* of the frame: what a reader needs in memory */
    DT_PACKED_NOTES_BYTES = 1 << 24,   /* of the pieces of an entry of notes, and of its body, at most */
    DT_PACKED_APART_BYTES = 1 << 24,   /* of the pieces of an entry without checksums, at most */
    DT_PACKED_SYMBOLS_BYTES = 1 << 24, /* of the body of an entry of symbols, at most */
    DT_PACKED_NAME_BYTES = 1024,       /* of a name, at most */
    DT_PACKED_MOST_ENTRIES = 1 << 20,
    DT_PACKED_MOST_RATIO = 4096 /* of content and file, beside 64 MB */
};
#define DT_PACKED_MOST_BYTES (UINT64_C(1) << 36) /* of content */

#endif
