/**
 * Sets of small numbers as consecutive 64-bit words.
 */
#ifndef DT_BASE_BIT_SET_H
#define DT_BASE_BIT_SET_H

#include <glib.h>

static inline gsize dt_bits_words(guint bits)
{
    return ((gsize)bits + 63) / 64;
}

static inline gboolean dt_bits_has(const guint64 *set, guint bit)
{
    return (set[bit / 64] >> (bit % 64) & 1) != 0;
}

static inline void dt_bits_add(guint64 *set, guint bit)
{
    set[bit / 64] |= (guint64)1 << (bit % 64);
}

static inline void dt_bits_remove(guint64 *set, guint bit)
{
    set[bit / 64] &= ~((guint64)1 << (bit % 64));
}

static inline guint dt_bits_count(const guint64 *set, gsize words)
{
    guint count = 0;
    for (gsize i = 0; i < words; i++) {
        count += (guint)__builtin_popcountll(set[i]);
    }
    return count;
}

static inline gboolean dt_bits_equal(const guint64 *a, const guint64 *b, gsize words)
{
    for (gsize i = 0; i < words; i++) {
        if (a[i] != b[i]) {
            return FALSE;
        }
    }
    return TRUE;
}

static inline void dt_bits_intersect(guint64 *result, const guint64 *a, const guint64 *b, gsize words)
{
    for (gsize i = 0; i < words; i++) {
        result[i] = a[i] & b[i];
    }
}

/** The members in ascending order (element-type guint). */
static inline GArray *dt_bits_members(const guint64 *set, gsize words)
{
    GArray *members = g_array_sized_new(FALSE, FALSE, sizeof(guint), dt_bits_count(set, words));
    for (gsize i = 0; i < words; i++) {
        for (guint64 word = set[i]; word != 0; word &= word - 1) {
            guint bit = (guint)(i * 64) + (guint)__builtin_ctzll(word);
            g_array_append_val(members, bit);
        }
    }
    return members;
}

/** Order of two sets of equal size by their ascending members. */
static inline int dt_bits_compare(const guint64 *a, const guint64 *b, gsize words)
{
    for (gsize i = 0; i < words; i++) {
        guint64 difference = a[i] ^ b[i];
        if (difference != 0) {
            return (a[i] & difference & (~difference + 1)) != 0 ? -1 : 1;
        }
    }
    return 0;
}

#endif
