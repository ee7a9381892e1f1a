/** What a codec is made of, inside src/codec. The functions mean what codec.h says of those that forward to them. */
#ifndef DT_CODEC_TABLE_H
#define DT_CODEC_TABLE_H

#include "codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Words of a row that comes once: few enough to stay in a processor's nearest memory. */
enum { DT_CODEC_BATCH_WORDS = 4096 };

typedef struct {
    size_t encoder_bytes, decoder_bytes;
    size_t (*bound)(size_t words);
    void (*encoder_init)(void *state);
    size_t (*encode)(void *state, const uint16_t *words, size_t count, uint8_t *out);
    size_t (*encode_tail)(void *state, const uint16_t *tail, size_t count, uint8_t *out); /* NULL: takes words alone */
    void (*suspend)(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES]);
    size_t (*finish)(void *state, uint8_t *out);
    void (*decoder_init)(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending);
    size_t (*decode)(void *state, uint16_t *words, size_t capacity);
    size_t (*decode_row)(void *state, uint16_t *words, uint64_t *times); /* NULL: rows come once */
    int (*at_end)(const void *state);
} DtCodecFunctions;

extern const DtCodecFunctions dt_codec_parlot;
extern const DtCodecFunctions dt_codec_tz;
extern const DtCodecFunctions dt_codec_lzr;
extern const DtCodecFunctions dt_codec_raw;

#ifdef __cplusplus
}
#endif

#endif
