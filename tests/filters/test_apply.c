/* Filters applied to traces: what comes through, and what is open at the end. */
#include "filters/filters.h"
#include "support/test_run.h"

typedef struct {
    char *directory, *path;
    DtFunctions *functions;
    DtRun *run;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    (void)data;
    fixture->directory = dt_temporary_directory();
    fixture->path = g_build_filename(fixture->directory, "run", NULL);
    fixture->functions = dt_functions_new();
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_run_free(fixture->run);
    dt_functions_unref(fixture->functions);
    dt_remove_tree(fixture->directory);
    g_free(fixture->directory);
    g_free(fixture->path);
}

static void write_and_open(Fixture *fixture, const char *events)
{
    g_autoptr(GError) error = NULL;
    dt_test_run_single(fixture->path, events);
    fixture->run = dt_run_open(fixture->path, fixture->functions, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_run_trace_count(fixture->run), ==, 1);
}

typedef struct {
    const DtFunctions *functions;
    GString *text;
    guint64 count;
} Listing;

static void list_symbols(const guint32 *symbols, gsize count, gpointer user_data)
{
    Listing *listing = user_data;
    g_assert_cmpuint(count, >, 0);
    listing->count += count;
    for (gsize i = 0; i < count; i++)
        g_string_append_printf(listing->text, "%s%s%s", listing->text->len > 0 ? " " : "",
                               (symbols[i] & DT_SYMBOL_RETURN) != 0 ? "<" : "",
                               dt_functions_get(listing->functions, symbols[i] & ~DT_SYMBOL_RETURN)->name);
}

/* Items separated by blanks, then " | " and the open calls if `with_open`. */
static char *apply(const Fixture *fixture, const char *text, gboolean with_open)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFilter) filter = dt_filter_parse(text, &error);
    g_assert_no_error(error);
    g_autoptr(DtFilterSet) set = dt_filter_compile(filter, fixture->functions, &error);
    g_assert_no_error(error);
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree char *problem = NULL;
    Listing listing = {fixture->functions, g_string_new(NULL), 0};
    g_assert_true(dt_filter_run(set, fixture->run, dt_run_trace(fixture->run, 0), list_symbols, &listing,
                                with_open ? open : NULL, &problem, &error));
    g_assert_no_error(error);
    g_assert_null(problem);
    if (with_open)
        g_string_append(listing.text, " |");
    for (guint i = 0; i < open->len; i++)
        g_string_append_printf(listing.text, " %s",
                               dt_functions_get(fixture->functions, g_array_index(open, guint32, i))->name);
    return g_string_free(listing.text, FALSE);
}

static void assert_applied(const Fixture *fixture, const char *filter, const char *items, const char *open)
{
    g_autofree char *alone = apply(fixture, filter, FALSE);
    g_assert_cmpstr(alone, ==, items);
    g_autofree char *with_open = apply(fixture, filter, TRUE);
    g_autofree char *expected = g_strdup_printf("%s |%s%s", items, *open != '\0' ? " " : "", open);
    g_assert_cmpstr(with_open, ==, expected);
}

static void test_finished(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_and_open(fixture, "main MPI_Init < solve MPI_Send < MPI_Bcast < < MPI_Finalize < <");
    assert_applied(fixture, "mpiall", "MPI_Init MPI_Send MPI_Bcast MPI_Finalize", "");
    assert_applied(fixture, "mpisr,mpicol", "MPI_Send MPI_Bcast", "");
    assert_applied(fixture, "all", "main MPI_Init solve MPI_Send MPI_Bcast MPI_Finalize", "");
    assert_applied(fixture, "cust:solve", "solve", "");
    assert_applied(fixture, "mem", "", "");
}

static void test_returns(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_and_open(fixture, "main solve MPI_Send < solve MPI_Recv < < < <");
    assert_applied(fixture, "01.all", "main solve MPI_Send <MPI_Send solve MPI_Recv <MPI_Recv <solve <solve <main", "");
    assert_applied(fixture, "01.mpiall", "MPI_Send <MPI_Send MPI_Recv <MPI_Recv", "");
    assert_applied(fixture, "01.cust:solve", "solve solve <solve <solve", "");
}

static void test_scopes(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_and_open(fixture,
                   "main MPI_Init < solve MPI_Send memcpy < < help MPI_Recv < < < MPI_Send < solve solve memcpy");
    assert_applied(fixture, "caller:^solve", "MPI_Send help solve memcpy", "solve memcpy");
    assert_applied(fixture, "under:^solve", "MPI_Send memcpy help MPI_Recv solve memcpy", "solve memcpy");
    assert_applied(fixture, "mpiall.under:^solve", "MPI_Send MPI_Recv", "");
    assert_applied(fixture, "mpiall.caller:^main,caller:help", "MPI_Init MPI_Recv MPI_Send", "");
    assert_applied(fixture, "01.mem.under:Send", "memcpy <memcpy", "");
    assert_applied(fixture, "under:other", "", "");
}

