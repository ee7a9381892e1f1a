/** Names in the files of an anonymous run that are no trace files. */
#ifndef DT_PACK_ANONYMOUS_FILES_H
#define DT_PACK_ANONYMOUS_FILES_H

#include "pack/anonymous.h"

G_BEGIN_DECLS

/** Of an image's file, without its folder: libraries of MPI, OpenMP and the system keep theirs; g_free(). */
char *dt_anonymous_image(const DtPseudonyms *names, const char *base);

/** Of an image's key, which may tell its build id; g_free(). */
char *dt_anonymous_key(const DtPseudonyms *names, const char *key);

G_END_DECLS

#endif
