/* Lines of reports as they come onto the screen: colours, control characters, search. */
#include "commands/tui/page.h"

static const DtTuiLine *line_of(const DtTuiPage *page, guint index)
{
    g_assert_cmpuint(index, <, page->lines->len);
    return page->lines->pdata[index];
}

static void check_span(const DtTuiLine *line, guint index, guint from, guint to, DtStyle style)
{
    g_assert_nonnull(line->spans);
    g_assert_cmpuint(index, <, line->spans->len);
    const DtTuiSpan *span = &g_array_index(line->spans, DtTuiSpan, index);
    g_assert_cmpuint(span->from, ==, from);
    g_assert_cmpuint(span->to, ==, to);
    g_assert_cmpint((int)span->style, ==, (int)style);
}

static void test_colours(void)
{
    g_autoptr(DtTuiPage) page = dt_tui_page_new();
    dt_tui_page_add(page, "\033[34m- L1^16\033[0m   \033[31m+ L1^7\033[0m\nplain\n\033[31mon\nand on\033[0m off", 0);
    g_assert_cmpuint(page->lines->len, ==, 4);
    g_assert_cmpstr(line_of(page, 0)->text, ==, "- L1^16   + L1^7");
    g_assert_cmpuint(line_of(page, 0)->spans->len, ==, 2);
    check_span(line_of(page, 0), 0, 0, 7, DT_STYLE_NORMAL_ONLY);
    check_span(line_of(page, 0), 1, 10, 16, DT_STYLE_FAULTY_ONLY);
    g_assert_null(line_of(page, 1)->spans);
    check_span(line_of(page, 2), 0, 0, 2, DT_STYLE_FAULTY_ONLY);
    check_span(line_of(page, 3), 0, 0, 6, DT_STYLE_FAULTY_ONLY);
    g_assert_cmpuint(line_of(page, 3)->spans->len, ==, 1);
}

/* A terminal must not obey what a text holds. */
static void test_control_characters(void)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {{"a\tb", "a b"},
                 {"a\033[2Jb", "ab"},
                 {"a\033]0;x", "a]0;x"},
                 {"a\rb\ac", "abc"},
                 {"a\xffz", "a?z"},
                 {"a\xc2\x9b"
                  "31mb",
                  "a31mb"},
                 {"\033", ""},
                 {"\033[", ""},
                 {"\033[31", ""},
                 {"caf\xc3\xa9", "caf\xc3\xa9"}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(DtTuiPage) page = dt_tui_page_new();
        dt_tui_page_add(page, cases[i].text, DT_STYLE_PLAIN);
        g_assert_cmpuint(page->lines->len, ==, 1);
        g_assert_cmpstr(line_of(page, 0)->text, ==, cases[i].shown);
    }
}

static void test_wrapped(void)
{
    g_autoptr(DtTuiPage) page = dt_tui_page_new();
    dt_tui_page_add_wrapped(page, "one two three four", 9, DT_STYLE_HEAD);
    g_assert_cmpuint(page->lines->len, ==, 3);
    g_assert_cmpstr(line_of(page, 0)->text, ==, "one two");
    g_assert_cmpstr(line_of(page, 2)->text, ==, "four");
    check_span(line_of(page, 1), 0, 0, 5, DT_STYLE_HEAD);
}

static void check_found(const DtTuiPage *page, const char *text, guint from, gboolean backwards, gint expected)
{
    guint found = 0;
    g_assert_cmpint(dt_tui_page_search(page, text, from, backwards, &found) ? (gint)found : -1, ==, expected);
}

static void test_search(void)
{
    g_autoptr(DtTuiPage) page = dt_tui_page_new();
    dt_tui_page_add(page, "MPI_Recv is in the head\nMPI_Send\nmain\nmpi_SEND\nend", DT_STYLE_PLAIN);
    page->head = 1;
    check_found(page, "mpi_send", 0, FALSE, 0);
    check_found(page, "mpi_send", 1, FALSE, 2);
    check_found(page, "mpi_send", 3, FALSE, 0);
    check_found(page, "mpi_send", 1, TRUE, 0);
    check_found(page, "mpi_send", 3, TRUE, 2);
    check_found(page, "MPI_Recv", 0, FALSE, -1);
    check_found(page, "", 0, FALSE, -1);
    check_found(page, "main", 1000, TRUE, 1);
    g_autoptr(DtTuiPage) empty = dt_tui_page_new();
    check_found(empty, "x", 0, FALSE, -1);
}

static void test_labels(void)
{
    g_autoptr(DtTuiPage) page = dt_tui_page_new();
    guint row = 0;
    g_assert_false(dt_tui_page_find_label(page, "5.0", &row));
    g_assert_null(dt_tui_page_label(page, 0));
    page->labels = g_ptr_array_new();
    g_ptr_array_add(page->labels, (gpointer) "4.0");
    g_ptr_array_add(page->labels, (gpointer) "5.0");
    g_assert_true(dt_tui_page_find_label(page, "5.0", &row));
    g_assert_cmpuint(row, ==, 1);
    g_assert_false(dt_tui_page_find_label(page, NULL, &row));
    g_assert_cmpstr(dt_tui_page_label(page, 0), ==, "4.0");
    g_assert_null(dt_tui_page_label(page, 2));
    g_assert_cmpuint(dt_tui_page_rows(page), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tui/page/colours", test_colours);
    g_test_add_func("/tui/page/control-characters", test_control_characters);
    g_test_add_func("/tui/page/wrapped", test_wrapped);
    g_test_add_func("/tui/page/search", test_search);
    g_test_add_func("/tui/page/labels", test_labels);
    return g_test_run();
}
