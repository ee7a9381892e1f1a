/* Each reason why a function has no hook has words of its own. */
#include <glib.h>

#include "format/skip_reason.h"

static void test_names(void)
{
    for (guint i = 0; i < DT_SKIP_REASONS; i++) {
        g_assert_nonnull(dt_skip_reason_name(i));
        for (guint j = 0; j < i; j++)
            g_assert_cmpstr(dt_skip_reason_name(i), !=, dt_skip_reason_name(j));
    }
    g_assert_cmpstr(dt_skip_reason_name(DT_HOOKED), ==, "hooked");
    g_assert_cmpstr(dt_skip_reason_name(DT_SKIP_REASONS), ==, "unknown");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/skip-reason/names", test_names);
    return g_test_run();
}
