/* The checksum against the published check value and the definition, bit by bit. */
#include <glib.h>
#include <string.h>

#include "format/crc32.h"
#include "support/random.h"

static guint32 crc_by_definition(const guint8 *data, gsize bytes)
{
    guint32 crc = 0xffffffffu;
    for (gsize i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static void test_check_value(void)
{
    g_assert_cmphex(dt_crc32(0, "123456789", 9), ==, 0xcbf43926u);
    g_assert_cmphex(dt_crc32(0, NULL, 0), ==, 0);
}

static void test_definition(void)
{
    guint8 data[1000];
    g_autoptr(GRand) random = dt_test_random();
    for (gsize i = 0; i < sizeof(data); i++)
        data[i] = (guint8)g_rand_int(random);
    for (gsize bytes = 0; bytes <= sizeof(data); bytes++)
        g_assert_cmphex(dt_crc32(0, data, bytes), ==, crc_by_definition(data, bytes));
}

static void test_parts(void)
{
    guint8 data[300];
    g_autoptr(GRand) random = dt_test_random();
    for (gsize i = 0; i < sizeof(data); i++)
        data[i] = (guint8)g_rand_int(random);
    for (gsize cut = 0; cut <= sizeof(data); cut++)
        g_assert_cmphex(dt_crc32(dt_crc32(0, data, cut), data + cut, sizeof(data) - cut), ==,
                        dt_crc32(0, data, sizeof(data)));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/crc32/check-value", test_check_value);
    g_test_add_func("/format/crc32/definition", test_definition);
    g_test_add_func("/format/crc32/parts", test_parts);
    return g_test_run();
}
