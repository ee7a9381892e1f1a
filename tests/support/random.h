/** Random input for property tests: the same in every run, unless DT_TEST_SEED says another. */
#ifndef DT_SUPPORT_RANDOM_H
#define DT_SUPPORT_RANDOM_H

#include <glib.h>

static inline GRand *dt_test_random(void)
{
    const char *given = g_getenv("DT_TEST_SEED");
    guint32 seed = given ? (guint32)g_ascii_strtoull(given, NULL, 0) : 20230517;
    g_test_message("DT_TEST_SEED=%u", seed);
    return g_rand_new_with_seed(seed);
}

#endif
