/* Trace files in their sealed form, read as what they stand for. */
#include "store/sealed/sealed_reader.h"

#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "format/checks.h"
#include "format/sealed.h"
#include "store/packed/note_rows.h"
#include "store/problems.h"
#include "store/store.h"
#include "text/text.h"

enum { CACHED_BLOCKS = 4 };

/* Sorted by their offset. */
typedef struct {
    guint64 offset, bytes;
    guint64 content; /* where it starts in what the blocks hold */
} Piece;

typedef struct {
    guint64 content;     /* where it starts */
    guint64 file_offset; /* where it lies */
    guint32 bytes, packed_bytes, crc32;
    guint32 rows_bytes; /* of notes: what is packed; 0: the block itself is */
    gboolean damaged;   /* it was read, and its checksum is wrong */
} Block;

typedef struct {
    guint block;
    guint64 used; /* when; 0: nothing is there */
    guint8 *data;
} Cached;

struct DtSealed {
    gint descriptor;
    struct dt_sealed head;
    guint64 file_bytes, whole_bytes; /* that are there, and that there should be */
    Piece *pieces;                   /* by offset */
    guint *ordered;                  /* indices of them by content */
    Block *blocks;
    gboolean header_is_damaged;
    GMutex lock; /* of all below, and of what of blocks changes */
    Cached cached[CACHED_BLOCKS];
    guint64 clock;
    ZSTD_DCtx *unpacker;
};

/* ---- the file itself ------------------------------------------------------------------------ */

static gsize read_at(gint descriptor, guint64 offset, void *to, gsize bytes)
{
    guint8 *out = to;
    gsize done = 0;
    while (done < bytes && offset + done <= G_MAXINT64) {
        gssize part = pread(descriptor, out + done, bytes - done, (off_t)(offset + done));
        if (part <= 0)
            break;
        done += (gsize)part;
    }
    memset(out + done, 0, bytes - done);
    return done;
}

static guint32 head_check(const struct dt_sealed *head)
{
    return dt_crc32(0, head, G_STRUCT_OFFSET(struct dt_sealed, check));
}

static gboolean says_sealed(const struct dt_file_header *header)
{
    return memcmp(header->magic, DT_FILE_MAGIC, sizeof(header->magic)) == 0 && header->endian == DT_ENDIAN_MARK &&
           header->major == DT_SEALED_MAJOR;
}

static gboolean is_head(const struct dt_sealed *head)
{
    return memcmp(head->magic, DT_SEALED_MAGIC, sizeof(head->magic)) == 0 && head->check == head_check(head);
}

static gboolean header_holds(const struct dt_file_header *header)
{
    return says_sealed(header) && header->header_bytes == sizeof(*header) &&
           header->check == dt_file_header_check(header) && header->seal == dt_file_header_seal(header);
}

gboolean dt_sealed_is(gint descriptor)
{
    struct dt_file_header header;
    struct dt_sealed head;
    read_at(descriptor, 0, &header, sizeof(header));
    if (says_sealed(&header))
        return TRUE;
    return read_at(descriptor, DT_SEALED_OFFSET, &head, sizeof(head)) == sizeof(head) && is_head(&head);
}

/* ---- the table -------------------------------------------------------------------------------- */

static gsize table_bytes(const struct dt_sealed *head)
{
    return head->pieces * sizeof(struct dt_sealed_piece) + head->blocks * sizeof(struct dt_sealed_block);
}

static guint8 *read_table(const DtSealed *sealed)
{
    const struct dt_sealed *head = &sealed->head;
    gsize bytes = table_bytes(head), packed_bytes = head->table_bytes;
    if (packed_bytes > bytes || packed_bytes > sealed->file_bytes)
        return NULL;
    g_autofree guint8 *packed = g_malloc(packed_bytes + 1);
    gsize there = read_at(sealed->descriptor, DT_SEALED_OFFSET + sizeof(*head), packed, packed_bytes);
    if (there < packed_bytes || dt_crc32(0, packed, packed_bytes) != head->table_crc32)
        return NULL;
    if (packed_bytes == bytes)
        return g_steal_pointer(&packed);
    g_autofree guint8 *table = g_malloc(bytes + 1);
    return ZSTD_decompress(table, bytes, packed, packed_bytes) == bytes ? g_steal_pointer(&table) : NULL;
}

