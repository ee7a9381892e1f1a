/** Numbers of seven bits a byte, the lowest first, the eighth bit set in all bytes but the last: LEB128. Signed ones
 * are folded first, so that small ones are short: zigzag. */
#ifndef DT_FORMAT_VARINT_H
#define DT_FORMAT_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DT_VARINT_BYTES = 10 }; /* of one, at most */

/** Gives the bytes written, at most DT_VARINT_BYTES. */
static inline size_t dt_varint_put(uint8_t *out, uint64_t value)
{
    size_t bytes = 0;
    while (value >= 0x80) {
        out[bytes++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[bytes++] = (uint8_t)value;
    return bytes;
}

/** Moves `*at` behind the number. False: it does not end before `end`, or has more than 64 bits. */
static inline bool dt_varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static inline uint64_t dt_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? ~(uint64_t)0 : 0);
}

static inline int64_t dt_zigzag_back(uint64_t value)
{
    return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}

#endif
