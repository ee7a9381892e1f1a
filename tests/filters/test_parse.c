/* The notation: what it accepts, what it means, what it says of mistakes. */
#include <string.h>

#include "filters/filters.h"

/* ---- reading and writing -------------------------------------------------------------- */

static DtFilter *parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    DtFilter *filter = dt_filter_parse(text, &error);
    g_assert_no_error(error);
    return filter;
}

static void assert_notation(const char *text, const char *notation)
{
    g_autoptr(DtFilter) filter = parse(text);
    g_autofree char *written = dt_filter_notation(filter, 1000);
    g_assert_cmpstr(written, ==, notation);
    g_autoptr(DtFilter) again = parse(written);
    g_autofree char *rewritten = dt_filter_notation(again, 7);
    g_assert_cmpstr(rewritten, ==, notation);
}

static void test_notation(void)
{
    assert_notation("11.mpiall.0K10", "11.mpiall.0K10");
    assert_notation("11.mpiall", "11.mpiall.0K1000");
    assert_notation("01.mem.ompcrit.0K50", "01.mem.ompcrit.0K50");
    assert_notation("10.all", "10.all.0K1000");
    assert_notation("00.plt.0K1000000", "00.plt.0K1000000");
    assert_notation("mpicol", "11.mpicol.0K1000");
    assert_notation("mpicol,mem", "11.mpicol.mem.0K1000");
    assert_notation("mpicol.mem.0K3", "11.mpicol.mem.0K3");
    assert_notation("mpi,omp", "11.mpiall.ompall.0K1000");
    assert_notation(" mem,mem,str ", "11.mem.str.0K1000");
}

static void test_expressions(void)
{
    assert_notation("cust:^foo", "11.cust:^foo.0K1000");
    assert_notation("11.mem.cust:^foo.0K10", "11.mem.cust:^foo.0K10");
    assert_notation("11.cust:^a.*b$.0K10", "11.cust:^a.*b$.0K10");
    assert_notation("cust:a.*,b{1,2}", "11.cust:a.*,b{1,2}.0K1000");
    assert_notation("11.cust:^a.b.cust:^c.d.0K10", "11.cust:^a.b.cust:^c.d.0K10");
    assert_notation("mem,cust:^foo", "11.mem.cust:^foo.0K1000");
    assert_notation("cust:a(?:.)mem", "11.cust:a(?:.)mem.0K1000");
    assert_notation("cust:x\\.mem.0K5", "11.cust:x\\.mem.0K5");
    assert_notation("cust:x[.]mem", "11.cust:x[.]mem.0K1000");
    assert_notation("cust:memory.memo", "11.cust:memory.memo.0K1000");
    assert_notation("cust:a,cust:a,cust:b", "11.cust:a.cust:b.0K1000");
    assert_notation("cust:std::vector<.*>", "11.cust:std::vector<.*>.0K1000");
    assert_notation("caller:^solve", "11.caller:^solve.0K1000");
    assert_notation("mpiall,under:a.b,caller:c.0K7", "11.mpiall.under:a.b.caller:c.0K7");
    assert_notation("under:a,caller:a,under:a", "11.under:a.caller:a.0K1000");
    assert_notation("cust:a.0K10.b", "11.cust:a.0K10.b.0K1000");
}

static void test_k_and_returns(void)
{
    g_autoptr(DtFilter) named = parse("01.mem.0K25");
    g_assert_cmpuint(dt_filter_k(named, 1000), ==, 25);
    g_assert_false(dt_filter_drops_returns(named));
    g_autoptr(DtFilter) silent = parse("mem");
    g_assert_cmpuint(dt_filter_k(silent, 1000), ==, 1000);
    g_assert_true(dt_filter_drops_returns(silent));
}

/* Up to `most` different ones of `parts`. */
static guint append_parts(GString *text, GRand *random, const char *const *parts, guint count, gint32 most)
{
    g_autoptr(GHashTable) used = g_hash_table_new(g_str_hash, g_str_equal);
    for (gint32 left = g_rand_int_range(random, 0, most + 1); left > 0; left--) {
        const char *part = parts[g_rand_int_range(random, 0, (gint32)count)];
        if (g_hash_table_add(used, (gpointer)part))
            g_string_append_printf(text, ".%s", part);
    }
    return g_hash_table_size(used);
}

