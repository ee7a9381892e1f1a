/* Writing the sealed form of a trace file: what is not zero, sorted so that one thread's notes and code lie together.
 */
#define _GNU_SOURCE /* renameat, futimens, O_DIRECTORY */
#include "store/sealed/sealed_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "format/checks.h"
#include "format/sealed.h"
#include "store/file.h"
#include "store/packed/note_rows.h"
#include "store/sealed/parts.h"
#include "store/sealed/seal.h"

enum {
    MOST_IN_MEMORY = 1 << 23, /* of content whose blocks are kept until the table is known */
    LEVEL = 12,               /* zstd's, of records, tables and notes */
    CODE_LEVEL = 3            /* of event code, which is mostly packed already, and of times, which are mostly noise */
};

typedef struct {
    const DtFile *file;
    guint64 bytes; /* of it that count */
    struct dt_file_header header;
    GArray *parts;   /* (element-type DtSealedPart) */
    guint64 content; /* bytes of all parts */
} Plan;

static gboolean read_at(const DtFile *file, guint64 offset, void *to, gsize bytes)
{
    return dt_file_read(file, offset, to, bytes) == bytes;
}

/* ---- packing ------------------------------------------------------------------------------------- */

typedef struct {
    const Plan *plan;
    gint to;
    gboolean in_memory; /* blocks are kept until all of the table is known, which is packed then */
    GByteArray *blocks; /* if so */
    guint64 end;        /* else: where the next block goes */
    GArray *rows;       /* (element-type struct dt_sealed_block) */
    GArray *pieces;     /* (element-type struct dt_sealed_piece) */
    ZSTD_CCtx *packer;
    guint8 *block, *packed; /* DT_SEALED_BLOCK_BYTES each */
    gsize filled;
    GByteArray *chunk, *rows_of; /* of notes: a chunk, and the rows of those of the block */
    DtNoteRows *notes;           /* NULL: no block of notes is begun */
} Output;

