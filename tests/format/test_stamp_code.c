/* Times as bytes: the nearest of eight steps an octave, for all sizes. */
#include <glib.h>

#include "format/stamp_code.h"
#include "support/random.h"

/* A twelfth of an octave and a little more: half a step. */
static void assert_near(guint64 ticks)
{
    guint8 code = dt_time_code(ticks);
    if (code == DT_TIME_LONG) {
        g_assert_cmpuint(ticks, >=, dt_time_ticks(DT_TIME_LONG - 1));
        return;
    }
    guint64 read = dt_time_ticks(code), off = read > ticks ? read - ticks : ticks - read;
    g_assert_cmpfloat((gdouble)off, <=, 0.045 * (gdouble)ticks + 0.5);
    g_assert_cmpuint(dt_time_code(read), ==, ticks < 16 ? dt_time_code(read) : code);
}

static void test_powers_of_two(void)
{
    for (guint bits = 0; bits < 64; bits++) {
        assert_near(G_GUINT64_CONSTANT(1) << bits);
        assert_near((G_GUINT64_CONSTANT(1) << bits) - 1);
        assert_near((G_GUINT64_CONSTANT(1) << bits) + 1);
    }
    assert_near(G_MAXUINT64);
}

static void test_random(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint i = 0; i < 200000; i++) {
        guint64 ticks = (guint64)g_rand_int(random) << 32 | g_rand_int(random);
        assert_near(ticks >> g_rand_int_range(random, 0, 64));
    }
}

static void test_codes_ascend(void)
{
    g_assert_cmpuint(dt_time_ticks(DT_TIME_NONE_PASSED), ==, 0);
    g_assert_cmpuint(dt_time_code(0), ==, DT_TIME_NONE_PASSED);
    g_assert_cmpuint(dt_time_ticks(DT_TIME_NONE_PASSED + 1), ==, 1);
    for (guint code = DT_TIME_NONE_PASSED + 1; code < DT_TIME_LONG; code++)
        g_assert_cmpuint(dt_time_ticks((guint8)(code - 1)), <=, dt_time_ticks((guint8)code));
    for (guint code = DT_TIME_NONE_PASSED + 33; code < DT_TIME_LONG; code++)
        g_assert_cmpuint(dt_time_code(dt_time_ticks((guint8)code)), ==, code);
}

/* Errors do not add up: a writer counts from the time that readers have. */
static void test_sums(void)
{
    g_autoptr(GRand) random = dt_test_random();
    guint64 time = 0, read = 0;
    for (guint i = 0; i < 100000; i++) {
        guint64 passed = g_rand_int(random) >> g_rand_int_range(random, 0, 32);
        time += passed;
        guint64 step = time > read ? time - read : 0;
        guint8 code = dt_time_code(step);
        read += code == DT_TIME_LONG ? step : dt_time_ticks(code);
        guint64 off = read > time ? read - time : time - read;
        g_assert_cmpfloat((gdouble)off, <=, 0.045 * (gdouble)step + 0.5 + (step == 0 ? (gdouble)off : 0));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stamp-code/powers-of-two", test_powers_of_two);
    g_test_add_func("/stamp-code/random", test_random);
    g_test_add_func("/stamp-code/codes-ascend", test_codes_ascend);
    g_test_add_func("/stamp-code/sums", test_sums);
    return g_test_run();
}