static int compare_pieces(const void *first, const void *second)
{
    const Piece *one = first, *two = second;
    return (one->offset > two->offset) - (one->offset < two->offset);
}

/* Those without bytes come first where they are. */
static gint compare_contents(gconstpointer first, gconstpointer second, gpointer data)
{
    const Piece *pieces = data, *one = &pieces[*(const guint *)first], *two = &pieces[*(const guint *)second];
    if (one->content != two->content)
        return one->content < two->content ? -1 : 1;
    return (one->bytes > two->bytes) - (one->bytes < two->bytes);
}

/* FALSE if one reaches beyond the file or into another. */
static gboolean take_pieces(DtSealed *sealed, const guint8 *table, guint64 *content)
{
    const guint count = sealed->head.pieces;
    sealed->pieces = g_new(Piece, count + (gsize)1);
    for (guint i = 0; i < count; i++) {
        struct dt_sealed_piece piece;
        memcpy(&piece, table + i * sizeof(piece), sizeof(piece));
        if (piece.offset > sealed->head.image_bytes || piece.bytes > sealed->head.image_bytes - piece.offset)
            return FALSE;
        sealed->pieces[i] = (Piece){piece.offset, piece.bytes, *content};
        *content += piece.bytes;
    }
    qsort(sealed->pieces, count, sizeof(Piece), compare_pieces);
    sealed->ordered = g_new(guint, count + (gsize)1);
    for (guint i = 0; i < count; i++)
        sealed->ordered[i] = i;
    g_qsort_with_data(sealed->ordered, (gint)count, sizeof(guint), compare_contents, sealed->pieces);
    for (guint i = 1; i < count; i++)
        if (sealed->pieces[i - 1].offset + sealed->pieces[i - 1].bytes > sealed->pieces[i].offset)
            return FALSE;
    return TRUE;
}

static gboolean is_possible(const struct dt_sealed_block *block)
{
    const guint32 unpacked = block->rows_bytes > 0 ? block->rows_bytes : block->bytes;
    return block->bytes > 0 && block->bytes <= DT_SEALED_BLOCK_BYTES && block->packed_bytes > 0 &&
           block->packed_bytes <= unpacked && block->rows_bytes <= 2 * DT_SEALED_BLOCK_BYTES;
}

static gboolean take_blocks(DtSealed *sealed, const guint8 *table, guint64 *content)
{
    const guint count = sealed->head.blocks;
    guint64 at = DT_SEALED_OFFSET + sizeof(sealed->head) + sealed->head.table_bytes;
    sealed->blocks = g_new(Block, count + (gsize)1);
    for (guint i = 0; i < count; i++) {
        struct dt_sealed_block block;
        memcpy(&block, table + i * sizeof(block), sizeof(block));
        if (!is_possible(&block))
            return FALSE;
        sealed->blocks[i] =
            (Block){*content, at, block.bytes, block.packed_bytes, block.crc32, block.rows_bytes, FALSE};
        *content += block.bytes;
        at += block.packed_bytes;
    }
    sealed->whole_bytes = at;
    return TRUE;
}

/* As of files with holes: there may be much more of nothing than of anything only up to a size. */
static gboolean is_hollow(guint64 image_bytes, guint64 content)
{
    static const guint64 most_nothing = 1 << 28, share = 8;
    guint64 nothing = image_bytes - content;
    return nothing > most_nothing && nothing / share > content;
}

static gboolean read_rows(DtSealed *sealed)
{
    const struct dt_sealed *head = &sealed->head;
    guint64 in_pieces = 0, in_blocks = 0;
    if (head->pieces > DT_SEALED_MOST_ROWS || head->blocks > DT_SEALED_MOST_ROWS || head->image_bytes > G_MAXINT64)
        return FALSE;
    g_autofree guint8 *table = read_table(sealed);
    return table && take_pieces(sealed, table, &in_pieces) &&
           take_blocks(sealed, table + head->pieces * sizeof(struct dt_sealed_piece), &in_blocks) &&
           in_pieces == in_blocks && !is_hollow(head->image_bytes, in_pieces);
}

