/* Names of elements, and the literature's example as it reads: odd/even sort. */
#include <string.h>

#include "nlr/nlr.h"

static guint32 function_id(DtFunctions *functions, const char *name)
{
    return dt_functions_intern(functions, "app", TRUE, name, 0, 0);
}

/* Words are functions, "<" before one is its return. */
static void push_words(DtNlrFolder *folder, DtFunctions *functions, const char *words)
{
    g_auto(GStrv) split = g_strsplit(words, " ", -1);
    for (char **word = split; *word; word++) {
        gboolean returns = (*word)[0] == '<';
        guint32 symbol = function_id(functions, *word + (returns ? 1 : 0)) | (returns ? DT_SYMBOL_RETURN : 0);
        dt_nlr_folder_push(folder, &symbol, 1);
    }
}

static char *repeated(const char *words, guint times)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < times; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", words);
    return g_string_free(text, FALSE);
}

typedef struct {
    DtFunctions *functions;
    DtLoopTable *table;
    DtNlrFolder *folder;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->functions = dt_functions_new();
    fixture->table = dt_loop_table_new();
    fixture->folder = dt_nlr_folder_new(10, 2);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_functions_unref(fixture->functions);
    dt_loop_table_free(fixture->table);
    dt_nlr_folder_free(fixture->folder);
}

static void assert_folds(Fixture *fixture, const char *words, const char *expected)
{
    push_words(fixture->folder, fixture->functions, words);
    g_autoptr(DtNlr) nlr = dt_nlr_folder_finish(fixture->folder, fixture->table);
    g_autofree char *text = dt_elements_text(dt_nlr_elements(nlr), fixture->functions);
    g_assert_cmpstr(text, ==, expected);
}

static void assert_body(Fixture *fixture, guint32 body, const char *expected)
{
    g_autofree char *text = dt_elements_text(dt_loop_table_body(fixture->table, body), fixture->functions);
    g_assert_cmpstr(text, ==, expected);
}

static void test_odd_even(Fixture *fixture, gconstpointer data)
{
    (void)data;
    static const struct {
        const char *body;
        guint times;
        const char *nlr;
    } ranks[] = {
        {"MPI_Send MPI_Recv", 2, "MPI_Init MPI_Comm_rank MPI_Comm_size L0^2 MPI_Finalize"},
        {"MPI_Recv MPI_Send", 4, "MPI_Init MPI_Comm_rank MPI_Comm_size L1^4 MPI_Finalize"},
        {"MPI_Send MPI_Recv", 4, "MPI_Init MPI_Comm_rank MPI_Comm_size L0^4 MPI_Finalize"},
        {"MPI_Recv MPI_Send", 2, "MPI_Init MPI_Comm_rank MPI_Comm_size L1^2 MPI_Finalize"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(ranks); i++) {
        g_autofree char *loop = repeated(ranks[i].body, ranks[i].times);
        g_autofree char *words = g_strdup_printf("MPI_Init MPI_Comm_rank MPI_Comm_size %s MPI_Finalize", loop);
        assert_folds(fixture, words, ranks[i].nlr);
    }
    g_assert_cmpuint(dt_loop_table_count(fixture->table), ==, 2);
    assert_body(fixture, 0, "MPI_Send MPI_Recv");
    assert_body(fixture, 1, "MPI_Recv MPI_Send");
}

/* Rank 5 of 16: the order changes after the 7th iteration. */
static void test_swap_bug(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *even = repeated("MPI_Send MPI_Recv", 16);
    g_autofree char *odd = repeated("MPI_Recv MPI_Send", 16);
    g_autofree char *before = repeated("MPI_Recv MPI_Send", 7);
    g_autofree char *after = repeated("MPI_Send MPI_Recv", 9);
    g_autofree char *swapped = g_strdup_printf("%s %s", before, after);
    assert_folds(fixture, even, "L0^16");
    assert_folds(fixture, odd, "L1^16");
    assert_folds(fixture, swapped, "L1^7 L0^9");
}

static void test_nested(Fixture *fixture, gconstpointer data)
{
    (void)data;
    g_autofree char *words = repeated("a b b b c", 6);
    assert_folds(fixture, words, "L1^6");
    assert_body(fixture, 0, "b");
    assert_body(fixture, 1, "a L0^3 c");
    g_assert_cmpuint(dt_loop_table_body_symbols(fixture->table, 1), ==, 5);
}

static void test_returns(Fixture *fixture, gconstpointer data)
{
    (void)data;
    assert_folds(fixture, "main f <f f <f <main", "main L0^2 <main");
    assert_body(fixture, 0, "f <f");
}

static void assert_element(Fixture *fixture, DtElement element, const char *name, const char *text)
{
    g_autofree char *actual_name = dt_element_name(element, fixture->functions);
    g_autofree char *actual_text = dt_element_text(element, fixture->functions);
    g_assert_cmpstr(actual_name, ==, name);
    g_assert_cmpstr(actual_text, ==, text);
}

static void test_elements(Fixture *fixture, gconstpointer data)
{
    (void)data;
    guint32 id = function_id(fixture->functions, "solve");
    assert_element(fixture, id, "solve", "solve");
    assert_element(fixture, id | DT_SYMBOL_RETURN, "<solve", "<solve");
    assert_element(fixture, dt_element_loop(3, 16), "L3", "L3^16");
    assert_element(fixture, dt_element_loop(0x7ffffffeu, G_MAXUINT32), "L2147483646", "L2147483646^4294967295");
    assert_element(fixture, id + 1, "?2", "?2");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/nlr/names/odd-even", Fixture, NULL, set_up, test_odd_even, tear_down);
    g_test_add("/nlr/names/swap-bug", Fixture, NULL, set_up, test_swap_bug, tear_down);
    g_test_add("/nlr/names/nested", Fixture, NULL, set_up, test_nested, tear_down);
    g_test_add("/nlr/names/returns", Fixture, NULL, set_up, test_returns, tear_down);
    g_test_add("/nlr/names/elements", Fixture, NULL, set_up, test_elements, tear_down);
    return g_test_run();
}
