/* The nearest name. */
#include "base/nearest.h"

static const char *const names[] = {"mpiall", "mpicol", "str", "all", "collect", "compare", NULL};

static void test_slips(void)
{
    g_assert_cmpstr(dt_nearest("mpcol", names), ==, "mpicol");
    g_assert_cmpstr(dt_nearest("MPIALL", names), ==, "mpiall");
    g_assert_cmpstr(dt_nearest("comapre", names), ==, "compare");
    g_assert_cmpstr(dt_nearest("coll", names), ==, "collect");
    g_assert_cmpstr(dt_nearest("strings", names), ==, "str");
    g_assert_cmpstr(dt_nearest("al", names), ==, "all");
    g_assert_cmpstr(dt_nearest("sir", names), ==, "str");
}

static void test_what_is_far(void)
{
    static const char *const far[] = {"bogus", "xyz", "xyzzy", "verdict", "stack", NULL};
    for (guint i = 0; far[i]; i++)
        g_assert_cmpstr(dt_nearest(far[i], names), ==, NULL);
    g_autofree char *long_word = g_strnfill(100000, 'm');
    g_assert_null(dt_nearest(long_word, names));
    const char *const none[] = {NULL};
    g_assert_null(dt_nearest("all", none));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/nearest/slips", test_slips);
    g_test_add_func("/base/nearest/far", test_what_is_far);
    return g_test_run();
}
