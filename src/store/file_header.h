/** The header of a process file. */
#ifndef DT_STORE_FILE_HEADER_H
#define DT_STORE_FILE_HEADER_H

#include "format/trace_file.h"
#include "store/file.h"

G_BEGIN_DECLS

typedef struct {
    struct dt_file_header header; /* texts terminated; what is known to be damaged set right */
    gboolean checked;             /* the file's version has checksums */
    gboolean childless;           /* words of tails may stand for two: format/tail.h */
    gsize tail_capacity;          /* words of a raw tail */
    guint64 first_chunk;          /* where to look for chunks from */
} DtHeader;

/**
 * FALSE with DT_STORE_ERROR_VERSION, _CODEC or _DAMAGED if the file is of a newer version, its codec was dropped, or
 * nothing says that it is a trace file; a damaged header before good chunks is a problem only.
 */
gboolean dt_header_read(const char *name, DtWindow *window, DtHeader *read, GPtrArray *problems, GError **error);

G_END_DECLS

#endif
