/*
 * How LZR codes tokens that no match foretells, and that are not what is expected there. One source for both
 * directions, see lzr_coder.h.
 */
#ifndef DT_CODEC_LZR_EXPLICIT_H
#define DT_CODEC_LZR_EXPLICIT_H

#include "lzr_model.h"

enum { LZR_MOST_CANDIDATES = 2 * LZR_ORDERS };

typedef struct {
    uint32_t token[LZR_MOST_CANDIDATES];
    uint32_t count;
} LzrCandidates;

LZ_INLINE bool lzr_is_candidate(const LzrCandidates *candidates, uint32_t token)
{
    bool is_one = false;
    for (uint32_t i = 0; i < candidates->count; i++)
        is_one |= candidates->token[i] == token;
    return is_one;
}

static inline void lzr_add_candidate(LzrCandidates *candidates, uint32_t token, uint32_t refuted)
{
    if (token != LZ_NOTHING && token != refuted && !lzr_is_candidate(candidates, token))
        candidates->token[candidates->count++] = token;
}

/* What each context foretells, then all that they have seen. */
static inline void lzr_gather(const LzrForetold *foretold, LzrCandidates *candidates)
{
    candidates->count = 0;
    for (int order = 0; order < LZR_ORDERS; order++)
        lzr_add_candidate(candidates, foretold->token[order], foretold->refuted);
    for (int order = 0; order < LZR_ORDERS; order++) {
        if (foretold->holds[order]) {
            lzr_add_candidate(candidates, foretold->was[order].last, foretold->refuted);
            lzr_add_candidate(candidates, foretold->was[order].other, foretold->refuted);
        }
    }
}

/* Which of the candidates from `from` on the token is, in unary; their number if it is none. */
static inline uint32_t lzr_code_rank(LzrCoder *coder, const bool decoding, const LzrCandidates *candidates,
                                     uint32_t from, uint32_t token)
{
    uint32_t rank = from;
    for (; rank < candidates->count; rank++)
        if (lzr_code_bits(coder, decoding, candidates->token[rank] == token, 1))
            break;
    return rank;
}

static inline uint32_t lzr_code_literal(LzrModel *model, LzrCoder *coder, const bool decoding, uint32_t token)
{
    uint32_t id = token & LZ_ID, next = (model->largest_id + 1) & LZ_ID;
    if (lzr_code_bits(coder, decoding, id == next, 1))
        id = next;
    else
        id = (uint32_t)lzr_code_bits(coder, decoding, id, LZR_ID_BITS);
    uint32_t childless = (uint32_t)lzr_code_bits(coder, decoding, token >> 15, 1);
    if (id > model->largest_id)
        model->largest_id = id;
    return id | childless << 15;
}

/* Numbers of places in the list of recent tokens; that of a literal comes behind the first place's. */
enum { LZR_LITERAL = 1 };

/* Where the list has the token: `*number`; or where the number is, if decoding. LZR_RECENT: nowhere. */
static inline uint32_t lzr_search(const uint16_t *recent, const LzrCandidates *candidates, uint32_t refuted,
                                  const bool decoding, uint32_t token, uint64_t *number)
{
    uint32_t place = 0, passed = 0, wanted = (uint32_t)(*number == 0 ? 0 : *number - 1);
    bool had_zero = false; /* no other token is there twice */
    for (; place < LZR_RECENT; place++) {
        uint32_t candidate = recent[place];
        bool is_known = candidate == refuted || (candidate == 0 && had_zero) || lzr_is_candidate(candidates, candidate);
        had_zero |= candidate == 0;
        if (is_known)
            continue;
        if (decoding ? passed == wanted : candidate == token)
            break;
        passed++;
    }
    if (!decoding)
        *number = place == LZR_RECENT ? LZR_LITERAL : passed == 0 ? 0 : passed + 1;
    return place;
}

/* One of the tokens that came lately behind the same two, and that no context has seen, or any other. */
static inline uint32_t lzr_code_unforeseen(LzrModel *model, LzrCoder *coder, const bool decoding, uint32_t token,
                                           const LzrForetold *foretold, const LzrCandidates *candidates)
{
    uint64_t two = foretold->before_two, number = 0;
    uint16_t *recent = model->recent[two * 0x9E3779B97F4A7C15u >> (64 - LZR_RECENT_BITS)];
    uint16_t *mean = &model->place[foretold->refuted != LZ_NOTHING];
    uint32_t place = LZR_RECENT;
    if (decoding) {
        number = lzr_code_number(coder, true, mean, 0);
        if (number != LZR_LITERAL)
            place = lzr_search(recent, candidates, foretold->refuted, true, 0, &number);
        if (place < LZR_RECENT)
            token = recent[place];
        else
            coder->damaged |= number != LZR_LITERAL;
    } else {
        place = lzr_search(recent, candidates, foretold->refuted, false, token, &number);
        lzr_code_number(coder, false, mean, number);
    }
    if (place == LZR_RECENT) {
        token = lzr_code_literal(model, coder, decoding, token);
        place--;
    }
    for (; place > 0; place--)
        recent[place] = recent[place - 1];
    recent[0] = (uint16_t)token;
    return token;
}

/* A token that is not what is expected. `at_mark`: a run broke at a mark, so it is not the first candidate either.
 * `*is_first`: it is. */
static __attribute__((noinline)) uint32_t lzr_code_token(LzrModel *model, LzrCoder *coder, const bool decoding,
                                                         uint32_t token, const LzrForetold *foretold, bool at_mark,
                                                         bool *is_first)
{
    LzrCandidates candidates;
    lzr_gather(foretold, &candidates);
    uint32_t rank = lzr_code_rank(coder, decoding, &candidates, at_mark, token);
    if (rank < candidates.count)
        token = candidates.token[rank];
    else
        token = lzr_code_unforeseen(model, coder, decoding, token, foretold, &candidates);
    *is_first = token == foretold->token[foretold->first];
    return token;
}

/* Behind what says that it is not as expected: where a run breaks. */
static __attribute__((noinline)) void lzr_code_break(LzrModel *model, LzrCoder *coder, const bool decoding,
                                                     LzBreak *where)
{
    where->at_mark = lzr_code_bits(coder, decoding, where->at_mark, 1);
    where->to_end = !where->at_mark && lzr_code_bits(coder, decoding, 0, 1);
    if (where->to_end)
        return;
    where->marks = lzr_code_number(coder, decoding, &model->marks[model->past.order][model->before], where->marks);
    if (!where->at_mark)
        where->gap = lzr_code_number(coder, decoding, &model->gap, where->gap);
}

/* The token that was coded. */
LZ_INLINE void lzr_take(LzrModel *model, const LzrForetold *foretold, uint32_t token, bool is_first)
{
    lzr_learn(model, foretold, token);
    lzr_find_match(model, foretold, token, is_first);
    lz_put(&model->past, token | (foretold->refuted != LZ_NOTHING ? LZ_MARK : 0));
    model->before = token * 0x9E3779B1u >> (32 - LZR_BEFORE_BITS);
}

#endif
