/* The published ranking on cases whose culprit is known by construction. */
#include <math.h>

#include "cluster/cluster.h"

enum { SEED = 53 };

/* Similarities where traces are alike (1) within a group and `across` between groups. */
static DtMatrix *grouped(const char *groups, double across)
{
    guint n = (guint)strlen(groups);
    DtMatrix *matrix = dt_matrix_new(n);
    for (guint i = 0; i < n; i++) {
        for (guint j = 0; j < n; j++) {
            matrix->values[i * n + j] = groups[i] == groups[j] ? 1.0 : across;
        }
    }
    return matrix;
}

static void assert_suspicious(const DtPublishedRanking *ranking, const char *marks)
{
    g_assert_cmpuint(ranking->n, ==, strlen(marks));
    for (guint i = 0; i < ranking->n; i++) {
        g_assert_cmpint(ranking->suspicious[i], ==, marks[i] == 'x');
    }
}

static void assert_order(const DtPublishedRanking *ranking, const guint *order)
{
    for (guint i = 0; i < ranking->n; i++) {
        g_assert_cmpuint(ranking->order[i], ==, order[i]);
    }
}

static void test_one_culprit(void)
{
    g_autoptr(DtMatrix) normal = grouped("eoeoeoeo", 4.0 / 6.0);
    g_autoptr(DtMatrix) faulty = grouped("eoeoexeo", 4.0 / 6.0);
    for (guint linkage = 0; linkage < DT_LINKAGES; linkage++) {
        g_autoptr(DtPublishedRanking) ranking = dt_published_ranking_new(normal, faulty, (DtLinkage)linkage);
        /* Trace 5 lost 2/6 of its likeness to the three other odd ones. */
        g_assert_cmpfloat_with_epsilon(ranking->suspicion[5], 1.0 / 8.0, 1e-12);
        g_assert_cmpfloat_with_epsilon(ranking->suspicion[1], 1.0 / 24.0, 1e-12);
        g_assert_cmpfloat(ranking->suspicion[0], ==, 0.0);
        assert_order(ranking, (const guint[]){5, 1, 3, 7, 0, 2, 4, 6});
        g_assert_true(ranking->has_bscore);
        g_assert_cmpfloat(ranking->bscore, <, 1.0);
    }
}

static void test_culprit_stands_apart(void)
{
    g_autoptr(DtMatrix) normal = grouped("aaaaaaaa", 0.25);
    g_autoptr(DtMatrix) one = grouped("aaaxaaaa", 0.25);
    g_autoptr(DtMatrix) two_alike = grouped("axaaaaxa", 0.25);
    for (guint linkage = 0; linkage < DT_LINKAGES; linkage++) {
        g_autoptr(DtPublishedRanking) single = dt_published_ranking_new(normal, one, (DtLinkage)linkage);
        assert_suspicious(single, "...x....");
        assert_order(single, (const guint[]){3, 0, 1, 2, 4, 5, 6, 7});
        g_autoptr(DtPublishedRanking) pair = dt_published_ranking_new(normal, two_alike, (DtLinkage)linkage);
        assert_suspicious(pair, ".x....x.");
        assert_order(pair, (const guint[]){1, 6, 0, 2, 3, 4, 5, 7});
    }
}

/* Half of the traces may stand apart, more may not: then there is nothing to stand apart from. */
static void test_no_majority(void)
{
    g_autoptr(DtMatrix) normal = dt_matrix_new(5);
    g_autoptr(DtMatrix) faulty = dt_matrix_new(5);
    for (guint i = 0; i < 5; i++) {
        for (guint j = 0; j < 5; j++) {
            normal->values[i * 5 + j] = 1.0;
            faulty->values[i * 5 + j] = i == j ? 1.0 : i < 3 && j < 3 ? 0.9 : i < 3 || j < 3 ? 0.1 : 1.0;
        }
    }
    /* Traces 3 and 4 changed towards three traces, those towards two only. */
    g_autoptr(DtPublishedRanking) few = dt_published_ranking_new(normal, faulty, DT_LINKAGE_AVERAGE);
    assert_suspicious(few, "...xx");
    /* The larger group changed more within: it leads, but it is the majority. */
    for (guint i = 0; i < 3; i++) {
        for (guint j = 0; j < 3; j++) {
            faulty->values[i * 5 + j] = i == j ? 1.0 : 0.45;
        }
    }
    g_autoptr(DtPublishedRanking) many = dt_published_ranking_new(normal, faulty, DT_LINKAGE_AVERAGE);
    g_assert_cmpfloat(many->suspicion[0], >, many->suspicion[3]);
    assert_suspicious(many, ".....");
}

static void test_nothing_changed(void)
{
    g_autoptr(DtMatrix) same = grouped("aabbc", 0.5);
    for (guint linkage = 0; linkage < DT_LINKAGES; linkage++) {
        g_autoptr(DtPublishedRanking) ranking = dt_published_ranking_new(same, same, (DtLinkage)linkage);
        assert_suspicious(ranking, ".....");
        assert_order(ranking, (const guint[]){0, 1, 2, 3, 4});
        g_assert_cmpfloat(ranking->bscore, ==, 1.0);
        for (guint i = 0; i < 5; i++) {
            g_assert_cmpfloat(ranking->suspicion[i], ==, 0.0);
        }
    }
}

