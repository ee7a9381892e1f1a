/** Numbers of seven bits a byte (LEB128), and differences, which are small whatever their sign. */
#ifndef DT_STORE_NUMBER_ROW_H
#define DT_STORE_NUMBER_ROW_H

#include <glib.h>

G_BEGIN_DECLS

static inline void dt_row_put(GByteArray *out, guint64 value)
{
    guint8 bytes[10];
    guint count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (guint8)(value | 0x80);
    bytes[count++] = (guint8)value;
    g_byte_array_append(out, bytes, count);
}

/** Reads one from `*at`, which is moved; FALSE if `end` comes first. */
static inline gboolean dt_row_get(const guint8 **at, const guint8 *end, guint64 *value)
{
    *value = 0;
    for (guint shift = 0; shift < 64 && *at < end; shift += 7) {
        guint8 byte = *(*at)++;
        *value |= (guint64)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return TRUE;
    }
    return FALSE;
}

/** By how much `value` differs from `before`, modulo 2^64. */
static inline void dt_row_put_difference(GByteArray *out, guint64 value, guint64 before)
{
    guint64 difference = value - before;
    dt_row_put(out, difference << 1 ^ (difference >> 63 ? G_MAXUINT64 : 0));
}

static inline gboolean dt_row_get_difference(const guint8 **at, const guint8 *end, guint64 before, guint64 *value)
{
    guint64 folded;
    if (!dt_row_get(at, end, &folded))
        return FALSE;
    *value = before + (folded >> 1 ^ (0 - (folded & 1)));
    return TRUE;
}

G_END_DECLS

#endif
