#include "store/packed/note_rows.h"

#include <string.h>

#include "format/note.h"
#include "store/packed/number_row.h"

enum { KINDS = 16, COUNTS = 16, HEAD_BYTES = sizeof(struct dt_chunk_header) + sizeof(struct dt_notes) };

struct DtNoteRows {
    guint64 values[KINDS][COUNTS][DT_NOTE_VALUES]; /* of the last note of such a kind and count */
};

DtNoteRows *dt_note_rows_new(void)
{
    return g_new0(DtNoteRows, 1);
}

void dt_note_rows_free(DtNoteRows *rows)
{
    g_free(rows);
}

static guint64 *last_values(DtNoteRows *rows, guint32 kind, guint32 count)
{
    return rows->values[kind % KINDS][count % COUNTS];
}

/* ---- packing ------------------------------------------------------------------------------------ */

/* The note at `at` if the bytes of the chunk are just what it is coded to: then it can be coded again. A length behind
 * the end is that of zeros. 0: it is none. */
static gsize read_note(const guint8 *at, gsize bytes, guint8 body[DT_NOTE_BODY], struct dt_note *note)
{
    guint8 again[DT_NOTE_BODY];
    gsize length = at[0], there = MIN(length, bytes - 1);
    if (length == 0 || length > DT_NOTE_BODY)
        return 0;
    memset(body, 0, DT_NOTE_BODY);
    memcpy(body, at + 1, there);
    if (!dt_note_decode(body, length, note) || dt_note_encode(note, again) != length ||
        memcmp(again, body, length) != 0)
        return 0;
    return length + 1;
}

/* How many notes fill the chunk; 0: something else is in it, too. */
static guint count_notes(const guint8 *chunk, gsize bytes)
{
    guint8 body[DT_NOTE_BODY];
    struct dt_note note;
    guint count = 0;
    for (gsize at = HEAD_BYTES; at < bytes; count++) {
        gsize length = read_note(chunk + at, bytes - at, body, &note);
        if (length == 0)
            return 0;
        at += length;
    }
    return count;
}

static void pack_note(DtNoteRows *rows, const struct dt_note *note, guint64 before, GByteArray *out)
{
    guint64 *last = last_values(rows, note->kind, note->count);
    dt_row_put(out, note->kind);
    dt_row_put(out, note->count);
    dt_row_put(out, note->text_bytes);
    dt_row_put_difference(out, note->offset, before);
    for (guint32 i = 0; i < note->count; i++) {
        dt_row_put_difference(out, (guint64)note->values[i], last[i]);
        last[i] = (guint64)note->values[i];
    }
    g_byte_array_append(out, note->text, (guint)note->text_bytes);
}

/* FALSE: it has something else in it, or becomes larger. */
static gboolean pack_chunk(DtNoteRows *rows, const guint8 *chunk, gsize bytes, GByteArray *out)
{
    const guint count = bytes > HEAD_BYTES ? count_notes(chunk, bytes) : 0, start = out->len;
    guint64 before = 0;
    dt_row_put(out, count);
    g_byte_array_append(out, chunk, MIN((guint)bytes, HEAD_BYTES));
    for (gsize at = HEAD_BYTES; count > 0 && at < bytes;) {
        guint8 body[DT_NOTE_BODY];
        struct dt_note note = {0};
        at += read_note(chunk + at, bytes - at, body, &note);
        pack_note(rows, &note, before, out);
        before = note.offset;
    }
    return count > 0 && out->len - start <= bytes;
}

void dt_note_rows_pack(DtNoteRows *rows, const guint8 *chunk, gsize bytes, GByteArray *out)
{
    const guint start = out->len;
    g_autofree DtNoteRows *before = g_memdup2(rows, sizeof(*rows));
    if (pack_chunk(rows, chunk, bytes, out))
        return;
    *rows = *before;
    g_byte_array_set_size(out, start);
    dt_row_put(out, 0);
    g_byte_array_append(out, chunk, (guint)bytes);
}

/* ---- unpacking ------------------------------------------------------------------------------------ */

static gboolean copy(const guint8 **at, const guint8 *end, gsize bytes, GByteArray *out)
{
    if (bytes > (gsize)(end - *at))
        return FALSE;
    g_byte_array_append(out, *at, (guint)bytes);
    *at += bytes;
    return TRUE;
}

static gboolean unpack_note(DtNoteRows *rows, const guint8 **at, const guint8 *end, guint64 *before, GByteArray *chunk)
{
    struct dt_note note = {0};
    guint64 kind, count, text_bytes, value;
    guint8 body[DT_NOTE_BODY];
    if (!dt_row_get(at, end, &kind) || !dt_row_get(at, end, &count) || !dt_row_get(at, end, &text_bytes) ||
        kind > G_MAXUINT32 || count > DT_NOTE_VALUES || text_bytes > DT_NOTE_BODY ||
        !dt_row_get_difference(at, end, *before, &note.offset))
        return FALSE;
    note.kind = (guint32)kind;
    note.count = (guint32)count;
    guint64 *last = last_values(rows, note.kind, note.count);
    for (guint32 i = 0; i < note.count; i++) {
        if (!dt_row_get_difference(at, end, last[i], &value))
            return FALSE;
        last[i] = value;
        note.values[i] = (gint64)value;
    }
    if (text_bytes > (gsize)(end - *at))
        return FALSE;
    note.text = *at;
    note.text_bytes = (gsize)text_bytes;
    *at += text_bytes;
    *before = note.offset;
    guint8 length = (guint8)dt_note_encode(&note, body);
    g_byte_array_append(chunk, &length, 1);
    g_byte_array_append(chunk, body, length);
    return length > 0;
}

gboolean dt_note_rows_unpack(DtNoteRows *rows, const guint8 **at, const guint8 *end, gsize bytes, GByteArray *chunk)
{
    guint64 count, before = 0;
    const guint start = chunk->len;
    if (!dt_row_get(at, end, &count))
        return FALSE;
    if (count == 0)
        return copy(at, end, bytes, chunk);
    if (!copy(at, end, HEAD_BYTES, chunk))
        return FALSE;
    for (guint64 i = 0; i < count; i++)
        if (chunk->len - start >= bytes || !unpack_note(rows, at, end, &before, chunk))
            return FALSE;
    if (chunk->len - start < bytes)
        return FALSE;
    g_byte_array_set_size(chunk, start + (guint)bytes); /* what is cut off is 0 in the chunk anyway */
    return TRUE;
}
