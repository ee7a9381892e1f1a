/* TZ's golden files, because what the model foretells is the format. */
#include <glib.h>

#include "coding.h"
#include "programs.h"

static void test_golden(void)
{
    g_autoptr(GArray) words = dt_golden_program(DT_CODEC_TZ);
    dt_assert_golden(DT_CODEC_TZ, 1, words);
    dt_assert_golden_bytes(DT_CODEC_TZ, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/tz/golden", test_golden);
    return g_test_run();
}
