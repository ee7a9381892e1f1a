/**
 * Extents of a thread's byte stream: data chunks that follow each other without
 * a gap, read as if they were one block of memory.
 */
#ifndef DT_STORE_EXTENT_H
#define DT_STORE_EXTENT_H

#include "store/file.h"

G_BEGIN_DECLS

/** The payload of one data chunk. */
typedef struct {
    guint64 start; /* in the extent */
    gsize bytes;
    guint64 file_offset;
} DtChunkPayload;

typedef struct {
    const DtFile *file; /* borrowed */
    GArray *pieces;     /* DtChunkPayload */
    guint64 bytes;      /* of all */
} DtExtent;

DtExtent *dt_extent_new(const DtFile *file);
void dt_extent_free(DtExtent *extent);
void dt_extent_append(DtExtent *extent, gsize bytes, guint64 file_offset);

/**
 * Reads `bytes` bytes from `offset` on; all of them must lie in the extent. How many were there: fewer if the file has
 * become shorter since it was opened; the others are 0.
 */
gsize dt_extent_copy(const DtExtent *extent, guint64 offset, void *to, gsize bytes);
/** Goes on from `crc`. */
guint32 dt_extent_crc32(const DtExtent *extent, guint32 crc, guint64 offset, guint64 bytes);
/** Offset of the next little endian `magic` at or after `offset`; G_MAXUINT64 if there is none. */
guint64 dt_extent_find(const DtExtent *extent, guint64 offset, guint32 magic);
/** Where in the file a byte of the extent lies. */
guint64 dt_extent_file_offset(const DtExtent *extent, guint64 offset);

G_END_DECLS

#endif
