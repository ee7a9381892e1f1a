#include "lz_decoder.h"

#include "codec_table.h"

enum {
    ROW_TIMES = 4 /* fewer are not worth the trouble */
};

#define NEVER UINT64_MAX

void lz_decoder_start(LzDecoder *decoder, const LzCoding *coding, LzHistory *past, uint64_t words,
                      const uint8_t *pending, size_t *more)
{
    decoder->coding = coding;
    decoder->past = past;
    *more = pending && pending[0] <= LZ_LONGEST_END ? pending[0] : 0;
    if (*more)
        memcpy(decoder->pending, pending + 1, *more);
    if (pending && words > 0)
        memcpy(&decoder->held, pending + LZ_HELD_AT, sizeof(decoder->held));
    decoder->words = words - (decoder->held != 0);
    decoder->look_at = NEVER;
}

/* ---- words of tokens --------------------------------------------------------------------- */

/* The words of a token, at most two; returns how many. */
static size_t words_of(LzDecoder *decoder, uint32_t token, uint16_t *words)
{
    if (decoder->escape_left == 2) {
        decoder->escape_left = 1;
        decoder->escape_low = token & LZ_ID;
        return 0;
    }
    words[0] = token & LZ_ID;
    words[1] = DT_WORD_RETURN;
    if (decoder->escape_left == 1) {
        decoder->escape_left = 0;
        words[0] = (uint16_t)(decoder->escape_low | token << 14);
        return 1;
    }
    if (token == LZ_ESCAPE) {
        decoder->escape_left = 2;
        return 0;
    }
    return 1 + (token >> 15);
}

/* Gives them as far as there is room, of a word at least. */
static size_t give(LzDecoder *decoder, uint32_t token, uint16_t *words, size_t room)
{
    uint16_t both[2];
    size_t count = words_of(decoder, token, both);
    decoder->owed = count > room;
    count -= decoder->owed;
    memcpy(words, both, 2 * count);
    return count;
}

/* ---- runs -------------------------------------------------------------------------------- */

/* False: the code ends before it says where the run does. */
static bool begin_run(LzDecoder *decoder)
{
    LzHistory *past = decoder->past;
    LzBreak *ahead = &decoder->ahead;
    *ahead = (LzBreak){.marks = 0};
    decoder->coding->read_break(decoder, ahead);
    if (ahead->to_end)
        *ahead = (LzBreak){.to_end = true, .at_mark = true, .marks = NEVER};
    decoder->in_run = !decoder->damaged;
    decoder->look_at = past->position + past->distance;
    return decoder->in_run;
}

static bool run_is_over(LzDecoder *decoder)
{
    const LzBreak *ahead = &decoder->ahead;
    LzHistory *past = decoder->past;
    if (ahead->marks > 0)
        return false;
    return ahead->at_mark ? lz_foretold(past) & LZ_MARK : ahead->gap == 0;
}

/* The run's next token, which there is. */
static uint32_t next_of_run(LzDecoder *decoder)
{
    LzBreak *ahead = &decoder->ahead;
    LzHistory *past = decoder->past;
    uint32_t token = lz_foretold(past);
    if (ahead->marks > 0)
        ahead->marks -= token >> 14 & 1;
    else
        ahead->gap -= !ahead->at_mark;
    lz_put(past, token);
    return token & ~LZ_MARK;
}

/* At most `tokens` of the run, before an escape in it; returns how many words they are. */
static size_t copy_tokens(LzDecoder *decoder, size_t tokens, uint16_t *words)
{
    LzHistory *past = decoder->past;
    LzBreak ahead = decoder->ahead;
    uint16_t *out = words;
    uint64_t position = past->position;
    for (; tokens > 0; tokens--) {
        uint32_t token = *lz_at(past, position - past->distance);
        if ((token & ~LZ_MARK) == LZ_ESCAPE)
            break;
        if (ahead.marks > 0) {
            ahead.marks -= token >> 14 & 1;
        } else if (ahead.at_mark) {
            if (token & LZ_MARK)
                break;
        } else if (ahead.gap-- == 0) {
            ahead.gap = 0;
            break;
        }
        *lz_at(past, position++) = (uint16_t)token;
        out[0] = token & LZ_ID;
        out[1] = DT_WORD_RETURN;
        out += 1 + (token >> 15);
    }
    decoder->ahead = ahead;
    past->position = position;
    return (size_t)(out - words);
}

/* Words up to the run's end; returns how many. */
static size_t decode_run(LzDecoder *decoder, uint16_t *words, size_t most)
{
    size_t count = 0;
    while (count < most && !run_is_over(decoder)) {
        size_t copied = decoder->escape_left ? 0 : copy_tokens(decoder, (most - count) / 2, words + count);
        if (copied == 0)
            copied = give(decoder, next_of_run(decoder), words + count, most - count);
        count += copied;
    }
    return count;
}

/* ---- decoding ------------------------------------------------------------------------------ */

/* Words up to the next token that no match foretells, and that; returns how many. */
static size_t decode_part(LzDecoder *decoder, uint16_t *words, size_t most)
{
    LzHistory *past = decoder->past;
    uint32_t refuted = LZ_NOTHING;
    size_t count = 0;
    if (past->distance) {
        if (!decoder->in_run && !begin_run(decoder))
            return 0;
        count = decode_run(decoder, words, most);
        if (count == most)
            return count;
        refuted = lz_foretold(past) & ~LZ_MARK;
        decoder->in_run = false;
        decoder->look_at = NEVER;
    }
    uint32_t token = decoder->coding->read_token(decoder, refuted);
    return decoder->damaged ? count : count + give(decoder, token, words + count, most - count);
}

