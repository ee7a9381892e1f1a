/**
 * Reading trace files in their sealed form (format/sealed.h) as the files that they stand for, a block at a time. Event
 * code lies in blocks that are not packed and is read from the file without a copy in between.
 */
#ifndef DT_STORE_SEALED_READER_H
#define DT_STORE_SEALED_READER_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct DtSealed DtSealed;

/** Whether the open file is in the sealed form, damaged or not. */
gboolean dt_sealed_is(gint descriptor);

/**
 * Its table; the descriptor, of a file of `bytes` bytes, stays the caller's and must stay open. NULL with a reason
 * alone if the table is damaged. Memory: 40 bytes a piece and 24 a block, of which each there are at most
 * DT_SEALED_MOST_ROWS, and, when it is read, a MB.
 */
DtSealed *dt_sealed_open(gint descriptor, guint64 bytes, GError **error);
void dt_sealed_free(DtSealed *sealed);

/** Bytes of the file that it stands for. */
guint64 dt_sealed_image_bytes(const DtSealed *sealed);

/** As dt_file_read(), of the file that it stands for. What cannot be unpacked reads as 0. */
gsize dt_sealed_read(DtSealed *sealed, guint64 offset, void *to, gsize bytes);

/** Whether all from `offset` on is 0. */
gboolean dt_sealed_is_blank_from(const DtSealed *sealed, guint64 offset);

/** Adds what is damaged: the header, the file's end, and of the packed blocks those that were read. */
void dt_sealed_report(DtSealed *sealed, const char *name, GPtrArray *problems);

G_END_DECLS

#endif
