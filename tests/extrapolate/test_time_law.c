/* Laws of times: of times that follow one, exactly or but for noise, and of some whose errors are known. */
#include "extrapolate/time_law.h"

#include <math.h>

#include "support/random.h"

enum { SIZES = 5 };
static const guint ranks[SIZES] = {2, 4, 8, 16, 32};

static gdouble constant(gdouble n)
{
    (void)n;
    return 7e6;
}
static gdouble part(gdouble n)
{
    return 6.4e8 / n;
}
static gdouble part_and_all(gdouble n)
{
    return 6.4e8 / n + 5e7;
}
static gdouble logarithm(gdouble n)
{
    return 3e6 * log2(n) + 1e6;
}
static gdouble linear(gdouble n)
{
    return 2e6 * n + 9e6;
}

static const struct {
    const char *name, *text;
    DtTimeForm form;
    gdouble (*at)(gdouble n);
} cases[] = {{"constant", "7ms (0 %)", DT_TIME_CONSTANT, constant},
             {"part", "640ms/P (0 %)", DT_TIME_PART, part},
             {"part-and-all", "640ms/P+50ms (0 %)", DT_TIME_PART_AND_ALL, part_and_all},
             {"logarithm", "3ms*log2(P)+1ms (0 %)", DT_TIME_LOG, logarithm},
             {"linear", "2ms*P+9ms (0 %)", DT_TIME_LINEAR, linear}};

static void test_exact(gconstpointer data)
{
    const guint which = GPOINTER_TO_UINT(data);
    gdouble ns[SIZES];
    for (guint i = 0; i < SIZES; i++)
        ns[i] = cases[which].at(ranks[i]);
    for (guint count = 3; count <= SIZES; count++) {
        const DtTimeLaw law = dt_time_law_find(ranks, ns, count, 1024);
        g_autoptr(GString) text = g_string_new(NULL);
        dt_time_law_append(text, &law);
        g_assert_cmpint(law.form, ==, cases[which].form);
        g_assert_cmpstr(text->str, ==, cases[which].text);
        g_assert_cmpfloat_with_epsilon(dt_time_law_at(&law, 1024), cases[which].at(1024), 1);
    }
}

/* With noise of 3 % either way what comes next is told to a fifth. */
static void test_noise(gconstpointer data)
{
    const guint which = GPOINTER_TO_UINT(data);
    g_autoptr(GRand) random = dt_test_random();
    guint good = 0;
    enum { ROUNDS = 200 };
    for (guint round = 0; round < ROUNDS; round++) {
        gdouble ns[SIZES];
        for (guint i = 0; i < SIZES; i++)
            ns[i] = cases[which].at(ranks[i]) * g_rand_double_range(random, 0.97, 1.03);
        const DtTimeLaw law = dt_time_law_find(ranks, ns, SIZES, 64);
        const gdouble expected = cases[which].at(64);
        g_assert_cmpfloat(law.error, <, 0.2);
        good += fabs(dt_time_law_at(&law, 64) - expected) < 0.2 * expected;
    }
    g_assert_cmpuint(good, >=, ROUNDS * 9 / 10);
}

/* Of 10 and 20: as a constant 20 is told by 10 and 10 by 20; as a part 5 and 40 are. */
static void test_errors(void)
{
    const gdouble two[] = {10e6, 20e6};
    DtTimeLaw law = dt_time_law_find(ranks, two, 2, 64);
    g_assert_cmpint(law.form, ==, DT_TIME_CONSTANT);
    g_assert_cmpfloat_with_epsilon(law.error, 0.75, 1e-9);
    law = dt_time_law_find(ranks, two, 1, 64);
    g_assert_cmpfloat_with_epsilon(dt_time_law_at(&law, 64), 10e6, 1e-6);
    g_assert_cmpfloat(law.error, <, 0);
    const gdouble none[] = {0, 0, 0};
    law = dt_time_law_find(ranks, none, 3, 64);
    g_assert_cmpfloat_with_epsilon(dt_time_law_at(&law, 64), 0, 1e-9);
}

/* 9, 8, 6 go down by a line that is below 0 at 64. */
static void test_never_below_0(void)
{
    const gdouble down[] = {9e6, 8e6, 6e6};
    const DtTimeLaw law = dt_time_law_find(ranks, down, 3, 64);
    g_assert_cmpint(law.form, !=, DT_TIME_LINEAR);
    g_assert_cmpfloat(dt_time_law_at(&law, 64), >, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *exact = g_strconcat("/time-law/exact/", cases[i].name, NULL),
                        *noise = g_strconcat("/time-law/noise/", cases[i].name, NULL);
        g_test_add_data_func(exact, GUINT_TO_POINTER(i), test_exact);
        g_test_add_data_func(noise, GUINT_TO_POINTER(i), test_noise);
    }
    g_test_add_func("/time-law/errors", test_errors);
    g_test_add_func("/time-law/never-below-0", test_never_below_0);
    return g_test_run();
}