/* Random lists of parts, written and read back. */
static void test_round_trips(void)
{
    static const char *const categories[] = {"mpiall", "mpicol", "mpisr", "mpiint", "ompall", "ompcrit", "ompmutex",
                                             "mem",    "net",    "poll",  "str",    "plt",    "all"};
    static const char *const expressions[] = {"cust:^a.b", "cust:x\\.mem", "cust:[.,]", "cust:a{1,3}$",
                                              "cust:\\\\", "cust:(?:0K1)", "cust:.0K",  "cust::"};
    const guint seed = 20240611;
    g_test_message("seed %u", seed);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    for (guint round = 0; round < 2000; round++) {
        GString *text = g_string_new(NULL);
        g_string_append_printf(text, "%d%d", g_rand_int_range(random, 0, 2), g_rand_int_range(random, 0, 2));
        guint count = append_parts(text, random, categories, G_N_ELEMENTS(categories), 5);
        count += append_parts(text, random, expressions, G_N_ELEMENTS(expressions), 3);
        if (count == 0)
            g_string_append(text, ".all");
        g_string_append_printf(text, ".0K%d", g_rand_int_range(random, 1, 1000001));
        g_autofree char *expected = g_string_free(text, FALSE);
        assert_notation(expected, expected);
    }
}

/* ---- mistakes ------------------------------------------------------------------------------ */

/* The message starts with "filter 'TEXT': " and holds `says`. */
static void assert_mistake(const char *text, gint code, const char *says)
{
    g_autoptr(GError) error = NULL;
    DtFilter *filter = dt_filter_parse(text, &error);
    g_assert_null(filter);
    g_assert_error(error, DT_FILTER_ERROR, code);
    g_autofree char *prefix = g_strdup_printf("filter '%s': ", text);
    if (!g_str_has_prefix(error->message, prefix) || !strstr(error->message, says))
        g_error("\"%s\" does not say \"%s%s\"", error->message, prefix, says);
}

static void test_unknown(void)
{
    assert_mistake("11.mpcol.0K10", DT_FILTER_ERROR_UNKNOWN, "unknown category 'mpcol': did you mean 'mpicol'?");
    assert_mistake("mpi_all", DT_FILTER_ERROR_UNKNOWN, "did you mean 'mpiall' or 'cust:mpi_all'?");
    assert_mistake("PMPI_Neighbor_alltoall", DT_FILTER_ERROR_UNKNOWN, "did you mean 'cust:PMPI_Neighbor_alltoall'?");
    assert_mistake("mpiAll", DT_FILTER_ERROR_UNKNOWN, "did you mean 'mpiall'?");
    assert_mistake("bogus", DT_FILTER_ERROR_UNKNOWN, "unknown category 'bogus': (categories:");
    assert_mistake("mem,strings", DT_FILTER_ERROR_UNKNOWN, "unknown category 'strings': did you mean 'str'?");
    assert_mistake("openmpcritical", DT_FILTER_ERROR_UNKNOWN, "ompcrit");
    assert_mistake("zzz", DT_FILTER_ERROR_UNKNOWN, "(categories: mpiall mpicol ");
    assert_mistake("returns", DT_FILTER_ERROR_UNKNOWN, "unknown category 'returns'");
    assert_mistake("11.1K10", DT_FILTER_ERROR_UNKNOWN, "unknown category '1K10'");
}

