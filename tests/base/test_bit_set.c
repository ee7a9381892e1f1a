/* Bit sets answer as arrays of truth values do. */
#include "base/bit_set.h"

enum { BITS = 197, WORDS = (BITS + 63) / 64, ROUNDS = 200 };

typedef struct {
    guint64 words[WORDS];
    gboolean has[BITS];
} Pair;

static Pair random_pair(GRand *random)
{
    Pair pair = {0};
    for (guint i = 0; i < BITS; i++) {
        guint bit = (guint)g_rand_int_range(random, 0, BITS);
        gboolean removes = g_rand_int_range(random, 0, 3) == 0;
        pair.has[bit] = !removes;
        if (removes)
            dt_bits_remove(pair.words, bit);
        else
            dt_bits_add(pair.words, bit);
    }
    return pair;
}

static void check_members(const Pair *pair)
{
    g_autoptr(GArray) members = dt_bits_members(pair->words, WORDS);
    guint count = 0;
    for (guint bit = 0; bit < BITS; bit++) {
        g_assert_cmpint(dt_bits_has(pair->words, bit), ==, pair->has[bit]);
        if (pair->has[bit])
            g_assert_cmpuint(g_array_index(members, guint, count++), ==, bit);
    }
    g_assert_cmpuint(members->len, ==, count);
    g_assert_cmpuint(dt_bits_count(pair->words, WORDS), ==, count);
}

static void test_members(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    g_assert_cmpuint(dt_bits_words(BITS), ==, WORDS);
    g_assert_cmpuint(dt_bits_words(0), ==, 0);
    g_assert_cmpuint(dt_bits_words(64), ==, 1);
    g_assert_cmpuint(dt_bits_words(65), ==, 2);
    for (guint round = 0; round < ROUNDS; round++) {
        const Pair pair = random_pair(random);
        check_members(&pair);
    }
}

static void test_two_sets(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    for (guint round = 0; round < ROUNDS; round++) {
        Pair a = random_pair(random), b = random_pair(random), both = {0};
        guint first = 0; /* bit that only one of them has */
        for (guint bit = 0; bit < BITS; bit++)
            both.has[bit] = a.has[bit] && b.has[bit];
        while (first < BITS && a.has[first] == b.has[first])
            first++;
        dt_bits_intersect(both.words, a.words, b.words, WORDS);
        check_members(&both);
        g_assert_cmpint(dt_bits_equal(a.words, b.words, WORDS), ==, first == BITS);
        g_assert_true(dt_bits_equal(a.words, a.words, WORDS));
        g_assert_cmpint(dt_bits_compare(a.words, b.words, WORDS), ==, first == BITS ? 0 : a.has[first] ? -1 : 1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/bit-set/members", test_members);
    g_test_add_func("/base/bit-set/two-sets", test_two_sets);
    return g_test_run();
}
