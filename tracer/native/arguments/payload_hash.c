/* XXH64, in pieces. */
#include "native/arguments/payload.h"

#define PRIME_1 0x9e3779b185ebca87u
#define PRIME_2 0xc2b2ae3d27d4eb4fu
#define PRIME_3 0x165667b19e3779f9u
#define PRIME_4 0x85ebca77c2b2ae63u
#define PRIME_5 0x27d4eb2f165667c5u

enum { STRIPE = 32 };

static inline uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static inline uint64_t round_of(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * PRIME_2, 31) * PRIME_1;
}

static inline uint64_t word_at(const uint8_t *data)
{
    uint64_t word;
    __builtin_memcpy(&word, data, sizeof word);
    return word;
}

void dt_payload_hash_begin(struct dt_payload_hash *hash)
{
    hash->lanes[0] = PRIME_1 + PRIME_2;
    hash->lanes[1] = PRIME_2;
    hash->lanes[2] = 0;
    hash->lanes[3] = 0 - PRIME_1;
    hash->bytes = 0;
}

static const uint8_t *add_stripes(struct dt_payload_hash *hash, const uint8_t *data, uint64_t stripes)
{
    uint64_t a = hash->lanes[0], b = hash->lanes[1], c = hash->lanes[2], d = hash->lanes[3];
    for (; stripes > 0; stripes--, data += STRIPE) {
        a = round_of(a, word_at(data));
        b = round_of(b, word_at(data + 8));
        c = round_of(c, word_at(data + 16));
        d = round_of(d, word_at(data + 24));
    }
    hash->lanes[0] = a;
    hash->lanes[1] = b;
    hash->lanes[2] = c;
    hash->lanes[3] = d;
    return data;
}

void dt_payload_hash_add(struct dt_payload_hash *hash, const void *data, uint64_t bytes)
{
    const uint8_t *at = data;
    uint64_t rest = hash->bytes % STRIPE;
    hash->bytes += bytes;
    if (rest) {
        uint64_t taken = bytes < STRIPE - rest ? bytes : STRIPE - rest;
        memcpy(hash->rest + rest, at, taken);
        at += taken;
        bytes -= taken;
        if (rest + taken < STRIPE)
            return;
        add_stripes(hash, hash->rest, 1);
    }
    at = add_stripes(hash, at, bytes / STRIPE);
    memcpy(hash->rest, at, bytes % STRIPE);
}

/* What is left of the last stripe. */
static uint64_t add_rest(uint64_t sum, const uint8_t *data, uint64_t bytes)
{
    for (; bytes >= 8; bytes -= 8, data += 8)
        sum = rotate(sum ^ round_of(0, word_at(data)), 27) * PRIME_1 + PRIME_4;
    if (bytes >= 4) {
        uint32_t half;
        __builtin_memcpy(&half, data, sizeof half);
        sum = rotate(sum ^ half * PRIME_1, 23) * PRIME_2 + PRIME_3;
        bytes -= 4;
        data += 4;
    }
    for (; bytes > 0; bytes--, data++)
        sum = rotate(sum ^ *data * PRIME_5, 11) * PRIME_1;
    return sum;
}

uint32_t dt_payload_hash_end(const struct dt_payload_hash *hash)
{
    const uint64_t *lanes = hash->lanes;
    uint64_t sum = PRIME_5;
    if (hash->bytes >= STRIPE) {
        sum = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
        for (int i = 0; i < 4; i++)
            sum = (sum ^ round_of(0, lanes[i])) * PRIME_1 + PRIME_4;
    }
    sum = add_rest(sum + hash->bytes, hash->rest, hash->bytes % STRIPE);
    sum = (sum ^ sum >> 33) * PRIME_2;
    sum = (sum ^ sum >> 29) * PRIME_3;
    return (uint32_t)(sum ^ sum >> 32);
}
