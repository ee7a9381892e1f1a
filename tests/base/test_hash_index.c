/* An index answers as GLib's hash table does, whatever collides in it. */
#include "base/hash_index.h"

enum { KEYS = 5000, STEPS = 20000 };

static gboolean has_integer(gconstpointer owner, guint32 number, gconstpointer key)
{
    return g_array_index((const GArray *)owner, guint64, number) == *(const guint64 *)key;
}

/* Keeps the low bits that are set in `mask` of each hash: the fewer, the more keys collide. */
static void check_against_glib(guint64 mask)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    g_autoptr(GHashTable) oracle = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(guint64));
    DtHashIndex index = {0};
    for (guint step = 0; step < STEPS; step++) {
        guint64 key = (guint64)g_rand_int_range(random, 0, KEYS) << (step % 2 == 0 ? 0 : 32);
        guint64 hash = dt_hash_integer(key) & mask;
        guint32 number = dt_hash_index_find(&index, hash, has_integer, keys, &key);
        gpointer expected = g_hash_table_lookup(oracle, &key);
        g_assert_cmpuint(number, ==, expected ? GPOINTER_TO_UINT(expected) - 1 : DT_HASH_ABSENT);
        if (number != DT_HASH_ABSENT)
            continue;
        dt_hash_index_add(&index, hash, keys->len);
        g_array_append_val(keys, key);
        g_hash_table_insert(oracle, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(keys->len));
    }
    g_assert_cmpuint(index.used, ==, g_hash_table_size(oracle));
    dt_hash_index_clear(&index);
}

static void test_glib(void)
{
    check_against_glib(G_MAXUINT64);
}

static void test_collisions(void)
{
    check_against_glib(0x3f);
    check_against_glib(G_MAXUINT64 << 60);
}

static void test_clear(void)
{
    g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(guint64));
    const guint64 key = 4;
    DtHashIndex index = {0};
    g_array_append_val(keys, key);
    dt_hash_index_add(&index, 1, 0);
    g_assert_cmpuint(dt_hash_index_find(&index, 1, has_integer, keys, &key), ==, 0);
    g_assert_cmpuint(dt_hash_index_find(&index, 2, has_integer, keys, &key), ==, DT_HASH_ABSENT);
    dt_hash_index_clear(&index);
    g_assert_cmpuint(dt_hash_index_find(&index, 1, has_integer, keys, &key), ==, DT_HASH_ABSENT);
}

/* Length and order of words count. */
static void test_words(void)
{
    const guint64 words[] = {1, 2, 0, 2, 1};
    g_assert_cmpuint(dt_hash_words(words, 2), !=, dt_hash_words(words, 3));
    g_assert_cmpuint(dt_hash_words(words, 2), !=, dt_hash_words(words + 3, 2));
    g_assert_cmpuint(dt_hash_words(words + 1, 1), ==, dt_hash_words(words + 3, 1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/hash-index/glib", test_glib);
    g_test_add_func("/base/hash-index/collisions", test_collisions);
    g_test_add_func("/base/hash-index/clear", test_clear);
    g_test_add_func("/base/hash-index/words", test_words);
    return g_test_run();
}