size_t lz_decode(void *state, uint16_t *words, size_t capacity)
{
    LzDecoder *decoder = state;
    size_t most = decoder->words < capacity ? (size_t)decoder->words : capacity, count = 0;
    if (decoder->owed && most > 0) {
        words[count++] = DT_WORD_RETURN;
        decoder->owed = 0;
    }
    while (count < most && !decoder->damaged)
        count += decode_part(decoder, words + count, most - count);
    decoder->words -= count;
    if (decoder->words == 0 && decoder->held && count < capacity && !decoder->damaged) {
        words[count++] = decoder->held;
        decoder->held = 0;
    }
    return count;
}

bool lz_decoder_is_done(const LzDecoder *decoder)
{
    bool goes_on = decoder->owed || decoder->escape_left || (decoder->in_run && !decoder->ahead.to_end);
    return decoder->words == 0 && !decoder->held && !goes_on && !decoder->damaged;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Where the last `period` tokens, coming again, are a row of whole calls: in how many tokens that is, 0 to `period` -
   1, or -1 if they never are. */
static int32_t row_begins(const LzHistory *past, uint32_t period)
{
    int32_t depth = 0, least = 0, least_at = 0;
    for (uint32_t i = 0; i < period; i++) {
        uint32_t token = past->ring[(past->position - period + i) % LZ_RING_TOKENS] & ~LZ_MARK;
        if (token == LZ_ESCAPE)
            return -1;
        if (token < LZ_CHILDLESS)
            depth += token == 0 ? -1 : 1;
        if (depth < least) {
            least = depth;
            least_at = (int32_t)i + 1;
        }
    }
    return depth == 0 ? least_at : -1;
}

/* Words of a row of tokens without escapes; returns how many. */
static size_t spell_row(const uint16_t *tokens, uint32_t count, uint16_t *words)
{
    size_t done = 0;
    for (uint32_t i = 0; i < count; i++) {
        words[done++] = tokens[i] & LZ_ID;
        if (tokens[i] & LZ_CHILDLESS)
            words[done++] = DT_WORD_RETURN;
    }
    return done;
}

static uint64_t count_marks(const LzHistory *past, uint32_t period)
{
    uint64_t marks = 0;
    for (uint32_t back = 1; back <= period; back++)
        marks += past->ring[(past->position - back) % LZ_RING_TOKENS] >> 14 & 1;
    return marks;
}

/* How often a period with `marks` marks comes before the run ends, at least. */
static uint64_t periods_ahead(const LzDecoder *decoder, uint64_t marks)
{
    const LzBreak *ahead = &decoder->ahead;
    if (ahead->marks > 0)
        return marks > 0 ? (ahead->marks - !ahead->at_mark) / marks : NEVER;
    if (ahead->at_mark)
        return marks > 0 ? 0 : NEVER;
    return ahead->gap / decoder->past->distance;
}

/* A row that the run repeats, or 0 and when to look again. Here the run's tokens have come for a whole period. */
static size_t skip_rows(LzDecoder *decoder, uint16_t *words, uint64_t *times)
{
    LzHistory *past = decoder->past;
    LzBreak *ahead = &decoder->ahead;
    uint32_t period = past->distance;
    uint64_t marks = count_marks(past, period), periods = periods_ahead(decoder, marks);
    int32_t begins = periods >= ROW_TIMES && 3 * period <= DT_CODEC_ROW_WORDS ? row_begins(past, period) : -1;
    decoder->look_at = begins > 0 ? past->position + (uint64_t)begins : NEVER;
    if (begins != 0)
        return 0;
    uint16_t *row = words + 2 * (size_t)period;
    dt_ring_copy_last(past->ring, past->position, period, row);
    size_t count = spell_row(row, period, words);
    if (count == 0 || decoder->words / count < ROW_TIMES)
        return 0;
    if (periods > decoder->words / count)
        periods = decoder->words / count;
    dt_ring_repeat(past->ring, past->position, row, period, periods);
    past->position += period * periods;
    if (ahead->marks > 0)
        ahead->marks -= ahead->to_end ? 0 : marks * periods;
    else if (!ahead->at_mark)
        ahead->gap -= period * periods;
    decoder->words -= count * periods;
    *times = periods;
    return count;
}

size_t lz_decode_row(void *state, uint16_t *words, uint64_t *times)
{
    LzDecoder *decoder = state;
    uint64_t position = decoder->past->position, batch = DT_CODEC_BATCH_WORDS;
    *times = 1;
    if (position >= decoder->look_at && decoder->in_run && !decoder->escape_left) {
        size_t count = decoder->owed ? lz_decode(decoder, words, 1) : skip_rows(decoder, words, times);
        if (count > 0)
            return count;
    }
    /* Tokens are words at least, but those of escapes. */
    if (decoder->look_at > position && decoder->look_at - position < batch)
        batch = decoder->look_at - position;
    return lz_decode(decoder, words, (size_t)batch);
}