DtSealed *dt_sealed_open(gint descriptor, guint64 bytes, GError **error)
{
    DtSealed *sealed = g_new0(DtSealed, 1);
    struct dt_file_header header;
    sealed->descriptor = descriptor;
    sealed->file_bytes = bytes;
    g_mutex_init(&sealed->lock);
    read_at(descriptor, 0, &header, sizeof(header));
    sealed->header_is_damaged = !header_holds(&header);
    read_at(descriptor, DT_SEALED_OFFSET, &sealed->head, sizeof(sealed->head));
    if (is_head(&sealed->head) && read_rows(sealed))
        return sealed;
    if (header_holds(&header) && header.minor > DT_SEALED_MINOR && !is_head(&sealed->head))
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_VERSION,
                     "written in version %u.%u of the trace format, which this difftrace does not read: use a newer "
                     "difftrace",
                     header.major, header.minor);
    else
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED,
                     "the table of the sealed file at offset %u is damaged", DT_SEALED_OFFSET);
    dt_sealed_free(sealed);
    return NULL;
}

void dt_sealed_free(DtSealed *sealed)
{
    if (!sealed)
        return;
    for (guint i = 0; i < CACHED_BLOCKS; i++)
        g_free(sealed->cached[i].data);
    ZSTD_freeDCtx(sealed->unpacker);
    g_mutex_clear(&sealed->lock);
    g_free(sealed->pieces);
    g_free(sealed->ordered);
    g_free(sealed->blocks);
    g_free(sealed);
}

