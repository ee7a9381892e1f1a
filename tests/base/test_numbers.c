/* Medians and counts, against their definitions written out. */
#include <math.h>

#include "base/numbers.h"

enum { MOST = 40, ROUNDS = 500 };

static guint count_plainly(const double *values, guint count, double value, double most, gboolean less)
{
    guint found = 0;
    for (guint i = 0; i < count; i++)
        found += less ? values[i] < value : fabs(values[i] - value) <= most;
    return found;
}

/* As many are below it as above it. */
static void check_median(const double *values, guint count, double median)
{
    guint below = 0, above = 0;
    for (guint i = 0; i < count; i++) {
        below += values[i] < median;
        above += values[i] > median;
    }
    g_assert_cmpuint(2 * below, <=, count);
    g_assert_cmpuint(2 * above, <=, count);
}

static void test_random(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);
    for (guint round = 0; round < ROUNDS; round++) {
        double values[MOST];
        guint count = (guint)g_rand_int_range(random, 1, MOST);
        for (guint i = 0; i < count; i++)
            values[i] = g_rand_int_range(random, -10, 10) / 4.0;
        check_median(values, count, dt_median(values, count));
        for (guint i = 1; i < count; i++)
            g_assert_cmpfloat(values[i - 1], <=, values[i]);
        for (double value = -3; value <= 3; value += 0.125) {
            g_assert_cmpuint(dt_count_less(values, count, value), ==, count_plainly(values, count, value, 0, TRUE));
            g_assert_cmpuint(dt_count_near(values, count, value, 0.5), ==,
                             count_plainly(values, count, value, 0.5, FALSE));
        }
    }
}

static void test_small(void)
{
    double one[] = {4}, two[] = {5, 2}, three[] = {9, 1, 2};
    g_assert_cmpfloat(dt_median(NULL, 0), ==, 0);
    g_assert_cmpfloat(dt_median(one, 1), ==, 4);
    g_assert_cmpfloat(dt_median(two, 2), ==, 3.5);
    g_assert_cmpfloat(dt_median(three, 3), ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/numbers/random", test_random);
    g_test_add_func("/base/numbers/small", test_small);
    return g_test_run();
}