static void test_syntax(void)
{
    assert_mistake("", DT_FILTER_ERROR_SYNTAX, "names no category");
    assert_mistake("11", DT_FILTER_ERROR_SYNTAX, "names no category");
    assert_mistake("11.", DT_FILTER_ERROR_SYNTAX, "names no category");
    assert_mistake("11.0K10", DT_FILTER_ERROR_SYNTAX, "names no category");
    assert_mistake("0K10", DT_FILTER_ERROR_SYNTAX, "names no category");
    assert_mistake("11.mem..0K10", DT_FILTER_ERROR_SYNTAX, "a category is missing");
    assert_mistake("mem,,str", DT_FILTER_ERROR_SYNTAX, "a category is missing");
    assert_mistake("mem,", DT_FILTER_ERROR_SYNTAX, "a category is missing");
    assert_mistake("12.mem", DT_FILTER_ERROR_SYNTAX, "'12' must be two digits 0 or 1");
    assert_mistake("1.mem", DT_FILTER_ERROR_SYNTAX, "'1' must be two digits 0 or 1");
    assert_mistake("111.mem", DT_FILTER_ERROR_SYNTAX, "'111' must be two digits 0 or 1");
    assert_mistake("11.mem.0K0", DT_FILTER_ERROR_SYNTAX, "K must be a number from 1 to 1000000, not 0");
    assert_mistake("11.mem.0K1000001", DT_FILTER_ERROR_SYNTAX, "not 1000001");
    assert_mistake("11.mem.0K99999999999999999999", DT_FILTER_ERROR_SYNTAX, "not 99999999999999999999");
    assert_mistake("11.mem.ompcrit.cust.0K10", DT_FILTER_ERROR_SYNTAX, "write cust:REGEX");
    assert_mistake("cust", DT_FILTER_ERROR_SYNTAX, "write cust:REGEX");
    assert_mistake("cust:", DT_FILTER_ERROR_SYNTAX, "needs a regular expression");
    assert_mistake("11.cust:.0K10", DT_FILTER_ERROR_SYNTAX, "needs a regular expression");
    assert_mistake("cust:,cust:a", DT_FILTER_ERROR_SYNTAX, "needs a regular expression");
    assert_mistake("cust:^foo,mem", DT_FILTER_ERROR_SYNTAX,
                   "'mem' follows a cust: expression: write categories before");
    assert_mistake("11.cust:^foo.all.0K10", DT_FILTER_ERROR_SYNTAX, "\\.all for the character itself");
    assert_mistake("cust:a.str,b", DT_FILTER_ERROR_SYNTAX, "'str' follows");
    assert_mistake("11.cust:a.cust.0K10", DT_FILTER_ERROR_SYNTAX, "'cust' follows");
}

static void test_bad_expressions(void)
{
    assert_mistake("cust:foo(", DT_FILTER_ERROR_REGEX,
                   "bad regular expression: missing closing parenthesis at offset 4\n  foo(\n      ^");
    assert_mistake("11.mem.cust:a[b.0K10", DT_FILTER_ERROR_REGEX, "\n  a[b\n     ^");
    assert_mistake("cust:a**+*", DT_FILTER_ERROR_REGEX, "\n  a**+*\n  ");
    /* The caret counts characters, not bytes. */
    assert_mistake("cust:\303\244\303\266)", DT_FILTER_ERROR_REGEX, "\n  \303\244\303\266)\n    ^");
    assert_mistake("cust:a\\Cb", DT_FILTER_ERROR_REGEX, "\\C");
}

/* ---- which functions ----------------------------------------------------------------------- */

typedef struct {
    const char *symbol;
    guint flags;
} Named;

static const Named FUNCTIONS[] = {
    {"main", 0},
    {"MPI_Send", DT_FUNCTION_API},
    {"malloc", DT_FUNCTION_IMPORT},
    {"CPU_Exec", 0},
    {"puts", DT_FUNCTION_IMPORT},
    {"strlen", 0},
    {"CPU_Init", 0},
    {".plt", 0},
    {"GOMP_critical_start", DT_FUNCTION_API},
};

/* The names kept, in the order of FUNCTIONS. */
static void assert_keeps(const char *text, const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    guint32 ids[G_N_ELEMENTS(FUNCTIONS)];
    for (guint i = 0; i < G_N_ELEMENTS(FUNCTIONS); i++)
        ids[i] = dt_functions_intern(functions, "app", TRUE, FUNCTIONS[i].symbol, 0, FUNCTIONS[i].flags);
    g_autoptr(DtFilter) filter = parse(text);
    g_autoptr(DtFilterSet) set = dt_filter_compile(filter, functions, &error);
    g_assert_no_error(error);
    GString *kept = g_string_new(NULL);
    guint count = 0;
    for (guint i = 0; i < G_N_ELEMENTS(FUNCTIONS); i++)
        if (dt_filter_set_keeps(set, ids[i])) {
            g_string_append_printf(kept, "%s%s", count > 0 ? " " : "", dt_functions_get(functions, ids[i])->name);
            count++;
        }
    g_autofree char *actual = g_string_free(kept, FALSE);
    g_assert_cmpstr(actual, ==, expected);
    g_assert_cmpuint(dt_filter_set_count(set), ==, count);
    g_assert_false(dt_filter_set_keeps(set, 0));
    g_assert_false(dt_filter_set_keeps(set, dt_functions_count(functions) + 1));
    g_assert_false(dt_filter_set_keeps(set, G_MAXUINT32));
}

