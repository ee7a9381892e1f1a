/**
 * Packed runs: a whole run in one file, small enough to be mailed. Event code is recoded with the archive's codec, all
 * else goes through zstd. docs/trace-format.md, section 15, has the format.
 */
#ifndef DT_PACK_PACK_H
#define DT_PACK_PACK_H

#include "pack/anonymous.h"

G_BEGIN_DECLS

typedef struct {
    guint64 from_bytes, bytes; /* of the run's files, as they lie there, and of the packed one */
    guint processes;
    guint kept; /* threads whose code stays as it was recorded: their traces are damaged, or old ones were dropped */
} DtPackResult;

/**
 * Packs the run into a new file. `names`, unless NULL: without paths, hosts, users and command lines, and with these
 * pseudonyms for all names of functions and files but those of APIs. O(events); memory: the code of a process.
 */
gboolean dt_pack(const char *run, const char *file, const DtPseudonyms *names, DtPackResult *result, GError **error);

G_END_DECLS

#endif