/* By definition: the whole stack is looked at for every call. */
static void test_scopes_by_definition(Fixture *fixture, gconstpointer data)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    (void)data;
    g_autoptr(GString) events = g_string_new(NULL), expected = g_string_new(NULL);
    g_autoptr(GPtrArray) stack = g_ptr_array_new();
    for (guint i = 0; i < 3000; i++) {
        if (stack->len > 0 && g_test_rand_int_range(0, 100) < 50) {
            g_string_append(events, "< ");
            g_ptr_array_set_size(stack, (gint)stack->len - 1);
            continue;
        }
        const char *name = names[g_test_rand_int_range(0, G_N_ELEMENTS(names))];
        gboolean kept = stack->len > 0 && g_str_equal(stack->pdata[stack->len - 1], "b");
        kept = kept || g_ptr_array_find_with_equal_func(stack, "a", g_str_equal, NULL);
        if (kept && !g_str_equal(name, "d"))
            g_string_append_printf(expected, "%s%s", expected->len > 0 ? " " : "", name);
        g_string_append_printf(events, "%s ", name);
        g_ptr_array_add(stack, (gpointer)name);
    }
    for (; stack->len > 0; g_ptr_array_set_size(stack, (gint)stack->len - 1))
        g_string_append(events, "< ");
    write_and_open(fixture, events->str);
    assert_applied(fixture, "cust:[abc].under:a.caller:b", expected->str, "");
}

static void test_open(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_and_open(fixture, "main sort MPI_Send < sort MPI_Recv");
    assert_applied(fixture, "mpiall", "MPI_Send MPI_Recv", "MPI_Recv");
    assert_applied(fixture, "all", "main sort MPI_Send sort MPI_Recv", "main sort sort MPI_Recv");
    assert_applied(fixture, "cust:sort", "sort sort", "sort sort");
    assert_applied(fixture, "01.mpiall", "MPI_Send <MPI_Send MPI_Recv", "MPI_Recv");
    assert_applied(fixture, "cust:other", "", "");
}

static void test_imports(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_and_open(fixture, "main puts@plt < malloc@plt < malloc < strlen@plt < <");
    assert_applied(fixture, "plt", "puts@plt malloc@plt strlen@plt", "");
    assert_applied(fixture, "mem", "malloc@plt malloc", "");
    assert_applied(fixture, "mem,plt", "puts@plt malloc@plt malloc strlen@plt", "");
    assert_applied(fixture, "01.str", "strlen@plt <strlen@plt", "");
}

/* Returns of calls made before the recording began. */
static void test_unmatched_returns(Fixture *fixture, gconstpointer data)
{
    (void)data;
    write_and_open(fixture, "< < solve < < solve");
    assert_applied(fixture, "01.all", "solve <solve solve", "solve");
}

/* More events than any buffer holds, every third call kept. */
static void test_long(Fixture *fixture, gconstpointer data)
{
    (void)data;
    enum { CALLS = 50000 };
    GString *events = g_string_new("main");
    for (guint i = 0; i < CALLS; i++)
        g_string_append_printf(events, " f%u <", i % 3);
    write_and_open(fixture, events->str);
    g_string_free(events, TRUE);
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFilter) filter = dt_filter_parse("01.cust:f1", &error);
    g_autoptr(DtFilterSet) set = dt_filter_compile(filter, fixture->functions, &error);
    g_assert_no_error(error);
    Listing listing = {fixture->functions, g_string_new(NULL), 0};
    dt_filter_run(set, fixture->run, dt_run_trace(fixture->run, 0), list_symbols, &listing, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(listing.count, ==, 2 * ((CALLS + 1) / 3));
    GString *expected = g_string_new("f1 <f1");
    for (guint i = 1; i < (CALLS + 1) / 3; i++)
        g_string_append(expected, " f1 <f1");
    g_assert_cmpstr(listing.text->str, ==, expected->str);
    g_string_free(expected, TRUE);
    g_string_free(listing.text, TRUE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/filters/apply/finished", Fixture, NULL, set_up, test_finished, tear_down);
    g_test_add("/filters/apply/returns", Fixture, NULL, set_up, test_returns, tear_down);
    g_test_add("/filters/apply/scopes", Fixture, NULL, set_up, test_scopes, tear_down);
    g_test_add("/filters/apply/scopes-by-definition", Fixture, NULL, set_up, test_scopes_by_definition, tear_down);
    g_test_add("/filters/apply/open", Fixture, NULL, set_up, test_open, tear_down);
    g_test_add("/filters/apply/imports", Fixture, NULL, set_up, test_imports, tear_down);
    g_test_add("/filters/apply/unmatched-returns", Fixture, NULL, set_up, test_unmatched_returns, tear_down);
    g_test_add("/filters/apply/long", Fixture, NULL, set_up, test_long, tear_down);
    return g_test_run();
}
