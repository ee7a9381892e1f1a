/* Finding the parts of a trace file. */
#include "store/sealed/parts.h"

#include <string.h>

#include "format/checks.h"
#include "store/sealed/seal.h"

enum { STEP = 1 << 16 /* bytes read at once */ };

typedef struct {
    const DtFile *file;
    DtSeals seals;
    GArray *parts;
} Search;

static gboolean read_at(const DtFile *file, guint64 offset, void *to, gsize bytes)
{
    return dt_file_read(file, offset, to, bytes) == bytes;
}

/* FALSE: it cannot be read. `bytes` gets less if the end is zero. */
static gboolean trim(const DtFile *file, guint64 offset, guint64 *bytes)
{
    guint8 block[STEP];
    while (*bytes > 0) {
        gsize part = (gsize)MIN(*bytes, sizeof(block));
        if (!read_at(file, offset + *bytes - part, block, part))
            return FALSE;
        gsize used = part;
        while (used > 0 && block[used - 1] == 0)
            used--;
        *bytes -= part - used;
        if (used > 0)
            return TRUE;
    }
    return TRUE;
}

static gboolean add_part(Search *search, DtSealedPart part)
{
    if (!trim(search->file, part.offset, &part.bytes))
        return FALSE;
    if (part.seal_at > 0)
        part.bytes = MAX(part.bytes, part.seal_at + sizeof(part.seal));
    if (part.bytes > 0)
        g_array_append_val(search->parts, part);
    return TRUE;
}

/* As dt_chunk_seal(), of a chunk that need not be in memory. */
static gboolean find_seal(const DtFile *file, guint64 offset, guint64 bytes, guint32 *seal)
{
    guint8 block[STEP];
    *seal = 0;
    for (guint64 done = 0; done < bytes;) {
        gsize part = (gsize)MIN(bytes - done, sizeof(block));
        if (!read_at(file, offset + done, block, part))
            return FALSE;
        if (done == 0)
            memset(block + G_STRUCT_OFFSET(struct dt_chunk_header, seal), 0, sizeof(*seal));
        *seal = dt_crc32(*seal, block, part);
        done += part;
    }
    return TRUE;
}

static gboolean add_code(Search *search, guint64 offset, const struct dt_chunk_header *chunk)
{
    const DtSealedPart head = {.owner = chunk->owner,
                               .sequence = chunk->sequence,
                               .offset = offset,
                               .bytes = sizeof(*chunk),
                               .is_code_head = TRUE};
    const DtSealedPart code = {.kind = DT_PART_CODE,
                               .owner = chunk->owner,
                               .sequence = chunk->sequence,
                               .offset = offset + sizeof(*chunk),
                               .bytes = chunk->bytes - sizeof(*chunk)};
    return add_part(search, head) && add_part(search, code);
}

/* What a free chunk held before means nothing. */
static gboolean add_free(Search *search, guint64 offset)
{
    const DtSealedPart head = {.offset = offset,
                               .bytes = sizeof(struct dt_chunk_header),
                               .seal_at = G_STRUCT_OFFSET(struct dt_chunk_header, seal)};
    return add_part(search, head);
}

static gboolean add_chunk(Search *search, guint64 offset, const struct dt_chunk_header *chunk)
{
    DtSealedPart part = {.offset = offset, .bytes = chunk->bytes};
    if (chunk->type == DT_CHUNK_DATA)
        return add_code(search, offset, chunk);
    if (chunk->type == DT_CHUNK_FREE)
        return add_free(search, offset);
    if (chunk->type == DT_CHUNK_NOTES || chunk->type == DT_CHUNK_TIMES) {
        part.kind = chunk->type == DT_CHUNK_NOTES ? DT_PART_NOTES : DT_PART_TIMES;
        part.owner = chunk->owner;
        part.sequence = chunk->sequence;
    }
    if (search->seals == DT_SEALS_MADE) {
        part.seal_at = G_STRUCT_OFFSET(struct dt_chunk_header, seal);
        if (!find_seal(search->file, offset, chunk->bytes, &part.seal))
            return FALSE;
    }
    return add_part(search, part);
}

static gint compare_parts(gconstpointer first, gconstpointer second)
{
    const DtSealedPart *one = first, *two = second;
    if (one->kind != two->kind)
        return one->kind < two->kind ? -1 : 1;
    if (one->kind != DT_PART_RECORDS && one->owner != two->owner)
        return one->owner < two->owner ? -1 : 1;
    if (one->kind != DT_PART_RECORDS && one->sequence != two->sequence)
        return one->sequence < two->sequence ? -1 : 1;
    return (one->offset > two->offset) - (one->offset < two->offset);
}

static gboolean add_header(Search *search)
{
    DtSealedPart part = {.bytes = MIN(DT_CHUNK_ALIGN, search->file->bytes)};
    if (search->seals == DT_SEALS_MADE) {
        struct dt_file_header header;
        if (!read_at(search->file, 0, &header, sizeof(header)))
            return FALSE;
        part.seal_at = G_STRUCT_OFFSET(struct dt_file_header, seal);
        part.seal = dt_file_header_seal(&header);
    }
    return add_part(search, part);
}

static gboolean find_parts(Search *search)
{
    struct dt_chunk_header chunk;
    if (!add_header(search))
        return FALSE;
    for (guint64 offset = DT_CHUNK_ALIGN; offset < search->file->bytes;) {
        guint64 room = search->file->bytes - offset;
        memset(&chunk, 0, sizeof(chunk));
        if (!read_at(search->file, offset, &chunk, (gsize)MIN(room, sizeof(chunk))))
            return FALSE;
        gboolean good = dt_chunk_is_good(&chunk, room);
        const DtSealedPart page = {.offset = offset, .bytes = MIN(DT_CHUNK_ALIGN, room)};
        if (!(good ? add_chunk(search, offset, &chunk) : add_part(search, page)))
            return FALSE;
        offset += good ? chunk.bytes : page.bytes;
    }
    g_array_sort(search->parts, compare_parts);
    return TRUE;
}

GArray *dt_parts_find(const DtFile *file, DtSeals seals)
{
    Search search = {file, seals, g_array_new(FALSE, FALSE, sizeof(DtSealedPart))};
    if (find_parts(&search))
        return search.parts;
    g_array_unref(search.parts);
    return NULL;
}

void dt_part_put_seal(const DtSealedPart *part, guint64 start, guint8 *data, gsize bytes)
{
    const guint8 *seal = (const guint8 *)&part->seal;
    for (gsize i = 0; part->seal_at > 0 && i < sizeof(part->seal); i++)
        if (part->seal_at + i >= start && part->seal_at + i < start + bytes)
            data[part->seal_at + i - start] = seal[i];
}
