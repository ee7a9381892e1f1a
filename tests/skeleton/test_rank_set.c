/* Sets of ranks: their texts, the literature's rank lists, and random sets that come back. */
#include "skeleton/rank_set.h"
#include "support/random.h"

enum { RANKS = 200, ROUNDS = 3000 };

static void check_text(const char *ranks, const char *expected)
{
    g_autoptr(DtRankSets) sets = dt_rank_sets_new(RANKS);
    g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(guint));
    g_auto(GStrv) words = g_strsplit(ranks, " ", -1);
    for (guint i = 0; words[i]; i++) {
        guint rank = (guint)g_ascii_strtoull(words[i], NULL, 10);
        g_array_append_val(members, rank);
    }
    const DtRankSet *set = dt_rank_set_of(sets, (const guint *)(gconstpointer)members->data, members->len);
    g_autofree char *text = dt_rank_set_text(sets, set);
    g_assert_cmpstr(text, ==, expected);
}

static void test_texts(void)
{
    check_text("5", "5");
    check_text("0 1 2 3", "0-3");
    check_text("1 3 5 7", "1-7/2");
    check_text("1 3", "1,3");
    check_text("5 7 11 13", "5,7,11,13");
    /* ScalaTrace's <2 6 3 5 3 1>. */
    check_text("6 7 8 11 12 13 16 17 18", "6-8*3/5");
    check_text("1 2 3 5 6 7 9 10 11 13 14 15", "1-3*4/4");
    check_text("0 3 12 15", "0,3,12,15");
    check_text("0 3 12 15 24 27 36 39 48 51", "0*2/3*5/12");
}

static void test_complement(void)
{
    g_autoptr(DtRankSets) sets = dt_rank_sets_new(16);
    guint but_one[15];
    for (guint i = 0; i < 15; i++)
        but_one[i] = i < 7 ? i : i + 1;
    g_autofree char *text = dt_rank_set_text(sets, dt_rank_set_of(sets, but_one, 15));
    g_assert_cmpstr(text, ==, "!7");
    g_autofree char *all = dt_rank_set_text(sets, dt_rank_set_all(sets));
    g_assert_cmpstr(all, ==, "0-15");
}

/* What is written is read again as the same set, which is the same object. */
static void test_round_trip(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < ROUNDS; round++) {
        guint ranks = (guint)g_rand_int_range(random, 1, RANKS), step = (guint)g_rand_int_range(random, 1, 9),
              count = 0;
        g_autoptr(DtRankSets) sets = dt_rank_sets_new(ranks);
        guint members[RANKS];
        for (guint rank = 0; rank < ranks; rank++)
            if (g_rand_int_range(random, 0, 12) == 0 || (rank % step < step / 2 && round % 2))
                members[count++] = rank;
        if (count == 0)
            continue;
        const DtRankSet *set = dt_rank_set_of(sets, members, count);
        g_autofree char *text = dt_rank_set_text(sets, set);
        const char *at = text, *problem;
        g_assert_true(dt_rank_set_parse(sets, &at, &problem) == set);
        g_assert_cmpint(*at, ==, '\0');
        g_assert_cmpuint(dt_rank_set_count(set), ==, count);
        for (guint i = 0, rank = dt_rank_set_next(set, 0); i < count; i++, rank = dt_rank_set_next(set, rank + 1))
            g_assert_cmpuint(rank, ==, members[i]);
    }
}

static void test_bad_texts(void)
{
    static const char *const texts[] = {
        "",      "x",         "5-3", "1-9/0",        "200",         "3*",     "3*2",
        "3*0/1", "0-199*2/1", "!",   "0-4294967295", "99999999999", "1*9/90", "0*200/1*200/1"};
    g_autoptr(DtRankSets) sets = dt_rank_sets_new(RANKS);
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *at = texts[i], *problem = NULL;
        g_assert_null(dt_rank_set_parse(sets, &at, &problem));
        g_assert_nonnull(problem);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/skeleton/rank-set/texts", test_texts);
    g_test_add_func("/skeleton/rank-set/complement", test_complement);
    g_test_add_func("/skeleton/rank-set/round-trip", test_round_trip);
    g_test_add_func("/skeleton/rank-set/bad-texts", test_bad_texts);
    return g_test_run();
}
