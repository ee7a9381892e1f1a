/**
 * Codecs for streams of 16-bit words, used by the tracer's runtime to write and
 * by the decoder to read. A codec never allocates: the caller provides the state
 * (zeroed), of dt_codec_encoder_bytes() or dt_codec_decoder_bytes().
 *
 * Life of an encoder: init, then encode batches; after each batch `suspend`
 * gives what the bytes so far do not say, for the commit record; at the end of a
 * segment `finish` writes that into the stream instead. Whatever was encoded is
 * decodable after each suspend: nothing is buffered.
 */
#ifndef DT_FORMAT_CODEC_H
#define DT_FORMAT_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "trace_file.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DT_CODEC_PENDING_BYTES = 32 };

/** Name used on the command line, or NULL for an unknown id. */
const char *dt_codec_name(uint32_t codec);

/** Bytes of state for an encoder / a decoder; 0 for an unknown codec. */
size_t dt_codec_encoder_bytes(uint32_t codec);
size_t dt_codec_decoder_bytes(uint32_t codec);

/** Most bytes that encoding `words` words can give, `finish` included. */
size_t dt_codec_bound(uint32_t codec, size_t words);

/** Makes a state of zeros, or a used one, ready for a new segment. */
void dt_codec_encoder_init(uint32_t codec, void *state);

/** Encodes `count` words; returns the bytes written to `out`. */
size_t dt_codec_encode(uint32_t codec, void *state, const uint16_t *words, size_t count, uint8_t *out);

/** Whether the codec encodes words of a raw tail as they are (tail.h), unless it has words of the form x1xx... in
 * binary: larger ids, escapes, places never filled. */
int dt_codec_takes_tails(uint32_t codec);
/** Encodes so many of them; returns the bytes written to `out`. Other codecs, and such words, need the tail expanded.
 */
size_t dt_codec_encode_tail(uint32_t codec, void *state, const uint16_t *tail, size_t count, uint8_t *out);

/** What the stream does not hold yet. Does not change the state. */
void dt_codec_suspend(uint32_t codec, const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES]);

/** Ends the segment; returns the bytes written to `out`. */
size_t dt_codec_finish(uint32_t codec, void *state, uint8_t *out);

/**
 * Starts to decode a segment. `bytes` bytes of code hold exactly `words` words.
 * `pending` is that of the commit record if the segment was never finished, or
 * NULL for a finished one. `code` is borrowed until the last dt_codec_decode().
 */
void dt_codec_decoder_init(uint32_t codec, void *state, const uint8_t *code, size_t bytes, uint64_t words,
                           const uint8_t *pending);

/**
 * Decodes up to `capacity` words; returns how many. Fewer than `capacity` means
 * the end: of the segment if `words` words came out in all, else the code is
 * damaged. Never reads outside `code`, whatever it holds.
 */
size_t dt_codec_decode(uint32_t codec, void *state, uint16_t *words, size_t capacity);

/** Most words of a row that dt_codec_decode_row() gives. */
enum { DT_CODEC_ROW_WORDS = 1 << 16 };

/**
 * Decodes a row of words, which comes `*times` times, one after the other, and returns how many words one row has; 0
 * means the end, as above. With `*times` above 1 the calls of the row are whole: each one that is entered in it returns
 * in it, and each return is of one of them. What repeats is not decoded word by word. `words` has room for
 * DT_CODEC_ROW_WORDS.
 */
size_t dt_codec_decode_row(uint32_t codec, void *state, uint16_t *words, uint64_t *times);

/**
 * After the last word: 1 if the code held nothing more, 0 if it did, which is
 * damage as well: intact code holds exactly the words of its segment.
 */
int dt_codec_at_end(uint32_t codec, const void *state);

/** IEEE CRC-32 (as zlib's crc32()): start with 0, feed on with the result. */
uint32_t dt_crc32(uint32_t crc, const void *data, size_t bytes);

/** "hooked", "excluded", ...: one or two words for a dt_skip_reason. */
const char *dt_skip_reason_name(uint32_t reason);

#ifdef __cplusplus
}
#endif

#endif
