/** Whole streams through a codec, and its golden files. */
#ifndef DT_TEST_CODING_H
#define DT_TEST_CODING_H

#include <glib.h>

#include "codec/codec.h"

/** The finished code of words (guint16), encoded in batches of at most `batch`; to be freed. */
GByteArray *dt_encode_all(guint32 codec, const GArray *words, gsize count, gsize batch);

/** Decodes up to `count` words, in parts of at most `part`; returns how many came out, and whether the code ended
 * there. */
gsize dt_decode_all(guint32 codec, const guint8 *code, gsize bytes, const guint8 *pending, guint16 *words, gsize count,
                    gsize part, gboolean *at_end);

/** The code holds exactly the first `count` words. */
void dt_assert_decodes(guint32 codec, const GByteArray *code, const guint8 *pending, const GArray *words, gsize count,
                       gsize part);

/**
 * The words still have the code of tests/data/CODEC-golden-NUMBER.CODEC, and CODEC-golden-NUMBER.txt tells of them;
 * decode-CODEC.py decodes the same files. DT_TEST_WRITE_GOLDEN in the environment writes them, for a new format.
 */
void dt_assert_golden(guint32 codec, guint number, const GArray *words);

/** The same for bytes that no encoder wrote: what the decoder makes of them is fixed by the format, too. */
void dt_assert_golden_bytes(guint32 codec, guint number);

#endif
