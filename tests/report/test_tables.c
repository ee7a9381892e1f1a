/* Tables, lists of traces, grouped digits. */
#include "report/common.h"
#include "report/diffnlr_report.h"
#include "report/table.h"

static void test_table_is_aligned(void)
{
    g_autoptr(DtTable) table = dt_table_new("trace|>calls|why");
    dt_table_add(table, "5.0");
    dt_table_add_format(table, "%d", 1234567);
    dt_table_add(table, "first");
    dt_table_add(table, "\xc3\xa4\xc3\xb6\xc3\xbc.10");
    dt_table_add(table, "7");
    dt_table_add(table, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    dt_table_append_text(table, text, 0);
    g_assert_cmpstr(text->str, ==,
                    "trace     calls  why\n"
                    "5.0     1234567  first\n"
                    "\xc3\xa4\xc3\xb6\xc3\xbc.10        7\n");
}

/* A long name does not move the rest of all other rows away, and is whole on its line. */
static void test_long_names(void)
{
    g_autofree char *name = g_strnfill(100, 'n');
    g_autoptr(DtTable) table = dt_table_new(">calls|~function|image");
    dt_table_add(table, "10");
    dt_table_add(table, name);
    dt_table_add(table, "app");
    dt_table_add(table, "9");
    dt_table_add(table, "solve_all");
    dt_table_add(table, "app");
    g_autoptr(GString) text = g_string_new(NULL);
    dt_table_append_text(table, text, 0);
    g_autofree char *expected = g_strdup_printf("calls  function   image\n"
                                                "   10  %s  app\n"
                                                "    9  solve_all  app\n",
                                                name);
    g_assert_cmpstr(text->str, ==, expected);
}

static void test_table_fits_a_width(void)
{
    g_autoptr(DtTable) table = dt_table_new("trace|>n|why");
    dt_table_add(table, "5.0");
    dt_table_add(table, "7");
    dt_table_add(table, "stuck in MPI_Recv after 7 of 16 iterations");
    dt_table_add(table, "6.0");
    dt_table_add(table, "8");
    dt_table_add(table, "a_name_without_any_blank_in_it");
    g_autoptr(GString) text = g_string_new(NULL);
    dt_table_append_text(table, text, 30);
    g_assert_cmpstr(text->str, ==,
                    "trace  n  why\n"
                    "5.0    7  stuck in MPI_Recv\n"
                    "          after 7 of 16\n"
                    "          iterations\n"
                    "6.0    8  a_name_without_any_b\n"
                    "          lank_in_it\n");
}

static void test_tsv_keeps_its_columns(void)
{
    g_autoptr(DtTable) table = dt_table_new("a|>b");
    dt_table_add(table, "one\ttwo\nthree");
    dt_table_add(table, "4");
    g_autoptr(GString) text = g_string_new(NULL);
    dt_table_append_tsv(table, text);
    g_assert_cmpstr(text->str, ==, "a\tb\none\\x09two\\x0athree\t4\n");
}

static void assert_list(const char *labels, const char *expected)
{
    g_auto(GStrv) words = g_strsplit(labels, " ", -1);
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    for (guint i = 0; words[i]; i++)
        g_ptr_array_add(list, words[i]);
    g_autofree char *text = dt_trace_list_text(list);
    g_assert_cmpstr(text, ==, expected);
}

static void test_trace_lists(void)
{
    assert_list("0.0 1.0 2.0 3.0 4.0 7.0", "0-4,7");
    assert_list("5.0", "5");
    assert_list("6.1 6.2 6.3", "6.1-3");
    assert_list("0.0 0.1 0.2 1.0 1.1 1.2", "0-1,0-1.1-2");
    assert_list("0.1 0.2 0.4 1.1 1.2 1.4 3.1", "0-1.1-2,0-1.4,3.1");
    assert_list("9.0 10.0 11.0 13.0 14.0", "9-11,13-14");
    assert_list("5.0 5.a 5.b 6.0 6.a 6.b 6.aa", "5-6,5.a-b,6.a-b,6.aa");
    assert_list("5.0 5+1.0 6.0", "5,5+1,6");
    assert_list("5+1.1 5+1.2", "5+1.1-2");
}

static void test_grouped(void)
{
    const struct {
        guint64 number;
        const char *text;
    } cases[] = {{0, "0"}, {999, "999"}, {1000, "1,000"}, {G_MAXUINT64, "18,446,744,073,709,551,615"}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = dt_grouped(cases[i].number);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

/* Nothing is lost, something is left to the tail, and an elision hides more than two. */
static void test_elisions(void)
{
    for (gsize shown = 3; shown < 20; shown++) {
        for (gsize length = 0; length < 60; length++) {
            DtElision elision = dt_elide(length, shown);
            g_assert_cmpuint(elision.head + elision.left_out, <=, length);
            if (elision.left_out == 0) {
                g_assert_cmpuint(elision.head, ==, length);
            } else {
                g_assert_cmpuint(elision.left_out, >, 2);
                g_assert_cmpuint(length - elision.left_out, ==, shown);
                g_assert_cmpuint(elision.head + elision.left_out, <, length);
            }
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/table/long-names", test_long_names);
    g_test_add_func("/report/table/aligned", test_table_is_aligned);
    g_test_add_func("/report/table/fits", test_table_fits_a_width);
    g_test_add_func("/report/table/tsv", test_tsv_keeps_its_columns);
    g_test_add_func("/report/trace-lists", test_trace_lists);
    g_test_add_func("/report/grouped", test_grouped);
    g_test_add_func("/report/folds", test_elisions);
    return g_test_run();
}
