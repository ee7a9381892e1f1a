/**
 * Codecs turn streams of 16-bit words (format/trace_file.h) into bytes and back. The tracer encodes, the decoder
 * decodes; every function takes the number of the codec that it is to use. docs/trace-format.md, section 6, says what
 * the bytes are.
 *
 * A codec never allocates, and calls nothing of libc but memcpy() and memset(). The caller provides the state, of
 * dt_codec_encoder_bytes() or dt_codec_decoder_bytes() zeros. A state may serve one segment after the other of the same
 * codec; two threads must not use one at once.
 *
 * An encoder's life. dt_codec_encoder_init() begins a segment. dt_codec_encode() takes a batch of words.
 * dt_codec_suspend() tells after a batch what the bytes so far do not say yet; with that, in the commit record, all
 * words that were encoded can be decoded, so that a killed process loses none of them. dt_codec_finish() ends the
 * segment and writes the same into the stream.
 *
 * A decoder's life. dt_codec_decoder_init() gives it the code of a segment. dt_codec_decode() or dt_codec_decode_row()
 * give words until there are none. dt_codec_at_end() tells whether the code held anything more, which is damage.
 * Decoders take any bytes: they never read outside the code, and give no more words than were asked for.
 */
#ifndef DT_CODEC_H
#define DT_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "format/trace_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What dt_codec_suspend() gives: `pending` of a commit record. */
enum { DT_CODEC_PENDING_BYTES = 32 };

/* ---- which there are --------------------------------------------------------------------------- */

typedef struct {
    uint32_t id;         /* enum dt_codec_id */
    const char *name;    /* on the command line and in manifests */
    const char *purpose; /* what it is for, as docs/trace-format.md has it */
} DtCodec;

/** All of them, by number and name; the first one is the default of `difftrace collect`. */
enum { DT_CODECS = 4 };
extern const DtCodec dt_codecs[DT_CODECS];

/** The name of a codec, or NULL for a number that is none's. */
const char *dt_codec_name(uint32_t codec);

/** Why the code of a codec that was dropped is not read, and what to do about it: a part of a sentence. NULL for all
 * other numbers. */
const char *dt_codec_dropped(uint32_t codec);

/* ---- encoding ---------------------------------------------------------------------------------- */

/** Bytes of an encoder's state; 0 for an unknown codec. */
size_t dt_codec_encoder_bytes(uint32_t codec);

/** Most bytes that encoding `words` words can give, `finish` included. */
size_t dt_codec_bound(uint32_t codec, size_t words);

/** Makes a state of zeros, or a used one, ready for a new segment. */
void dt_codec_encoder_init(uint32_t codec, void *state);

/** Encodes `count` words; returns the bytes written to `out`, which has room for dt_codec_bound(). */
size_t dt_codec_encode(uint32_t codec, void *state, const uint16_t *words, size_t count, uint8_t *out);

/** Whether the codec encodes the words of a raw tail (format/tail.h) as they are. No codec takes words there of the
 * form x1xx... in binary: larger ids, escapes, places never filled. With these, or for other codecs, dt_tail_expand()
 * the tail and encode its words. */
int dt_codec_takes_tails(uint32_t codec);
/** Encodes `count` words of a tail as they are; returns the bytes written to `out`. Only if dt_codec_takes_tails(). */
size_t dt_codec_encode_tail(uint32_t codec, void *state, const uint16_t *tail, size_t count, uint8_t *out);

/** What the stream does not hold yet. Does not change the state. */
void dt_codec_suspend(uint32_t codec, const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES]);

/** Ends the segment; returns the bytes written to `out`, at most dt_codec_bound() of 0 words. */
size_t dt_codec_finish(uint32_t codec, void *state, uint8_t *out);

/* ---- decoding ---------------------------------------------------------------------------------- */

/** Bytes of a decoder's state; 0 for an unknown codec. */
size_t dt_codec_decoder_bytes(uint32_t codec);

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

#ifdef __cplusplus
}
#endif

#endif
