/** Comparing blocks of memory of any size: g_assert_cmpmem() counts in int. */
#ifndef DT_SUPPORT_ASSERT_SAME_H
#define DT_SUPPORT_ASSERT_SAME_H

#include <glib.h>
#include <string.h>

static inline void dt_assert_same(const void *first, gsize first_bytes, const void *second, gsize second_bytes)
{
    g_assert_cmpuint(first_bytes, ==, second_bytes);
    for (gsize i = 0; i < first_bytes; i++) {
        const guint8 *one = first, *two = second;
        if (one[i] != two[i])
            g_error("byte %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is 0x%02x, not 0x%02x", i, first_bytes, one[i],
                    two[i]);
    }
}

#endif
