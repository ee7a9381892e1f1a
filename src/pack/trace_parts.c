#include "pack/trace_parts.h"

#include <string.h>

#include "format/checks.h"
#include "pack/anonymous.h"
#include "store/packed/checks_apart.h"
#include "store/packed/note_rows.h"
#include "store/packed/packed_format.h"
#include "store/sealed/parts.h"

/* Bytes of the trace file that go to one place. */
typedef struct {
    guint64 offset;
    GByteArray *data;
} Piece;

struct DtTraceCode {
    char *name;
    GArray *pieces; /* (element-type Piece) */
};

static void clear_piece(gpointer data)
{
    g_byte_array_unref(((Piece *)data)->data);
}

static GArray *new_pieces(void)
{
    GArray *pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
    g_array_set_clear_func(pieces, clear_piece);
    return pieces;
}

void dt_trace_code_free(DtTraceCode *code)
{
    if (!code)
        return;
    g_free(code->name);
    g_array_unref(code->pieces);
    g_free(code);
}

/* ---- recoded streams ------------------------------------------------------------------------------ */

/* Lays a stream into the chunks in which the old one was; all but the last are full. The sequence of the last chunk
 * that is needed, plus 1. */
static guint32 lay_out(const DtRecoded *recoded, const DtProcessFile *process, GArray *pieces)
{
    gsize done = 0;
    guint32 needed = 0;
    for (guint i = 0; i < process->data->len && done < recoded->stream->len; i++) {
        const DtDataChunk *chunk = &g_array_index(process->data, DtDataChunk, i);
        if (chunk->owner != recoded->owner)
            continue;
        gsize bytes = MIN(chunk->whole, recoded->stream->len - done);
        Piece piece = {chunk->offset, g_byte_array_new()};
        g_byte_array_append(piece.data, recoded->stream->data + done, (guint)bytes);
        g_array_append_val(pieces, piece);
        done += bytes;
        needed = chunk->sequence + 1;
    }
    return needed;
}

/* ---- records ----------------------------------------------------------------------------------------- */

static gboolean lies_in(const DtRecoded *recoded, guint64 offset, guint64 bytes)
{
    const guint64 end = recoded->commits_at + sizeof(((struct dt_thread *)NULL)->commit);
    return recoded->commits_at >= offset && end <= offset + bytes;
}

/* All of a chunk, of which the zeros at its end may be missing; FALSE: it is none. */
static gboolean make_whole(GByteArray *data, struct dt_chunk_header *chunk)
{
    const guint there = data->len;
    if (there < sizeof(*chunk))
        return FALSE;
    memcpy(chunk, data->data, sizeof(*chunk));
    if (chunk->magic != DT_CHUNK_MAGIC || chunk->bytes < there || chunk->bytes > DT_CHUNK_MOST_BYTES)
        return FALSE;
    g_byte_array_set_size(data, chunk->bytes);
    memset(data->data + there, 0, chunk->bytes - there);
    return TRUE;
}

static void seal_again(GByteArray *data)
{
    struct dt_chunk_header *chunk = (struct dt_chunk_header *)(void *)data->data;
    if (chunk->seal != 0)
        chunk->seal = dt_chunk_seal(chunk);
}

/* Puts the commit records of recoded streams where they are in the chunk; its checksum follows, if it has one. */
static void put_commits(const GPtrArray *recoded, guint64 offset, GByteArray *data)
{
    struct dt_chunk_header chunk;
    gboolean changed = FALSE;
    if (recoded->len == 0 || !make_whole(data, &chunk))
        return;
    for (guint i = 0; i < recoded->len; i++) {
        const DtRecoded *thread = recoded->pdata[i];
        for (guint c = 0; c < 2 && lies_in(thread, offset, data->len); c++) {
            memcpy(data->data + (thread->commits_at - offset) + c * sizeof(thread->commit), &thread->commit,
                   sizeof(thread->commit));
            changed = TRUE;
        }
    }
    if (changed)
        seal_again(data);
}

