/* Debug messages: a topic is a log domain. */
#include "base/debug.h"

static GLogWriterOutput keep(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data)
{
    GString *told = data;
    g_assert_cmpint(level, ==, G_LOG_LEVEL_DEBUG);
    for (gsize i = 0; i < count; i++) {
        if (g_str_equal(fields[i].key, "GLIB_DOMAIN") || g_str_equal(fields[i].key, "MESSAGE"))
            g_string_append_printf(told, "%s\n", (const char *)fields[i].value);
    }
    return G_LOG_WRITER_HANDLED;
}

static void test_domains(void)
{
    g_autoptr(GString) told = g_string_new(NULL);
    g_log_set_writer_func(keep, told, NULL);
    dt_debug(DT_DEBUG_STORE, "%d of %s", 1, "two");
    dt_debug(DT_DEBUG_COMPARE, "end");
    g_auto(GStrv) lines = g_strsplit(told->str, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 5);
    g_assert_true(g_strv_contains((const char *const *)lines, "1 of two"));
    g_assert_true(g_strv_contains((const char *const *)lines, "difftrace-store"));
    g_assert_true(g_strv_contains((const char *const *)lines, "end"));
    g_assert_true(g_strv_contains((const char *const *)lines, "difftrace-compare"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/debug/domains", test_domains);
    return g_test_run();
}
