/* The first screen of the page: where two sequences part, call by call, and findings of checks as markup. */
#include <string.h>

#include "report/front/cards.h"
#include "report/front/markup.h"

/* Two traces of one loop table, a letter a call. */
typedef struct {
    DtFunctions *functions;
    DtLoopTable *table;
    DtFoldedTrace normal, faulty;
    DtDiffNlr *diff;
    DtDiffNlrReport report;
} Pair;

static guint32 function_of(DtFunctions *functions, char letter)
{
    char name[] = {letter, '\0'};
    return dt_functions_intern(functions, "app", TRUE, name, 0, 0);
}

static DtFoldedTrace fold_symbols(Pair *pair, const guint32 *symbols, gsize count)
{
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(DT_NLR_DEFAULT_K, 2);
    dt_nlr_folder_push(folder, symbols, count);
    return (DtFoldedTrace){.nlr = dt_nlr_folder_finish(folder, pair->table),
                           .open = g_array_new(FALSE, FALSE, sizeof(guint32))};
}

static DtFoldedTrace fold(Pair *pair, const char *calls)
{
    g_autofree guint32 *symbols = g_new(guint32, strlen(calls) + 1);
    for (gsize i = 0; calls[i] != '\0'; i++)
        symbols[i] = function_of(pair->functions, calls[i]);
    return fold_symbols(pair, symbols, strlen(calls));
}

static Pair *pair_new(const char *normal, const char *faulty)
{
    Pair *pair = g_new0(Pair, 1);
    pair->functions = dt_functions_new();
    pair->table = dt_loop_table_new();
    pair->normal = fold(pair, normal);
    pair->faulty = fold(pair, faulty);
    pair->diff = dt_diffnlr_new(&pair->normal, &pair->faulty);
    pair->report =
        (DtDiffNlrReport){.trace = "0.0", .functions = pair->functions, .table = pair->table, .diff = pair->diff};
    return pair;
}

static void pair_clear(Pair *pair)
{
    dt_diffnlr_free(pair->diff);
    dt_nlr_free(pair->normal.nlr);
    dt_nlr_free(pair->faulty.nlr);
    g_array_unref(pair->normal.open);
    g_array_unref(pair->faulty.open);
}

/* Other traces of it, by symbols. */
static void pair_fold_again(Pair *pair, const guint32 *normal, const guint32 *faulty, gsize count)
{
    pair_clear(pair);
    pair->normal = fold_symbols(pair, normal, count);
    pair->faulty = fold_symbols(pair, faulty, count);
    pair->diff = dt_diffnlr_new(&pair->normal, &pair->faulty);
    pair->report.diff = pair->diff;
}

static void pair_free(Pair *pair)
{
    pair_clear(pair);
    dt_loop_table_free(pair->table);
    dt_functions_unref(pair->functions);
    g_free(pair);
}

static void assert_calls(const Pair *pair, const guint32 *calls, guint count, const char *expected)
{
    g_assert_cmpuint(count, ==, strlen(expected));
    for (guint i = 0; i < count; i++)
        g_assert_cmpint(dt_functions_get(pair->functions, calls[i])->name[0], ==, expected[i]);
}

/* By the letters themselves: the first that is another one, and how many are left. */
static void assert_parts(const char *normal, const char *faulty, guint done, const char *before,
                         const char *after_normal, const char *after_faulty)
{
    Pair *pair = pair_new(normal, faulty);
    DtParting parting;
    g_assert_true(dt_parting_find(&pair->report, NULL, &parting));
    g_assert_true(parting.first);
    g_assert_cmpuint(parting.done, ==, done);
    assert_calls(pair, parting.before, parting.before_count, before);
    assert_calls(pair, parting.normal.after, parting.normal.count, after_normal);
    assert_calls(pair, parting.faulty.after, parting.faulty.count, after_faulty);
    g_assert_cmpuint(done + parting.normal.count + parting.normal.left_out + parting.normal.last_count, ==,
                     strlen(normal));
    g_assert_cmpuint(done + parting.faulty.count + parting.faulty.left_out + parting.faulty.last_count, ==,
                     strlen(faulty));
    pair_free(pair);
}

static void test_parting(void)
{
    assert_parts("xabz", "xacz", 2, "xa", "bz", "cz");
    assert_parts("xab", "xa", 2, "xa", "b", "");
    assert_parts("xababababz", "xababaqz", 6, "ababa", "babz", "qz");
    assert_parts("xababababababababababababz", "xababz", 5, "xabab", "ababa", "z");
    assert_parts("abcdefghabcdefghabcdefgh", "abcdefghabcdxfgh", 12, "habcd", "efgha", "xfgh");
}

static void test_equal(void)
{
    Pair *pair = pair_new("xababz", "xababz");
    DtParting parting;
    g_assert_false(dt_parting_find(&pair->report, NULL, &parting));
    pair_free(pair);
}

