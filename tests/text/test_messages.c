/* Messages: like printf, but for strings that may hold anything. */
#include "text/text.h"

/* The same format by GLib: what it gives for harmless arguments is what we must give. */
#define assert_like_printf(...)                                                                                        \
    do {                                                                                                               \
        g_autofree char *ours = dt_text_printf(__VA_ARGS__), *theirs = g_strdup_printf(__VA_ARGS__);                   \
        g_assert_cmpstr(ours, ==, theirs);                                                                             \
    } while (0)

static void test_like_printf(void)
{
    assert_like_printf("plain");
    assert_like_printf("100 %%, %c%c", 'a', 'b');
    assert_like_printf("%d %i %u %x %X %o", -5, 7, 8u, 255u, 255u, 8u);
    assert_like_printf("%5d|%-5d|%05d|%+d", 1, 2, 3, 4);
    assert_like_printf("%ld %lu %lld %llu", -1L, 2UL, -3LL, 4ULL);
    assert_like_printf("%" G_GUINT64_FORMAT " %" G_GSIZE_FORMAT " %zu", G_MAXUINT64, (gsize)9, sizeof(int));
    assert_like_printf("%.1f %8.3f %g %.6g", 1.25, 2.5, 3.75, 1e9);
    assert_like_printf("%s and %s", "one", "two");
    assert_like_printf("%8s|%-8s|%.2s|%*s^|%.*s", "a", "b", "cdef", 5, "", 3, "ghijk");
    assert_like_printf("%s %d %s %.2f %s", "a", 1, "b", 2.0, "c");
}

static void test_strings_are_lines(void)
{
    g_autofree char *text = dt_text_printf("'%s':\nmore %s", "a\nb\033\\", "\xff");
    g_assert_cmpstr(text, ==, "'a\\x0ab\\x1b\\':\nmore \\xff");
    g_autofree char *cut = dt_text_printf("%.1s|%.3s", "\xc3\xa4", "\xc3\xa4z");
    g_assert_cmpstr(cut, ==, "\\xc3|\xc3\xa4z");
    const char *nothing = NULL;
    g_autofree char *null = dt_text_printf("<%s>", nothing);
    g_assert_cmpstr(null, ==, "<(null)>");
}

static void test_errors(void)
{
    g_autoptr(GError) error = NULL;
    dt_set_error(&error, G_FILE_ERROR, G_FILE_ERROR_IO, "%s: %d%%", "a\tb%s", 3);
    g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_IO);
    g_assert_cmpstr(error->message, ==, "a\\x09b%s: 3%");
    dt_set_error(NULL, G_FILE_ERROR, G_FILE_ERROR_IO, "nobody listens");
    g_autoptr(GString) out = g_string_new("x");
    dt_text_append(out, "%s\n", "y\n");
    g_assert_cmpstr(out->str, ==, "xy\\x0a\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/text/messages/like-printf", test_like_printf);
    g_test_add_func("/text/messages/lines", test_strings_are_lines);
    g_test_add_func("/text/messages/errors", test_errors);
    return g_test_run();
}
