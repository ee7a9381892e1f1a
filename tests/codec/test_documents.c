/* What documents say of the codecs is what the table of codecs says. */
#include <glib.h>
#include <string.h>

#include "codec/codec.h"

static char *read_document(const char *name)
{
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, "..", "..", "docs", name, NULL);
    g_autoptr(GError) error = NULL;
    char *text = NULL;
    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    return text;
}

/* The table of docs/trace-format.md, section 6, row by row. */
static void test_format(void)
{
    g_autofree char *text = read_document("trace-format.md");
    g_autoptr(GString) table = g_string_new("\n| number | name | for |\n|---|---|---|\n");
    for (guint32 i = 0; i < DT_CODECS; i++)
        g_string_append_printf(table, "| %u | %s | %s |\n", dt_codecs[i].id, dt_codecs[i].name, dt_codecs[i].purpose);
    g_string_append_c(table, '\n');
    if (!strstr(text, table->str))
        g_error("docs/trace-format.md does not say: %s", table->str);
}

static void test_option(void)
{
    g_autofree char *text = read_document("man/difftrace-collect.md");
    g_autoptr(GString) option = g_string_new("\n--codec=");
    for (guint32 i = 0; i < DT_CODECS; i++)
        g_string_append_printf(option, "%s%s", i > 0 ? "|" : "", dt_codecs[i].name);
    g_string_append_c(option, '\n');
    g_autofree char *chosen = g_strdup_printf("(default: %s)", dt_codecs[0].name);
    g_assert_nonnull(strstr(text, option->str));
    g_assert_nonnull(strstr(strstr(text, option->str), chosen));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/documents/format", test_format);
    g_test_add_func("/codec/documents/option", test_option);
    return g_test_run();
}
