/** What packed runs have in common, as zstd's prefix of their frames: dictionary.txt, each line ended by a zero. */
#ifndef DT_STORE_PACKED_DICTIONARY_H
#define DT_STORE_PACKED_DICTIONARY_H

#include <glib.h>

G_BEGIN_DECLS

extern const guint8 dt_packed_dictionary[];
extern const gsize dt_packed_dictionary_bytes;

G_END_DECLS

#endif