static void test_kept_functions(void)
{
    assert_keeps("mpiall", "MPI_Send");
    assert_keeps("mem", "malloc@plt");
    assert_keeps("plt", "malloc@plt puts@plt");
    assert_keeps("mem,plt,str", "malloc@plt puts@plt strlen");
    assert_keeps("11.mem.ompcrit.cust:^CPU_Exec$.0K10", "malloc@plt CPU_Exec GOMP_critical_start");
    assert_keeps("cust:^CPU_.cust:^main$", "main CPU_Exec CPU_Init");
    assert_keeps("cust:^puts$", "puts@plt");
    assert_keeps("cust:s@plt$", "puts@plt");
    assert_keeps("cust:(?i)cpu_i", "CPU_Init");
    assert_keeps("cust:nothing", "");
    assert_keeps("11.all", "main MPI_Send malloc@plt CPU_Exec puts@plt strlen CPU_Init GOMP_critical_start");
    assert_keeps("10.all", "main MPI_Send malloc@plt CPU_Exec puts@plt strlen CPU_Init .plt GOMP_critical_start");
    assert_keeps("10.cust:^\\.plt", ".plt");
    assert_keeps("11.cust:^\\.plt", "");
}

static void test_functions_of_mpi_images(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    guint32 inner = dt_functions_intern(functions, "libmpi.so.40", FALSE, "component_open", 0, 0);
    guint32 plugin = dt_functions_intern(functions, "mca_btl_vader.so", FALSE, "poll_fifo", 0, 0);
    guint32 call = dt_functions_intern(functions, "libmpi.so.40", FALSE, "MPI_Recv", 0, DT_FUNCTION_API);
    guint32 other = dt_functions_intern(functions, "libm.so.6", FALSE, "component_open", 0, 0);
    g_autoptr(DtFilter) filter = parse("mpiint");
    g_autoptr(DtFilterSet) set = dt_filter_compile(filter, functions, &error);
    g_assert_no_error(error);
    g_assert_true(dt_filter_set_keeps(set, inner));
    g_assert_true(dt_filter_set_keeps(set, plugin));
    g_assert_false(dt_filter_set_keeps(set, call));
    g_assert_false(dt_filter_set_keeps(set, other));
}

static void test_many_functions(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    for (guint i = 0; i < 1000; i++) {
        g_autofree char *name = g_strdup_printf("function_%u", i);
        dt_functions_intern(functions, "app", TRUE, name, 0, 0);
    }
    g_autoptr(DtFilter) filter = parse("cust:_[0-9]*7$");
    g_autoptr(DtFilterSet) set = dt_filter_compile(filter, functions, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_filter_set_count(set), ==, 100);
    for (guint32 id = 1; id <= 1000; id++)
        g_assert_cmpint(dt_filter_set_keeps(set, id), ==, g_str_has_suffix(dt_functions_get(functions, id)->name, "7"));
}

static void test_runaway_expression(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    dt_functions_intern(functions, "app", TRUE, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 0, 0);
    g_autoptr(DtFilter) filter = parse("cust:^(a+)+(a+)+(a+)+$");
    DtFilterSet *set = dt_filter_compile(filter, functions, &error);
    g_assert_null(set);
    g_assert_error(error, DT_FILTER_ERROR, DT_FILTER_ERROR_REGEX);
    g_assert_nonnull(strstr(error->message, "match limit"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/filters/parse/notation", test_notation);
    g_test_add_func("/filters/parse/expressions", test_expressions);
    g_test_add_func("/filters/parse/k-and-returns", test_k_and_returns);
    g_test_add_func("/filters/parse/round-trips", test_round_trips);
    g_test_add_func("/filters/parse/unknown", test_unknown);
    g_test_add_func("/filters/parse/syntax", test_syntax);
    g_test_add_func("/filters/parse/bad-expressions", test_bad_expressions);
    g_test_add_func("/filters/set/kept-functions", test_kept_functions);
    g_test_add_func("/filters/set/mpi-images", test_functions_of_mpi_images);
    g_test_add_func("/filters/set/many-functions", test_many_functions);
    g_test_add_func("/filters/set/runaway-expression", test_runaway_expression);
    return g_test_run();
}
