/*
 * The codec of ParLOT (Taheri et al., 2018): an LZ stage that replaces what
 * followed the last occurrence of the same three words by its length, and a
 * stage that leaves out zero bytes. A finished segment is byte for byte the
 * trace file of the original tool. docs/trace-format.md describes both stages.
 */
#include <stdbool.h>
#include <string.h>

#include "codec_table.h"

enum {
    RING_WORDS = 65536,
    HASH_SLOTS = 4096,
    GROUP_WORDS = 4,
    GROUP_BYTES = 1 + 2 * GROUP_WORDS,
    LONGEST_MATCH = 65535,
    PENDING_WORDS = GROUP_WORDS /* 3 of a group and a count */
};

/* The history that encoder and decoder keep alike. Indices into the ring wrap
   around by their type. */
typedef struct {
    uint16_t ring[RING_WORDS];
    uint16_t last_seen[HASH_SLOTS]; /* ring position after the last words of that hash */
    uint16_t position;
    uint16_t hash; /* of the last three words */
} Model;

typedef struct {
    uint32_t used; /* since its memory was zero */
    uint32_t grouped;
    uint16_t group[GROUP_WORDS];
    bool matching;
    bool any_group;
    uint16_t candidate;
    uint32_t count;
    Model model;
} Encoder;

typedef struct {
    const uint8_t *code, *end;
    uint64_t words; /* left to decode */
    uint16_t group[GROUP_WORDS];
    uint32_t group_count, group_next;
    uint16_t pending[PENDING_WORDS];
    uint32_t pending_count;
    uint32_t last_group; /* words in the last group of the code */
    uint32_t copies;     /* left of the current match */
    uint16_t candidate;
    bool literal_next;
    Model model;
} Decoder;

static bool model_matches(const Model *model, uint16_t candidate)
{
    uint16_t position = model->position;
    return model->ring[(uint16_t)(candidate - 1)] == model->ring[(uint16_t)(position - 1)] &&
           model->ring[(uint16_t)(candidate - 2)] == model->ring[(uint16_t)(position - 2)] &&
           model->ring[(uint16_t)(candidate - 3)] == model->ring[(uint16_t)(position - 3)];
}

static inline void model_put(Model *model, uint16_t word)
{
    model->last_seen[model->hash] = model->position;
    model->hash = (uint16_t)(((model->hash << 4) ^ word) & (HASH_SLOTS - 1));
    model->ring[model->position] = word;
    model->position = (uint16_t)(model->position + 1);
}

/* ---- encoder --------------------------------------------------------------- */

static size_t parlot_bound(size_t words)
{
    /* At most a count and a literal a word, the words and the count pending
       from earlier batches, and the byte that ends the segment. */
    size_t most = 2 * words + PENDING_WORDS;
    return (most + GROUP_WORDS - 1) / GROUP_WORDS * GROUP_BYTES + 1;
}

static void find_candidate(Encoder *encoder)
{
    encoder->candidate = encoder->model.last_seen[encoder->model.hash];
    encoder->matching = model_matches(&encoder->model, encoder->candidate);
    encoder->count = 0;
}

static void parlot_encoder_init(void *state)
{
    Encoder *encoder = state;
    /* Memory that is still zero is not touched: its pages may not exist yet. */
    if (encoder->used)
        memset(encoder, 0, sizeof(*encoder));
    encoder->used = 1;
    find_candidate(encoder);
}

static uint8_t *write_group(Encoder *encoder, uint8_t *out)
{
    uint8_t *bitmap = out++;
    *bitmap = 0;
    for (uint32_t i = 0; i < 2 * encoder->grouped; i++) {
        uint8_t byte = (uint8_t)(encoder->group[i / 2] >> (i % 2 * 8));
        if (byte) {
            *bitmap = (uint8_t)(*bitmap | 1u << i);
            *out++ = byte;
        }
    }
    encoder->any_group = true;
    encoder->grouped = 0;
    return out;
}

static inline uint8_t *write_word(Encoder *encoder, uint16_t word, uint8_t *out)
{
    encoder->group[encoder->grouped++] = word;
    return encoder->grouped == GROUP_WORDS ? write_group(encoder, out) : out;
}

static size_t parlot_encode(void *state, const uint16_t *words, size_t count, uint8_t *out)
{
    Encoder *encoder = state;
    uint8_t *start = out;
    for (size_t i = 0; i < count; i++) {
        uint16_t word = words[i];
        if (encoder->matching && word == encoder->model.ring[encoder->candidate] && encoder->count < LONGEST_MATCH) {
            encoder->count++;
            encoder->candidate = (uint16_t)(encoder->candidate + 1);
            model_put(&encoder->model, word);
            continue;
        }
        if (encoder->matching)
            out = write_word(encoder, (uint16_t)encoder->count, out);
        out = write_word(encoder, word, out);
        model_put(&encoder->model, word);
        find_candidate(encoder);
    }
    return (size_t)(out - start);
}

/* Byte 0: how many words; from byte 2 on: the words that are in no group yet,
   then the count of the match in progress. */