guint64 dt_sealed_image_bytes(const DtSealed *sealed)
{
    return sealed->head.image_bytes;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

/* The place that was not used for longest. */
static Cached *oldest(DtSealed *sealed)
{
    Cached *found = &sealed->cached[0];
    for (guint i = 1; i < CACHED_BLOCKS; i++)
        if (sealed->cached[i].used < found->used)
            found = &sealed->cached[i];
    return found;
}

static Cached *find_cached(DtSealed *sealed, guint block)
{
    for (guint i = 0; i < CACHED_BLOCKS; i++)
        if (sealed->cached[i].used > 0 && sealed->cached[i].block == block)
            return &sealed->cached[i];
    return NULL;
}

/* The first of the pieces, by content, that starts at or behind a place. */
static guint find_ordered(const DtSealed *sealed, guint64 content)
{
    guint low = 0, high = sealed->head.pieces;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (sealed->pieces[sealed->ordered[middle]].content < content)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Chunks of notes out of their rows; FALSE if there is anything else. */
static gboolean unpack_notes(const DtSealed *sealed, const Block *block, const guint8 *rows, guint8 *to)
{
    g_autoptr(DtNoteRows) state = dt_note_rows_new();
    g_autoptr(GByteArray) chunks = g_byte_array_new();
    const guint8 *end = rows + block->rows_bytes;
    for (guint i = find_ordered(sealed, block->content); chunks->len < block->bytes; i++) {
        const Piece *piece = i < sealed->head.pieces ? &sealed->pieces[sealed->ordered[i]] : NULL;
        if (!piece || piece->content != block->content + chunks->len || piece->bytes > block->bytes - chunks->len ||
            !dt_note_rows_unpack(state, &rows, end, (gsize)piece->bytes, chunks))
            return FALSE;
    }
    memcpy(to, chunks->data, block->bytes);
    return rows == end;
}

/* What a block is packed to; FALSE if it is not that. */
static gboolean unpack_zstd(DtSealed *sealed, const guint8 *packed, gsize packed_bytes, guint8 *to, gsize bytes)
{
    if (!sealed->unpacker)
        sealed->unpacker = ZSTD_createDCtx();
    return ZSTD_decompressDCtx(sealed->unpacker, to, bytes, packed, packed_bytes) == bytes;
}

static gboolean unpack_content(DtSealed *sealed, const Block *block, const guint8 *packed, guint8 *to)
{
    if (block->rows_bytes == 0)
        return unpack_zstd(sealed, packed, block->packed_bytes, to, block->bytes);
    if (block->packed_bytes == block->rows_bytes)
        return unpack_notes(sealed, block, packed, to);
    g_autofree guint8 *rows = g_malloc(block->rows_bytes);
    return unpack_zstd(sealed, packed, block->packed_bytes, rows, block->rows_bytes) &&
           unpack_notes(sealed, block, rows, to);
}

/* What a damaged block gives is given all the same: the records in it have checksums of their own. */
static void unpack(DtSealed *sealed, Block *block, guint8 *to)
{
    g_autofree guint8 *packed = g_malloc(block->packed_bytes);
    gsize there = read_at(sealed->descriptor, block->file_offset, packed, block->packed_bytes);
    block->damaged = there < block->packed_bytes || dt_crc32(0, packed, block->packed_bytes) != block->crc32;
    if (unpack_content(sealed, block, packed, to))
        return;
    block->damaged = TRUE;
    memset(to, 0, block->bytes);
}

static void copy_packed(DtSealed *sealed, guint index, gsize skip, guint8 *to, gsize bytes)
{
    g_mutex_lock(&sealed->lock);
    Cached *cached = find_cached(sealed, index);
    if (!cached) {
        cached = oldest(sealed);
        if (!cached->data)
            cached->data = g_malloc(DT_SEALED_BLOCK_BYTES);
        unpack(sealed, &sealed->blocks[index], cached->data);
        cached->block = index;
    }
    cached->used = ++sealed->clock;
    memcpy(to, cached->data + skip, bytes);
    g_mutex_unlock(&sealed->lock);
}

/* The last of `count` rows that starts at or before `value`; the starts lie `stride` bytes apart. */
static guint find_row(const void *starts, gsize stride, guint count, guint64 value)
{
    guint low = 0, high = count;
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (*(const guint64 *)(const void *)((const guint8 *)starts + middle * stride) <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void copy_content(DtSealed *sealed, guint64 content, guint8 *to, gsize bytes)
{
    guint index = find_row(&sealed->blocks[0].content, sizeof(Block), sealed->head.blocks, content);
    while (bytes > 0) {
        const Block *block = &sealed->blocks[index];
        gsize skip = (gsize)(content - block->content), part = MIN(bytes, block->bytes - skip);
        if (block->packed_bytes == block->bytes && block->rows_bytes == 0)
            read_at(sealed->descriptor, block->file_offset + skip, to, part);
        else
            copy_packed(sealed, index, skip, to, part);
        to += part;
        content += part;
        bytes -= part;
        index++;
    }
}

gsize dt_sealed_read(DtSealed *sealed, guint64 offset, void *to, gsize bytes)
{
    guint64 end = sealed->head.image_bytes, behind = offset < end ? end - offset : 0;
    gsize there = (gsize)MIN(bytes, behind), done = 0;
    memset(to, 0, bytes);
    if (sealed->head.pieces == 0)
        return there;
    guint index = find_row(&sealed->pieces[0].offset, sizeof(Piece), sealed->head.pieces, offset);
    for (; done < there && index < sealed->head.pieces; index++) {
        const Piece *piece = &sealed->pieces[index];
        guint64 at = MAX(offset + done, piece->offset), piece_end = piece->offset + piece->bytes;
        if (at >= offset + there)
            break;
        if (at >= piece_end)
            continue;
        gsize part = (gsize)MIN(piece_end - at, offset + there - at);
        copy_content(sealed, piece->content + (at - piece->offset), (guint8 *)to + (at - offset), part);
        done = (gsize)(at - offset) + part;
    }
    return there;
}

gboolean dt_sealed_is_blank_from(const DtSealed *sealed, guint64 offset)
{
    const guint count = sealed->head.pieces;
    return count == 0 || sealed->pieces[count - 1].offset + sealed->pieces[count - 1].bytes <= offset;
}

/* ---- damage --------------------------------------------------------------------------------------- */

static void report_size(const DtSealed *sealed, const char *name, GPtrArray *problems)
{
    if (sealed->file_bytes < sealed->whole_bytes)
        dt_problem(problems, name, "cut short at offset %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " bytes are missing",
                   sealed->file_bytes, sealed->whole_bytes - sealed->file_bytes);
    else if (sealed->file_bytes > sealed->whole_bytes)
        dt_problem(problems, name,
                   "%" G_GUINT64_FORMAT " bytes more than its table tells, from offset %" G_GUINT64_FORMAT,
                   sealed->file_bytes - sealed->whole_bytes, sealed->whole_bytes);
}

void dt_sealed_report(DtSealed *sealed, const char *name, GPtrArray *problems)
{
    if (sealed->header_is_damaged)
        dt_problem(problems, name, "the header at offset 0 is damaged: its copy is read");
    report_size(sealed, name, problems);
    g_mutex_lock(&sealed->lock);
    for (guint i = 0; i < sealed->head.blocks; i++)
        if (sealed->blocks[i].damaged)
            dt_problem(problems, name,
                       "the block at offset %" G_GUINT64_FORMAT " has a wrong checksum: what it says may be wrong",
                       sealed->blocks[i].file_offset);
    g_mutex_unlock(&sealed->lock);
}
