/** Writing a packed run (packed_format.h), entry by entry. */
#ifndef DT_PACK_PACKER_H
#define DT_PACK_PACKER_H

#include <glib.h>

#include "format/sealed.h"

G_BEGIN_DECLS

typedef struct DtPacker DtPacker;

/** A file that gets its name when it is complete. NULL with an error if it cannot be made, or is there already. */
DtPacker *dt_packer_new(const char *path, guint32 flags, GError **error);
/** Without dt_packer_end() removes what was written. */
void dt_packer_free(DtPacker *packer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPacker, dt_packer_free)

/** Begins an entry whose body has so many bytes, which dt_packer_add() gives. Errors are kept until dt_packer_end(). */
void dt_packer_begin(DtPacker *packer, guint32 kind, const char *name, guint64 bytes, guint32 pieces);
void dt_packer_add(DtPacker *packer, const void *data, gsize bytes);
void dt_packer_end_entry(DtPacker *packer);

/** The last entry was written; waits until the file is on the disk. `bytes` becomes its size. */
gboolean dt_packer_end(DtPacker *packer, guint64 *bytes, GError **error);

G_END_DECLS

#endif