static void parlot_suspend(const void *state, uint8_t pending[DT_CODEC_PENDING_BYTES])
{
    const Encoder *encoder = state;
    uint16_t words[PENDING_WORDS] = {0};
    uint32_t count = encoder->grouped;
    for (uint32_t i = 0; i < count; i++)
        words[i] = encoder->group[i];
    if (encoder->matching && encoder->count > 0)
        words[count++] = (uint16_t)encoder->count;
    pending[0] = (uint8_t)count;
    memcpy(pending + 2, words, sizeof(words));
}

static size_t parlot_finish(void *state, uint8_t *out)
{
    Encoder *encoder = state;
    uint8_t *start = out;
    if (encoder->matching && encoder->count > 0)
        out = write_word(encoder, (uint16_t)encoder->count, out);
    encoder->matching = false;
    uint32_t last = encoder->grouped;
    if (last > 0)
        out = write_group(encoder, out);
    else if (encoder->any_group)
        last = GROUP_WORDS;
    *out++ = (uint8_t)last;
    return (size_t)(out - start);
}

/* ---- decoder --------------------------------------------------------------- */

static void parlot_decoder_init(void *state, const uint8_t *code, size_t bytes, uint64_t words, const uint8_t *pending)
{
    Decoder *decoder = state;
    memset(decoder, 0, sizeof(*decoder));
    decoder->code = code;
    decoder->end = bytes > 0 ? code + bytes : code;
    decoder->words = words;
    decoder->last_group = GROUP_WORDS;
    if (pending) {
        decoder->pending_count = pending[0] <= PENDING_WORDS ? pending[0] : 0;
        memcpy(decoder->pending, pending + 2, sizeof(decoder->pending));
    } else if (bytes > 0) {
        decoder->end--;
        decoder->last_group = *decoder->end;
    }
}

/* Makes the next words available; false at the end of the code or if it is damaged. */
static bool read_group(Decoder *decoder)
{
    decoder->group_next = 0;
    decoder->group_count = 0;
    if (decoder->code == decoder->end) {
        memcpy(decoder->group, decoder->pending, sizeof(decoder->group));
        decoder->group_count = decoder->pending_count;
        decoder->pending_count = 0;
        return decoder->group_count > 0;
    }
    uint8_t bitmap = *decoder->code++;
    uint8_t bytes[2 * GROUP_WORDS] = {0};
    for (uint32_t i = 0; i < sizeof(bytes); i++) {
        if (!(bitmap >> i & 1))
            continue;
        if (decoder->code == decoder->end) {
            decoder->pending_count = 0; /* nothing can follow a group that is cut off */
            return false;
        }
        bytes[i] = *decoder->code++;
    }
    for (uint32_t i = 0; i < GROUP_WORDS; i++)
        decoder->group[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    decoder->group_count = GROUP_WORDS;
    if (decoder->code == decoder->end)
        decoder->group_count = decoder->last_group <= GROUP_WORDS ? decoder->last_group : 0;
    return decoder->group_count > 0;
}

static bool read_word(Decoder *decoder, uint16_t *word)
{
    if (decoder->group_next == decoder->group_count && !read_group(decoder))
        return false;
    *word = decoder->group[decoder->group_next++];
    return true;
}

static size_t copy_match(Decoder *decoder, uint16_t *words, size_t capacity)
{
    size_t count = decoder->copies < capacity ? decoder->copies : capacity;
    if (decoder->words < count)
        count = (size_t)decoder->words;
    for (size_t i = 0; i < count; i++) {
        uint16_t word = decoder->model.ring[decoder->candidate];
        decoder->candidate = (uint16_t)(decoder->candidate + 1);
        model_put(&decoder->model, word);
        words[i] = word;
    }
    decoder->copies -= (uint32_t)count;
    decoder->words -= count;
    return count;
}

/* The count of a match, if there is one here; false at the end of the code. */
static bool begin_match(Decoder *decoder)
{
    uint16_t count = 0;
    decoder->candidate = decoder->model.last_seen[decoder->model.hash];
    if (model_matches(&decoder->model, decoder->candidate) && !read_word(decoder, &count))
        return false;
    decoder->copies = count;
    decoder->literal_next = true;
    return true;
}

static size_t parlot_decode(void *state, uint16_t *words, size_t capacity)
{
    Decoder *decoder = state;
    size_t count = 0;
    while (count < capacity && decoder->words > 0) {
        if (!decoder->literal_next && !begin_match(decoder))
            break;
        if (decoder->copies > 0) {
            count += copy_match(decoder, words + count, capacity - count);
            continue;
        }
        if (!read_word(decoder, &words[count]))
            break;
        model_put(&decoder->model, words[count++]);
        decoder->literal_next = false;
        decoder->words--;
    }
    return count;
}

static int parlot_at_end(const void *state)
{
    const Decoder *decoder = state;
    bool all_read = decoder->code == decoder->end && decoder->group_next == decoder->group_count;
    return all_read && decoder->pending_count == 0 && decoder->copies == 0;
}

const DtCodecFunctions dt_codec_parlot = {
    .encoder_bytes = sizeof(Encoder),
    .decoder_bytes = sizeof(Decoder),
    .bound = parlot_bound,
    .encoder_init = parlot_encoder_init,
    .encode = parlot_encode,
    .suspend = parlot_suspend,
    .finish = parlot_finish,
    .decoder_init = parlot_decoder_init,
    .decode = parlot_decode,
    .at_end = parlot_at_end,
};
