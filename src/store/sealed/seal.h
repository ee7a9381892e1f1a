/** Which trace files the collector may seal. */
#ifndef DT_STORE_SEAL_H
#define DT_STORE_SEAL_H

#include <glib.h>

#include "format/trace_file.h"

G_BEGIN_DECLS

/**
 * FALSE if the process may still write to its file. Ids of this host may have been given out again: then it is taken
 * for alive. Of processes of other hosts the header says it.
 */
gboolean dt_header_has_ended(const struct dt_file_header *header);

/** Whether it is a header of a file as it was recorded, of this version, with a right checksum. */
gboolean dt_header_is_ours(const struct dt_file_header *header);

/** Whether a chunk is what it seems to be, and lies in the `room` bytes from its start to the end of the file. */
gboolean dt_chunk_is_good(const struct dt_chunk_header *chunk, guint64 room);

G_END_DECLS

#endif