static void strip_zeros(GByteArray *data)
{
    guint used = data->len;
    while (used > 0 && data->data[used - 1] == 0)
        used--;
    g_byte_array_set_size(data, used);
}

typedef struct {
    const DtFile *file;
    const GPtrArray *recoded;
    const DtPseudonyms *names; /* NULL: it is not anonymous */
    GHashTable *needed;        /* owner -> chunks that its new stream needs; others are as they were */
    GArray *records, *notes, *code;
} Division;

/* What names anything, in the first page and in chunks; what is neither is left out. */
static void replace_names(const DtPseudonyms *names, const DtSealedPart *part, GByteArray *data)
{
    struct dt_chunk_header chunk;
    if (part->offset == 0) {
        dt_anonymous_page(names, data);
    } else if (make_whole(data, &chunk)) {
        dt_anonymous_chunk(names, data);
        seal_again(data);
    } else {
        g_byte_array_set_size(data, 0);
    }
}

/* A part as it lies in the file; of records, with the new commit records. */
static gboolean add_part(const Division *division, const DtSealedPart *part, GArray *pieces)
{
    Piece piece = {part->offset, g_byte_array_new()};
    if (part->bytes > G_MAXUINT / 2) {
        g_byte_array_unref(piece.data);
        return FALSE;
    }
    g_byte_array_set_size(piece.data, (guint)part->bytes);
    gboolean there = dt_file_read(division->file, part->offset, piece.data->data, part->bytes) == part->bytes;
    dt_part_put_seal(part, 0, piece.data->data, part->bytes);
    if (part->kind == DT_PART_RECORDS)
        put_commits(division->recoded, part->offset, piece.data);
    if (division->names && part->kind != DT_PART_CODE && !part->is_code_head)
        replace_names(division->names, part, piece.data);
    strip_zeros(piece.data);
    g_array_append_val(pieces, piece);
    return there;
}

/* ---- entries ------------------------------------------------------------------------------------------ */

static guint64 count_bytes(const GArray *pieces)
{
    guint64 bytes = 0;
    for (guint i = 0; i < pieces->len; i++)
        bytes += sizeof(struct dt_sealed_piece) + g_array_index(pieces, Piece, i).data->len;
    return bytes;
}

static void add_pieces(DtPacker *packer, const GArray *pieces)
{
    for (guint i = 0; i < pieces->len; i++) {
        const Piece *piece = &g_array_index(pieces, Piece, i);
        const struct dt_sealed_piece row = {piece->offset, piece->data->len};
        dt_packer_add(packer, &row, sizeof(row));
    }
    for (guint i = 0; i < pieces->len; i++) {
        const Piece *piece = &g_array_index(pieces, Piece, i);
        dt_packer_add(packer, piece->data->data, piece->data->len);
    }
}

/* Leaves the checksums out of all pieces, if they can be made again just as they are. */
static gboolean leave_out_checks(GArray *pieces, guint64 room)
{
    gsize bytes = 0;
    g_autoptr(GArray) without = new_pieces();
    for (guint i = 0; i < pieces->len; i++) {
        const Piece *piece = &g_array_index(pieces, Piece, i);
        Piece copy = {piece->offset, g_byte_array_new()};
        g_byte_array_append(copy.data, piece->data->data, piece->data->len);
        g_array_append_val(without, copy);
        dt_checks_leave_out(copy.data->data, copy.data->len, copy.offset);
        g_autofree guint8 *again = g_memdup2(copy.data->data, copy.data->len);
        gboolean is_back = dt_checks_put_back(again, copy.data->len, copy.offset, &room);
        bytes += copy.data->len;
        if (!is_back || bytes > DT_PACKED_APART_BYTES || memcmp(again, piece->data->data, copy.data->len) != 0)
            return FALSE;
    }
    for (guint i = 0; i < pieces->len; i++) {
        Piece *piece = &g_array_index(pieces, Piece, i), *copy = &g_array_index(without, Piece, i);
        GByteArray *data = piece->data;
        piece->data = copy->data;
        copy->data = data;
    }
    return TRUE;
}

