/* Data chunks that follow each other, read as one. */
#include "store/extent.h"

#include <string.h>

#include "format/crc32.h"

enum { BLOCK = 1 << 16 };

DtExtent *dt_extent_new(const DtFile *file)
{
    DtExtent *extent = g_new0(DtExtent, 1);
    extent->file = file;
    extent->pieces = g_array_new(FALSE, FALSE, sizeof(DtChunkPayload));
    return extent;
}

void dt_extent_free(DtExtent *extent)
{
    if (!extent)
        return;
    g_array_unref(extent->pieces);
    g_free(extent);
}

void dt_extent_append(DtExtent *extent, gsize bytes, guint64 file_offset)
{
    DtChunkPayload piece = {extent->bytes, bytes, file_offset};
    g_array_append_val(extent->pieces, piece);
    extent->bytes += bytes;
}

/* The last piece that starts at or before `offset`; the extent has one at least. */
static guint find_piece(const DtExtent *extent, guint64 offset)
{
    guint low = 0, high = extent->pieces->len;
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(extent->pieces, DtChunkPayload, middle).start <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static const DtChunkPayload *piece_at(const DtExtent *extent, guint index)
{
    return &g_array_index(extent->pieces, DtChunkPayload, index);
}

gsize dt_extent_copy(const DtExtent *extent, guint64 offset, void *to, gsize bytes)
{
    guint8 *out = to;
    gsize done = 0, there = 0;
    guint index = bytes > 0 ? find_piece(extent, offset) : 0;
    while (done < bytes) {
        const DtChunkPayload *piece = piece_at(extent, index++);
        gsize skip = (gsize)(offset + done - piece->start), part = MIN(piece->bytes - skip, bytes - done);
        gsize read = dt_file_read(extent->file, piece->file_offset + skip, out + done, part);
        there += there == done ? read : 0;
        done += part;
    }
    return there;
}

guint32 dt_extent_crc32(const DtExtent *extent, guint32 crc, guint64 offset, guint64 bytes)
{
    guint8 block[BLOCK];
    while (bytes > 0) {
        gsize part = (gsize)MIN(bytes, sizeof(block));
        dt_extent_copy(extent, offset, block, part);
        crc = dt_crc32(crc, block, part);
        offset += part;
        bytes -= part;
    }
    return crc;
}

/* Blocks overlap by what may hold the start of a magic. The first one is small: mostly the next segment is near. */
guint64 dt_extent_find(const DtExtent *extent, guint64 offset, guint32 magic)
{
    guint8 block[BLOCK], wanted[4];
    memcpy(wanted, &magic, sizeof(wanted));
    for (gsize most = BLOCK / 16; offset < extent->bytes; most = BLOCK) {
        gsize bytes = (gsize)MIN(extent->bytes - offset, most);
        dt_extent_copy(extent, offset, block, bytes);
        for (const guint8 *at = block; bytes - (gsize)(at - block) >= sizeof(wanted); at++) {
            at = memchr(at, wanted[0], bytes - (gsize)(at - block) - (sizeof(wanted) - 1));
            if (!at)
                break;
            if (memcmp(at, wanted, sizeof(wanted)) == 0)
                return offset + (guint64)(at - block);
        }
        if (bytes < most)
            break;
        offset += bytes - (sizeof(wanted) - 1);
    }
    return G_MAXUINT64;
}

guint64 dt_extent_file_offset(const DtExtent *extent, guint64 offset)
{
    if (extent->pieces->len == 0)
        return 0;
    const DtChunkPayload *piece = piece_at(extent, find_piece(extent, offset));
    return piece->file_offset + (offset - piece->start);
}