/* Of a crash it is the last one, whatever was otherwise before. */
static void test_reason_of_a_crash(void)
{
    Pair *pair = pair_new("apbcdefgh", "arbcde");
    DtParting parting;
    g_assert_true(dt_parting_find(&pair->report, "died of signal 11 (Segmentation fault) in e; late", &parting));
    g_assert_false(parting.first);
    g_assert_cmpuint(parting.done, ==, 6);
    assert_calls(pair, parting.normal.after, parting.normal.count, "fgh");
    pair_free(pair);
}

/* A call with other arguments, which names alone do not tell from another one: before the end, which they do. */
static void test_reason_of_arguments(void)
{
    Pair *pair = pair_new("", "");
    DtSignature tagged = {.function = function_of(pair->functions, 's'),
                          .argument_count = 1,
                          .arguments = {{.kind = DT_ARGUMENT_TAG, .value = 98}}};
    const guint32 wrong = dt_functions_intern_signature(pair->functions, &tagged);
    tagged.arguments[0].value = 99;
    const guint32 right = dt_functions_intern_signature(pair->functions, &tagged);
    const guint32 a = function_of(pair->functions, 'a'), b = function_of(pair->functions, 'b');
    pair_fold_again(pair, (const guint32[]){a, right, b, a}, (const guint32[]){a, wrong, b, b}, 4);
    DtParting parting;
    g_assert_true(dt_parting_find(&pair->report, "main calls s (a.c:1) with tag 98, normally tag 99; late", &parting));
    g_assert_cmpuint(parting.done, ==, 1);
    g_assert_cmpuint(parting.faulty.after[0], ==, wrong);
    g_assert_cmpuint(parting.normal.after[0], ==, right);
    g_assert_true(dt_parting_find(&pair->report, NULL, &parting));
    g_assert_cmpuint(parting.done, ==, 3);
    pair_free(pair);
}

/* Of two differences that which the reason tells of. */
static void test_reason(void)
{
    Pair *pair = pair_new("apbcdefghq", "arbcdefghs");
    DtParting parting;
    g_assert_true(dt_parting_find(&pair->report, "main calls s (a.c:1) where q comes normally; late", &parting));
    g_assert_false(parting.first);
    g_assert_cmpuint(parting.done, ==, 9);
    assert_calls(pair, parting.faulty.after, parting.faulty.count, "s");
    g_assert_true(dt_parting_find(&pair->report, "main calls nothing (a.c:1)", &parting));
    g_assert_true(parting.first);
    g_assert_cmpuint(parting.done, ==, 1);
    pair_free(pair);
}

/* ---- markup --------------------------------------------------------------------------- */

static void test_markup(void)
{
    g_autoptr(GString) out = g_string_new(NULL);
    dt_markup_add(out, "<p>%s %u %h</p>", "<b>&\"", 7u, "<i></i>");
    g_assert_cmpstr(out->str, ==, "<p>&lt;b&gt;&amp;&quot; 7 <i></i></p>");
    g_string_truncate(out, 0);
    dt_markup_add(out, "%n", "ns::f<a, b, c, d>(int)");
    g_assert_nonnull(strstr(out->str, "title=\"ns::f&lt;a, b, c, d&gt;(int)\""));
    g_assert_nonnull(strstr(out->str, "<span class=\"brief\">ns::f&lt;\u2026&gt;("));
}

static char *findings(const char *json)
{
    GString *out = g_string_new(NULL);
    g_autoptr(JsonNode) root = json_from_string(json, NULL);
    dt_front_add_findings(out, root);
    return g_string_free(out, FALSE);
}

static void test_findings(void)
{
    g_autofree char *none = findings("{\"checks\": []}"), *absent = findings("{}"),
                    *odd = findings("{\"checks\": [7]}");
    g_autofree char *one = findings(
        "{\"checks\": [{\"rule\": \"truncation\", \"level\": \"error\", \"meaning\": \"too <small>\", \"section\": "
        "\"MPI 4.1, 3.2\", \"traces\": [\"5.0\"], \"call\": \"MPI_Recv(world)\", \"source\": \"a.c:7\", "
        "\"expected\": null, \"evidence\": [\"16 B were sent\"]}]}");
    g_assert_cmpstr(none, ==, "");
    g_assert_cmpstr(absent, ==, "");
    g_assert_nonnull(strstr(odd, "(1)"));
    g_assert_nonnull(strstr(one, "<code>MPI_Recv(world)</code>"));
    g_assert_nonnull(strstr(one, "a.c:7"));
    g_assert_nonnull(strstr(one, "too &lt;small&gt;, by 5"));
    g_assert_nonnull(strstr(one, "<li>16 B were sent</li>"));
    g_assert_null(strstr(one, "right:"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/front/parting", test_parting);
    g_test_add_func("/front/parting-equal", test_equal);
    g_test_add_func("/front/parting-reason", test_reason);
    g_test_add_func("/front/parting-reason-of-a-crash", test_reason_of_a_crash);
    g_test_add_func("/front/parting-reason-of-arguments", test_reason_of_arguments);
    g_test_add_func("/front/markup", test_markup);
    g_test_add_func("/front/findings", test_findings);
    return g_test_run();
}
