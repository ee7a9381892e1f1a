/* Reading data chunks that follow each other as one block of memory. */
#include "store/extent.h"

#include <string.h>

#include "format/codec.h"

DtExtent *dt_extent_new(void)
{
    DtExtent *extent = g_new0(DtExtent, 1);
    extent->pieces = g_array_new(FALSE, FALSE, sizeof(DtPiece));
    return extent;
}

void dt_extent_free(DtExtent *extent)
{
    if (!extent)
        return;
    g_array_unref(extent->pieces);
    g_free(extent);
}

void dt_extent_append(DtExtent *extent, const guint8 *data, gsize bytes, guint64 file_offset)
{
    DtPiece piece = {extent->bytes, bytes, data, file_offset};
    g_array_append_val(extent->pieces, piece);
    extent->bytes += bytes;
}

/* The last piece that starts at or before `offset`; the extent has one at least. */
static guint find_piece(const DtExtent *extent, guint64 offset)
{
    guint low = 0, high = extent->pieces->len;
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(extent->pieces, DtPiece, middle).start <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static const DtPiece *piece_at(const DtExtent *extent, guint index)
{
    return &g_array_index(extent->pieces, DtPiece, index);
}

void dt_extent_copy(const DtExtent *extent, guint64 offset, void *to, gsize bytes)
{
    guint8 *out = to;
    guint index = bytes > 0 ? find_piece(extent, offset) : 0;
    while (bytes > 0) {
        const DtPiece *piece = piece_at(extent, index++);
        gsize skip = (gsize)(offset - piece->start);
        gsize part = MIN(piece->bytes - skip, bytes);
        memcpy(out, piece->data + skip, part);
        out += part;
        offset += part;
        bytes -= part;
    }
}

const guint8 *dt_extent_view(const DtExtent *extent, guint64 offset, gsize bytes)
{
    if (bytes == 0)
        return (const guint8 *)"";
    const DtPiece *piece = piece_at(extent, find_piece(extent, offset));
    gsize skip = (gsize)(offset - piece->start);
    return piece->bytes - skip >= bytes ? piece->data + skip : NULL;
}

guint32 dt_extent_crc32(const DtExtent *extent, guint32 crc, guint64 offset, guint64 bytes)
{
    guint index = bytes > 0 ? find_piece(extent, offset) : 0;
    while (bytes > 0) {
        const DtPiece *piece = piece_at(extent, index++);
        gsize skip = (gsize)(offset - piece->start);
        gsize part = (gsize)MIN(piece->bytes - skip, bytes);
        crc = dt_crc32(crc, piece->data + skip, part);
        offset += part;
        bytes -= part;
    }
    return crc;
}

guint64 dt_extent_find(const DtExtent *extent, guint64 offset, guint32 magic)
{
    guint8 bytes[4], first = (guint8)magic;
    memcpy(bytes, &magic, sizeof(bytes));
    for (guint i = 0; i < extent->pieces->len; i++) {
        const DtPiece *piece = piece_at(extent, i);
        gsize at = offset > piece->start ? (gsize)MIN(offset - piece->start, piece->bytes) : 0;
        while (at < piece->bytes) {
            const guint8 *found = memchr(piece->data + at, first, piece->bytes - at);
            if (!found)
                break;
            at = (gsize)(found - piece->data);
            guint8 here[4];
            guint64 place = piece->start + at;
            if (extent->bytes - place >= sizeof(here)) {
                dt_extent_copy(extent, place, here, sizeof(here));
                if (memcmp(here, bytes, sizeof(here)) == 0)
                    return place;
            }
            at++;
        }
    }
    return G_MAXUINT64;
}

guint64 dt_extent_file_offset(const DtExtent *extent, guint64 offset)
{
    if (extent->pieces->len == 0)
        return 0;
    const DtPiece *piece = piece_at(extent, find_piece(extent, offset));
    return piece->file_offset + (offset - piece->start);
}
