/**
 * Polynomial hash of a sequence of elements, modulo 2^64:
 * hash(e1 ... en) = mix(e1) M^(n-1) + ... + mix(en). Prefix hashes of a growing
 * sequence give the hash of any stretch of it in O(1). Equal hashes are always
 * verified by comparing the elements.
 */
#ifndef DT_NLR_SEQUENCE_H
#define DT_NLR_SEQUENCE_H

#include <string.h>

#include "nlr/nlr.h"

#define DT_SEQUENCE_MULTIPLIER G_GUINT64_CONSTANT(0xd1342543de82ef95)

/** The finaliser of SplitMix64 (Steele, Lea & Flood 2014): a bijection that spreads every bit. */
static inline guint64 dt_element_mix(DtElement element)
{
    guint64 x = element + G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline guint64 dt_sequence_hash_append(guint64 hash, DtElement element)
{
    return hash * DT_SEQUENCE_MULTIPLIER + dt_element_mix(element);
}

static inline guint64 dt_sequence_hash(const DtElement *elements, gsize length)
{
    guint64 hash = 0;
    for (gsize i = 0; i < length; i++)
        hash = dt_sequence_hash_append(hash, elements[i]);
    return hash;
}

static inline gboolean dt_elements_equal(const DtElement *a, const DtElement *b, gsize length)
{
    return length == 0 || memcmp(a, b, length * sizeof *a) == 0;
}

#endif
