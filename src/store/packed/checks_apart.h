/**
 * Checksums of records in trace files, which packed runs need not hold: they follow from the rest.
 */
#ifndef DT_STORE_PACKED_CHECKS_APART_H
#define DT_STORE_PACKED_CHECKS_APART_H

#include <glib.h>

G_BEGIN_DECLS

/** Sets the checksums in a piece of a trace file to 0. `offset` is where it lies: 0 is the first page, all others begin
 * with a chunk, or are nothing that has checksums. */
void dt_checks_leave_out(guint8 *piece, gsize bytes, guint64 offset);

/**
 * Makes them again. What is behind the piece in its chunk is 0. FALSE: the chunk claims to be larger than `*room`, from
 * which its size is taken: all chunks of a file together are not larger than the file.
 */
gboolean dt_checks_put_back(guint8 *piece, gsize bytes, guint64 offset, guint64 *room);

G_END_DECLS

#endif
