/** What a trace file has in it: pieces that are not zero, sorted so that one thread's notes and code lie together. */
#ifndef DT_STORE_PARTS_H
#define DT_STORE_PARTS_H

#include "format/trace_file.h"
#include "store/file.h"

G_BEGIN_DECLS

/** What lies together: records and tables, then notes, times, event code. */
typedef enum { DT_PART_RECORDS, DT_PART_NOTES, DT_PART_TIMES, DT_PART_CODE, DT_PART_KINDS } DtSealedPartKind;

/** A piece of the file. */
typedef struct {
    DtSealedPartKind kind;
    guint32 owner, sequence; /* of notes, times and code, and of the headers of chunks of code */
    guint64 offset, bytes;
    gboolean is_code_head; /* the header of a chunk of code, which is a part of its own */
    guint32 seal_at, seal; /* where in it a checksum is to be put, and which; 0: nowhere */
} DtSealedPart;

/** What becomes of the collector's checksums: they stay as they are, or they are made. */
typedef enum { DT_SEALS_KEPT, DT_SEALS_MADE } DtSeals;

/**
 * (element-type DtSealedPart), sorted by kind, owner, sequence and offset; g_array_unref(). Zeros at their ends are
 * left out, and what free chunks held. NULL: the file cannot be read. O(chunks), and with DT_SEALS_MADE O(bytes of
 * records).
 */
GArray *dt_parts_find(const DtFile *file, DtSeals seals);

/** Puts as much of its checksum into the part as lies among its `bytes` bytes from `start` on, which are at `data`. */
void dt_part_put_seal(const DtSealedPart *part, guint64 start, guint8 *data, gsize bytes);

G_END_DECLS

#endif