static gboolean write_at(gint to, guint64 offset, const void *data, gsize bytes)
{
    for (gsize done = 0; done < bytes;) {
        gssize part = pwrite(to, (const guint8 *)data + done, bytes - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return FALSE;
        done += (gsize)part;
    }
    return TRUE;
}

/* Event code is packed only if that is worth a reader's time. */
static gsize pack(Output *output, DtSealedPartKind kind)
{
    const gsize bytes = output->filled, most = kind == DT_PART_CODE ? bytes - bytes / 8 : bytes;
    gsize packed = ZSTD_compressCCtx(output->packer, output->packed, DT_SEALED_BLOCK_BYTES, output->block, bytes,
                                     kind == DT_PART_CODE || kind == DT_PART_TIMES ? CODE_LEVEL : LEVEL);
    return !ZSTD_isError(packed) && packed < most ? packed : bytes;
}

/* The bytes of a block go where the last one ended. */
static gboolean put_block(Output *output, struct dt_sealed_block row, const guint8 *data)
{
    row.crc32 = dt_crc32(0, data, row.packed_bytes);
    g_array_append_val(output->rows, row);
    output->filled = 0;
    if (output->in_memory) {
        g_byte_array_append(output->blocks, data, row.packed_bytes);
        return TRUE;
    }
    output->end += row.packed_bytes;
    return write_at(output->to, output->end - row.packed_bytes, data, row.packed_bytes);
}

static gboolean end_block(Output *output, DtSealedPartKind kind)
{
    if (output->filled == 0)
        return TRUE;
    struct dt_sealed_block row = {.bytes = (guint32)output->filled, .packed_bytes = (guint32)pack(output, kind)};
    return put_block(output, row, row.packed_bytes < row.bytes ? output->packed : output->block);
}

/* Of the notes that were added since the last. */
static gboolean end_notes(Output *output)
{
    if (!output->notes)
        return TRUE;
    const GByteArray *rows = output->rows_of;
    gsize bound = ZSTD_compressBound(rows->len);
    g_autofree guint8 *packed = g_malloc(bound);
    gsize bytes = ZSTD_compressCCtx(output->packer, packed, bound, rows->data, rows->len, LEVEL);
    gboolean is_packed = !ZSTD_isError(bytes) && bytes < rows->len;
    struct dt_sealed_block row = {.bytes = (guint32)output->filled,
                                  .packed_bytes = is_packed ? (guint32)bytes : rows->len,
                                  .rows_bytes = rows->len};
    gboolean done = put_block(output, row, is_packed ? packed : rows->data);
    g_clear_pointer(&output->notes, dt_note_rows_free);
    g_byte_array_set_size(output->rows_of, 0);
    return done;
}

/* Whether a chunk is coded as rows, together with others of a block that has `filled` bytes. */
static gboolean fits_into_rows(const DtSealedPart *part)
{
    return part->kind == DT_PART_NOTES && part->bytes <= DT_SEALED_BLOCK_BYTES;
}

static gboolean starts_block_of_notes(gsize filled, const DtSealedPart *part)
{
    return filled == 0 || filled + part->bytes > DT_SEALED_BLOCK_BYTES;
}

static gboolean add_notes(Output *output, const DtSealedPart *part)
{
    if (starts_block_of_notes(output->filled, part)) {
        if (!end_notes(output))
            return FALSE;
        output->notes = dt_note_rows_new();
    }
    g_byte_array_set_size(output->chunk, (guint)part->bytes);
    if (!read_at(output->plan->file, part->offset, output->chunk->data, part->bytes))
        return FALSE;
    dt_part_put_seal(part, 0, output->chunk->data, part->bytes);
    dt_note_rows_pack(output->notes, output->chunk->data, part->bytes, output->rows_of);
    output->filled += part->bytes;
    return TRUE;
}

static gboolean add_content(Output *output, const DtSealedPart *part)
{
    for (guint64 done = 0; done < part->bytes;) {
        guint8 *to = output->block + output->filled;
        gsize bytes = (gsize)MIN(DT_SEALED_BLOCK_BYTES - output->filled, part->bytes - done);
        if (!read_at(output->plan->file, part->offset + done, to, bytes))
            return FALSE;
        dt_part_put_seal(part, done, to, bytes);
        output->filled += bytes;
        done += bytes;
        if (output->filled == DT_SEALED_BLOCK_BYTES && !end_block(output, part->kind))
            return FALSE;
    }
    return TRUE;
}

/* Pieces that follow each other in the file as well are one; a chunk of notes is one by itself. */
static void add_piece(GArray *pieces, const DtSealedPart *part, gboolean after_rows)
{
    struct dt_sealed_piece *last =
        pieces->len > 0 ? &g_array_index(pieces, struct dt_sealed_piece, pieces->len - 1) : NULL;
    struct dt_sealed_piece piece = {part->offset, part->bytes};
    if (last && !after_rows && !fits_into_rows(part) && last->offset + last->bytes == piece.offset)
        last->bytes += piece.bytes;
    else
        g_array_append_val(pieces, piece);
}

static gboolean end_any_block(Output *output, DtSealedPartKind kind)
{
    return output->notes ? end_notes(output) : end_block(output, kind);
}

static gboolean add_all(Output *output)
{
    const GArray *parts = output->plan->parts;
    DtSealedPartKind kind = DT_PART_RECORDS;
    for (guint i = 0; i < parts->len; i++) {
        const DtSealedPart *part = &g_array_index(parts, DtSealedPart, i);
        gboolean changes =
            part->kind != kind || (output->filled > 0 && fits_into_rows(part) != (output->notes != NULL));
        if (changes && !end_any_block(output, kind))
            return FALSE;
        kind = part->kind;
        if (!(fits_into_rows(part) ? add_notes : add_content)(output, part))
            return FALSE;
    }
    return end_any_block(output, kind);
}

/* ---- the file -------------------------------------------------------------------------------------- */

/* As add_all() will make them. */
static guint64 count_blocks(const Plan *plan)
{
    guint64 blocks = 0, filled = 0;
    for (guint i = 0; i < plan->parts->len; i++) {
        const DtSealedPart *part = &g_array_index(plan->parts, DtSealedPart, i), *last = part - (i > 0 ? 1 : 0);
        if (part->kind != last->kind || fits_into_rows(part) != fits_into_rows(last))
            filled = 0;
        if (fits_into_rows(part)) {
            gboolean starts = starts_block_of_notes((gsize)filled, part);
            blocks += starts ? 1 : 0;
            filled = (starts ? 0 : filled) + part->bytes;
            continue;
        }
        guint64 before = (filled + DT_SEALED_BLOCK_BYTES - 1) / DT_SEALED_BLOCK_BYTES;
        filled += part->bytes;
        blocks += (filled + DT_SEALED_BLOCK_BYTES - 1) / DT_SEALED_BLOCK_BYTES - before;
    }
    return blocks;
}

static GByteArray *make_table(const Output *output)
{
    GByteArray *table = g_byte_array_new();
    g_byte_array_append(table, (const guint8 *)output->pieces->data,
                        output->pieces->len * (guint)sizeof(struct dt_sealed_piece));
    g_byte_array_append(table, (const guint8 *)output->rows->data,
                        output->rows->len * (guint)sizeof(struct dt_sealed_block));
    return table;
}

static struct dt_file_header outer_header(const Plan *plan)
{
    struct dt_file_header header = plan->header;
    header.major = DT_SEALED_MAJOR;
    header.minor = DT_SEALED_MINOR;
    header.check = dt_file_header_check(&header);
    header.seal = dt_file_header_seal(&header);
    return header;
}

static gboolean write_head(const Output *output, const guint8 *table, gsize bytes)
{
    struct dt_file_header header = outer_header(output->plan);
    struct dt_sealed head = {.image_bytes = output->plan->bytes,
                             .pieces = output->pieces->len,
                             .blocks = output->rows->len,
                             .table_bytes = (guint32)bytes,
                             .table_crc32 = dt_crc32(0, table, bytes)};
    memcpy(head.magic, DT_SEALED_MAGIC, sizeof(head.magic));
    head.check = dt_crc32(0, &head, G_STRUCT_OFFSET(struct dt_sealed, check));
    return write_at(output->to, 0, &header, sizeof(header)) &&
           write_at(output->to, DT_SEALED_OFFSET, &head, sizeof(head)) &&
           write_at(output->to, DT_SEALED_OFFSET + sizeof(head), table, bytes);
}

static gboolean write_small(Output *output)
{
    output->in_memory = TRUE;
    if (!add_all(output))
        return FALSE;
    g_autoptr(GByteArray) table = make_table(output);
    gsize bound = ZSTD_compressBound(table->len);
    g_autofree guint8 *packed = g_malloc(bound);
    gsize bytes = ZSTD_compressCCtx(output->packer, packed, bound, table->data, table->len, LEVEL);
    gboolean is_packed = !ZSTD_isError(bytes) && bytes < table->len;
    bytes = is_packed ? bytes : table->len;
    return write_head(output, is_packed ? packed : table->data, bytes) &&
           write_at(output->to, DT_SEALED_OFFSET + sizeof(struct dt_sealed) + bytes, output->blocks->data,
                    output->blocks->len);
}

/* The table is not packed: its size is known before the blocks are. */
static gboolean write_large(Output *output)
{
    output->end = DT_SEALED_OFFSET + sizeof(struct dt_sealed) + output->pieces->len * sizeof(struct dt_sealed_piece) +
                  count_blocks(output->plan) * sizeof(struct dt_sealed_block);
    if (!add_all(output))
        return FALSE;
    g_autoptr(GByteArray) table = make_table(output);
    return write_head(output, table->data, table->len);
}

static gboolean write_sealed(const Plan *plan, gint to)
{
    Output output = {.plan = plan, .to = to};
    output.blocks = g_byte_array_new();
    output.rows = g_array_new(FALSE, FALSE, sizeof(struct dt_sealed_block));
    output.pieces = g_array_new(FALSE, FALSE, sizeof(struct dt_sealed_piece));
    output.packer = ZSTD_createCCtx();
    output.block = g_malloc(DT_SEALED_BLOCK_BYTES);
    output.packed = g_malloc(DT_SEALED_BLOCK_BYTES);
    output.chunk = g_byte_array_new();
    output.rows_of = g_byte_array_new();
    for (guint i = 0; i < plan->parts->len; i++) {
        const DtSealedPart *part = &g_array_index(plan->parts, DtSealedPart, i);
        add_piece(output.pieces, part, i > 0 && fits_into_rows(part - 1));
    }
    gboolean fits = output.pieces->len <= DT_SEALED_MOST_ROWS && count_blocks(plan) <= DT_SEALED_MOST_ROWS;
    gboolean written = fits && (plan->content <= MOST_IN_MEMORY ? write_small(&output) : write_large(&output));
    g_byte_array_unref(output.blocks);
    g_array_unref(output.rows);
    g_array_unref(output.pieces);
    g_byte_array_unref(output.chunk);
    g_byte_array_unref(output.rows_of);
    dt_note_rows_free(output.notes);
    ZSTD_freeCCtx(output.packer);
    g_free(output.block);
    g_free(output.packed);
    return written;
}

/* ---- in place of the other ------------------------------------------------------------------------ */

static gboolean may(const DtSealing *sealing, const char *step)
{
    return !sealing->goes_on || sealing->goes_on(step, sealing->data);
}

/* A file of one name alone: of another user's folder one may lead anywhere. */
static gboolean is_taken(const DtSealing *sealing, const struct stat *status)
{
    struct stat folder;
    if (!S_ISREG(status->st_mode) || status->st_nlink != 1 || fstat(sealing->folder, &folder) != 0)
        return FALSE;
    return !sealing->own || status->st_uid == folder.st_uid;
}

/* Whether the name is still that of the open file: another collector may have been quicker. */
static gboolean is_still(const DtSealing *sealing, const struct stat *status)
{
    struct stat now;
    return fstatat(sealing->folder, sealing->name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == status->st_dev &&
           now.st_ino == status->st_ino;
}

/* FALSE if another collector is at it. Not every file system has locks: then two may do the same side by side. */
static gboolean lock(gint file, gboolean *is_locked)
{
    *is_locked = flock(file, LOCK_EX | LOCK_NB) == 0;
    return *is_locked || errno != EWOULDBLOCK;
}

/* Opens the file, and locks it against other collectors; -1: it is to stay as it is. */
static gint open_recorded(const DtSealing *sealing, struct stat *status, gboolean *is_locked)
{
    gint file = openat(sealing->folder, sealing->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, status) == 0 && is_taken(sealing, status) && lock(file, is_locked) && is_still(sealing, status))
        return file;
    close(file);
    return -1;
}

/* A file that was made larger ahead ends with nothing, of which no chunk is. */
static guint64 bytes_that_count(gint file, const struct dt_file_header *header, guint64 bytes)
{
    gboolean is_longer = header->file_bytes >= DT_CHUNK_ALIGN && header->file_bytes < bytes;
    return is_longer && dt_file_is_blank(file, header->file_bytes) ? header->file_bytes : bytes;
}

static gboolean make_plan(const DtSealing *sealing, DtFile *file, Plan *plan)
{
    if (!read_at(file, 0, &plan->header, sizeof(plan->header)) || !dt_header_is_ours(&plan->header) ||
        dt_file_is_hollow(file->descriptor, file->bytes))
        return FALSE;
    gboolean is_sealed = plan->header.seal == dt_file_header_seal(&plan->header);
    if (!sealing->wants(&plan->header, is_sealed, sealing->data))
        return FALSE;
    plan->file = file;
    plan->bytes = file->bytes = bytes_that_count(file->descriptor, &plan->header, file->bytes);
    plan->parts = dt_parts_find(file, is_sealed ? DT_SEALS_KEPT : DT_SEALS_MADE);
    for (guint i = 0; plan->parts && i < plan->parts->len; i++)
        plan->content += g_array_index(plan->parts, DtSealedPart, i).bytes;
    return plan->parts != NULL;
}

static gboolean keep_owner(gint to, const struct stat *status)
{
    const struct timespec times[2] = {status->st_atim, status->st_mtim};
    struct stat made;
    if (fstat(to, &made) != 0)
        return FALSE;
    gboolean same = made.st_uid == status->st_uid && made.st_gid == status->st_gid;
    return (same || fchown(to, status->st_uid, status->st_gid) == 0) && fchmod(to, status->st_mode & 07777) == 0 &&
           futimens(to, times) == 0;
}

/* TRUE if the steps were taken; the last two are the ones after which the other file has gone. */
static gboolean write_aside(const DtSealing *sealing, const Plan *plan, const struct stat *status, gint to,
                            const char *aside)
{
    return may(sealing, "write") && write_sealed(plan, to) && may(sealing, "owner") && keep_owner(to, status) &&
           may(sealing, "sync") && fsync(to) == 0 && may(sealing, "rename") && is_still(sealing, status) &&
           renameat(sealing->folder, aside, sealing->folder, sealing->name) == 0;
}

/* Readers ignore it. */
static char *name_aside(const DtSealing *sealing, gboolean is_locked)
{
    return is_locked ? g_strconcat(sealing->name, ".sealing", NULL)
                     : g_strdup_printf("%s.%s.%d.sealing", sealing->name, g_get_host_name(), (gint)getpid());
}

static gboolean put_in_place(const DtSealing *sealing, const Plan *plan, const struct stat *status, gboolean is_locked)
{
    g_autofree char *aside = name_aside(sealing, is_locked);
    if (!may(sealing, "make"))
        return FALSE;
    (void)unlinkat(sealing->folder, aside, 0); /* of a collector that was killed */
    gint to = openat(sealing->folder, aside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return FALSE;
    gboolean done = write_aside(sealing, plan, status, to, aside);
    close(to);
    if (!done && !sealing->goes_on)
        (void)unlinkat(sealing->folder, aside, 0);
    return done;
}

gboolean dt_sealing_run(const DtSealing *sealing)
{
    struct stat status;
    gboolean is_locked = FALSE;
    gint descriptor = open_recorded(sealing, &status, &is_locked);
    if (descriptor < 0)
        return FALSE;
    DtFile file = {.descriptor = descriptor, .bytes = (guint64)MAX(status.st_size, 0)};
    Plan plan = {0};
    gboolean done = make_plan(sealing, &file, &plan) && put_in_place(sealing, &plan, &status, is_locked);
    if (plan.parts)
        g_array_unref(plan.parts);
    close(descriptor);
    return done;
}
