/*
 * The hash of payloads against values of xxHash's own, whole and in pieces.
 */
#include <glib.h>

#include "native/arguments/payload.h"

static guint32 hash_of(const guint8 *data, gsize bytes, gsize piece)
{
    struct dt_payload_hash hash;
    dt_payload_hash_begin(&hash);
    for (gsize at = 0; at < bytes; at += piece)
        dt_payload_hash_add(&hash, data + at, MIN(piece, bytes - at));
    return dt_payload_hash_end(&hash);
}

/* The lower halves of XXH64 with the seed 0, as xxhsum tells them. */
static void test_known(void)
{
    static const struct {
        const char *text;
        guint32 hash;
    } known[] = {{"", 0x51d8e999}, {"a", 0xa98c6e5b}, {"abc", 0xad770999}};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
        g_assert_cmphex(hash_of((const guint8 *)known[i].text, strlen(known[i].text), 1), ==, known[i].hash);
    guint8 bytes[101];
    for (guint i = 0; i < sizeof bytes; i++)
        bytes[i] = (guint8)(i * 7);
    g_assert_cmphex(hash_of(bytes, 101, 101), ==, 0x55d9bd17);
    g_assert_cmphex(hash_of(bytes, 64, 64), ==, 0x445775d0);
}

static void test_pieces(void)
{
    guint8 bytes[300];
    for (guint i = 0; i < sizeof bytes; i++)
        bytes[i] = (guint8)(i * i + 3 * i);
    for (gsize size = 1; size <= sizeof bytes; size += 13)
        for (gsize piece = 1; piece <= size; piece++)
            g_assert_cmphex(hash_of(bytes, size, piece), ==, hash_of(bytes, size, size));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/payload/hash/known", test_known);
    g_test_add_func("/payload/hash/pieces", test_pieces);
    return g_test_run();
}