static void test_faulty_run_alone(void)
{
    g_autoptr(DtMatrix) faulty = grouped("aaxaa", 0.25);
    g_autoptr(DtPublishedRanking) ranking = dt_published_ranking_new(NULL, faulty, DT_LINKAGE_WARD);
    g_assert_false(ranking->has_bscore);
    g_assert_cmpfloat_with_epsilon(ranking->suspicion[2], 0.75, 1e-12);
    g_assert_cmpfloat_with_epsilon(ranking->suspicion[0], 0.75 / 4.0, 1e-12);
    assert_suspicious(ranking, "..x..");
    assert_order(ranking, (const guint[]){2, 0, 1, 3, 4});
}

static void test_few_traces(void)
{
    g_autoptr(DtMatrix) none = dt_matrix_new(0);
    g_autoptr(DtPublishedRanking) empty = dt_published_ranking_new(none, none, DT_LINKAGE_WARD);
    g_assert_cmpuint(empty->n, ==, 0);
    g_assert_false(empty->has_bscore);

    g_autoptr(DtMatrix) one = grouped("a", 0.5);
    g_autoptr(DtPublishedRanking) alone = dt_published_ranking_new(NULL, one, DT_LINKAGE_WARD);
    g_assert_cmpfloat(alone->suspicion[0], ==, 0.0);
    assert_suspicious(alone, ".");

    g_autoptr(DtMatrix) alike = grouped("aa", 0.5);
    g_autoptr(DtMatrix) unlike = grouped("ab", 0.5);
    g_autoptr(DtPublishedRanking) two = dt_published_ranking_new(alike, unlike, DT_LINKAGE_WARD);
    g_assert_false(two->has_bscore);
    assert_suspicious(two, "..");
    assert_order(two, (const guint[]){0, 1});
}

/* On random similarities: numbers are numbers, the order is one, marks are no majority and above the average. */
static void test_random(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_test_message("seed %d", SEED);
    guint marked_rounds = 0;
    for (guint round = 0; round < 400; round++) {
        guint n = (guint)g_rand_int_range(random, 1, 30);
        g_autoptr(DtMatrix) normal = dt_matrix_new(n);
        g_autoptr(DtMatrix) faulty = dt_matrix_new(n);
        DtMatrix *runs[] = {normal, faulty};
        for (guint run = 0; run < 2; run++) {
            for (guint i = 0; i < n; i++) {
                for (guint j = 0; j <= i; j++) {
                    double similarity = i == j ? 1.0 : g_rand_int_range(random, 0, 7) / 6.0;
                    runs[run]->values[i * n + j] = runs[run]->values[j * n + i] = similarity;
                }
            }
        }
        g_autoptr(DtPublishedRanking) ranking =
            dt_published_ranking_new(round % 3 == 0 ? NULL : normal, faulty, (DtLinkage)(round % DT_LINKAGES));
        g_autofree gboolean *seen = g_new0(gboolean, n);
        guint marked = 0;
        double sum = 0.0;
        double sum_marked = 0.0;
        for (guint i = 0; i < n; i++) {
            g_assert_true(isfinite(ranking->suspicion[i]));
            g_assert_false(seen[ranking->order[i]]);
            seen[ranking->order[i]] = TRUE;
            if (i > 0) {
                double before = ranking->suspicion[ranking->order[i - 1]];
                double here = ranking->suspicion[ranking->order[i]];
                g_assert_true(before > here - 1e-12);
                g_assert_true(before > here + 1e-12 || ranking->order[i - 1] < ranking->order[i]);
            }
            sum += ranking->suspicion[i];
            marked += ranking->suspicious[i] ? 1 : 0;
            sum_marked += ranking->suspicious[i] ? ranking->suspicion[i] : 0.0;
        }
        g_assert_cmpuint(2 * marked, <=, n);
        if (marked > 0) {
            g_assert_cmpfloat(sum_marked / marked, >, sum / n);
            marked_rounds++;
        }
        g_assert_cmpint(ranking->has_bscore, ==, n > 2 && round % 3 != 0);
        g_assert_true(isfinite(ranking->bscore));
    }
    g_assert_cmpuint(marked_rounds, >, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cluster/published-ranking/one-culprit", test_one_culprit);
    g_test_add_func("/cluster/published-ranking/stands-apart", test_culprit_stands_apart);
    g_test_add_func("/cluster/published-ranking/no-majority", test_no_majority);
    g_test_add_func("/cluster/published-ranking/nothing-changed", test_nothing_changed);
    g_test_add_func("/cluster/published-ranking/faulty-alone", test_faulty_run_alone);
    g_test_add_func("/cluster/published-ranking/few-traces", test_few_traces);
    g_test_add_func("/cluster/published-ranking/random", test_random);
    return g_test_run();
}