static void write_records(DtPacker *packer, const char *name, guint64 bytes, GArray *pieces)
{
    const guint32 kind = leave_out_checks(pieces, bytes) ? DT_PACKED_APART : DT_PACKED_TRACE;
    dt_packer_begin(packer, kind, name, sizeof(bytes) + count_bytes(pieces), pieces->len);
    dt_packer_add(packer, &bytes, sizeof(bytes));
    add_pieces(packer, pieces);
    dt_packer_end_entry(packer);
}

void dt_trace_code_write(DtTraceCode *code, DtPacker *packer)
{
    if (code->pieces->len == 0)
        return;
    dt_packer_begin(packer, DT_PACKED_CODE, code->name, count_bytes(code->pieces), code->pieces->len);
    add_pieces(packer, code->pieces);
    dt_packer_end_entry(packer);
}

/* Some of the pieces, from `first` on; how many. */
static guint write_some_notes(DtPacker *packer, const char *name, const GArray *pieces, guint first)
{
    g_autoptr(GByteArray) rows = g_byte_array_new(), body = g_byte_array_new();
    g_autoptr(DtNoteRows) state = dt_note_rows_new();
    guint64 bytes = 0;
    guint count = 0;
    for (guint i = first; i < pieces->len; i++, count++) {
        const Piece *piece = &g_array_index(pieces, Piece, i);
        const struct dt_sealed_piece row = {piece->offset, piece->data->len};
        bytes += piece->data->len;
        if (count > 0 && bytes > DT_PACKED_NOTES_BYTES / 2) /* coded a chunk is larger by a byte at most */
            break;
        g_byte_array_append(rows, (const guint8 *)&row, sizeof(row));
        dt_note_rows_pack(state, piece->data->data, piece->data->len, body);
    }
    dt_packer_begin(packer, DT_PACKED_NOTES, name, rows->len + body->len, count);
    dt_packer_add(packer, rows->data, rows->len);
    dt_packer_add(packer, body->data, body->len);
    dt_packer_end_entry(packer);
    return count;
}

static void write_notes(DtPacker *packer, const char *name, const GArray *pieces)
{
    for (guint first = 0; first < pieces->len;)
        first += write_some_notes(packer, name, pieces, first);
}

static gboolean divide_part(const Division *division, const DtSealedPart *part)
{
    gpointer needed;
    gboolean is_code = part->kind == DT_PART_CODE;
    if ((is_code || part->is_code_head) &&
        g_hash_table_lookup_extended(division->needed, GUINT_TO_POINTER(part->owner), NULL, &needed) &&
        (is_code || part->sequence >= GPOINTER_TO_UINT(needed)))
        return TRUE; /* it is laid out already, or not needed any more */
    GArray *const pieces[] = {division->records, division->notes, division->records, division->code};
    return add_part(division, part, pieces[part->kind]);
}

DtTraceCode *dt_trace_parts_write(DtPacker *packer, const char *name, const DtFile *file, const DtProcessFile *process,
                                  GPtrArray *recoded, const DtPseudonyms *names)
{
    g_autoptr(GArray) parts = dt_parts_find(file, DT_SEALS_KEPT), records = new_pieces();
    g_autoptr(GArray) notes = new_pieces();
    g_autoptr(GHashTable) needed = g_hash_table_new(NULL, NULL);
    if (!parts)
        return NULL;
    DtTraceCode *code = g_new0(DtTraceCode, 1);
    code->name = g_strdup(name);
    code->pieces = new_pieces();
    const Division division = {file, recoded, names, needed, records, notes, code->pieces};
    for (guint i = 0; i < recoded->len; i++) {
        const DtRecoded *thread = recoded->pdata[i];
        g_hash_table_insert(needed, GUINT_TO_POINTER(thread->owner),
                            GUINT_TO_POINTER(lay_out(thread, process, code->pieces)));
    }
    for (guint i = 0; i < parts->len; i++)
        if (!divide_part(&division, &g_array_index(parts, DtSealedPart, i))) {
            dt_trace_code_free(code);
            return NULL;
        }
    write_records(packer, name, file->bytes, records);
    write_notes(packer, name, notes);
    return code;
}
