/**
 * Notes as packed runs hold them: each number as what it differs by from the one before it of its sort, so that what a
 * program does again and again is the same bytes again and again. docs/trace-format.md, section 15.
 */
#ifndef DT_STORE_NOTE_ROWS_H
#define DT_STORE_NOTE_ROWS_H

#include <glib.h>

G_BEGIN_DECLS

/** What the numbers of the next note are compared with. */
typedef struct DtNoteRows DtNoteRows;
DtNoteRows *dt_note_rows_new(void);
void dt_note_rows_free(DtNoteRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtNoteRows, dt_note_rows_free)

/** Appends the `bytes` bytes of a chunk of notes, from its header on; those behind them in the chunk are 0. At most a
 * byte more than these. */
void dt_note_rows_pack(DtNoteRows *rows, const guint8 *chunk, gsize bytes, GByteArray *out);

/**
 * Appends the `bytes` bytes of a chunk, reading from `*at`, which is moved, and not behind `end`. FALSE: what is there
 * is no such chunk.
 */
gboolean dt_note_rows_unpack(DtNoteRows *rows, const guint8 **at, const guint8 *end, gsize bytes, GByteArray *chunk);

G_END_DECLS

#endif
