/* What is shown of a job, made by hand: it fits, and names do no harm. */
#include <string.h>

#include "report/live_report.h"

enum { THREADS = 256 };

typedef struct {
    DtFunctions *functions;
    DtLiveMember members[THREADS];
    char labels[THREADS][16];
    DtLiveClass classes[3];
    GPtrArray *list, *first, *second, *third;
    DtLiveTotals totals;
    DtLiveReport report;
} Example;

static guint32 function(Example *example, const char *symbol)
{
    return dt_functions_intern(example->functions, "app", TRUE, symbol, 0, 0);
}

static Example *example_new(const char *innermost)
{
    Example *example = g_new0(Example, 1);
    example->functions = dt_functions_new();
    example->list = g_ptr_array_new();
    example->first = g_ptr_array_new();
    example->second = g_ptr_array_new();
    example->third = g_ptr_array_new();
    for (guint i = 0; i < THREADS; i++) {
        g_snprintf(example->labels[i], sizeof(example->labels[i]), "%u.0", i);
        example->members[i] =
            (DtLiveMember){.label = example->labels[i], .words = i, .words_a_second = i, .still = 5, .in_mpi = -1};
        g_ptr_array_add(i % 2 ? example->first : i == 0 ? example->third : example->second, &example->members[i]);
    }
    const guint32 calls[] = {function(example, innermost), function(example, "exchange")};
    example->classes[0] = (DtLiveClass){.calls = {calls[0], calls[1]},
                                        .is_known = TRUE,
                                        .members = example->first,
                                        .slowest = 1,
                                        .fastest = 12345,
                                        .first_iteration = 7,
                                        .last_iteration = 16,
                                        .iterated = calls[1],
                                        .least_in_mpi = -1,
                                        .most_in_mpi = -1};
    example->classes[1] = (DtLiveClass){
        .members = example->second, .still = 4000, .still_longer = TRUE, .least_in_mpi = -1, .most_in_mpi = -1};
    example->classes[2] = (DtLiveClass){
        .members = example->third, .is_known = TRUE, .has_ended = TRUE, .least_in_mpi = -1, .most_in_mpi = -1};
    for (guint i = 0; i < G_N_ELEMENTS(example->classes); i++)
        g_ptr_array_add(example->list, &example->classes[i]);
    example->totals = (DtLiveTotals){.ranks = THREADS,
                                     .processes = THREADS,
                                     .threads = 768,
                                     .hosts = 4,
                                     .words = 1234567,
                                     .words_a_second = 1234.5,
                                     .seconds = 3667.5,
                                     .in_mpi = -1,
                                     .still = 41};
    example->report = (DtLiveReport){.run = "some/run",
                                     .functions = example->functions,
                                     .classes = example->list,
                                     .totals = &example->totals,
                                     .waits = "5-6 wait for each other",
                                     .iterations = TRUE};
    return example;
}

static void example_free(Example *example)
{
    g_ptr_array_unref(example->list);
    g_ptr_array_unref(example->first);
    g_ptr_array_unref(example->second);
    g_ptr_array_unref(example->third);
    dt_functions_unref(example->functions);
    g_free(example);
}

static void test_text(void)
{
    Example *example = example_new("MPI_Recv");
    example->report.width = 100;
    g_autofree char *text = dt_report_live(&example->report, DT_FORMAT_TEXT, NULL);
    g_assert_true(g_str_has_prefix(
        text, "some/run: 256 ranks, 768 threads, running for 01:01:07, 1,234,567 events, 1.23 k/s, on 4 hosts\n"));
    g_assert_nonnull(strstr(text, "\n128  MPI_Recv "));
    g_assert_nonnull(strstr(text, " 1 - 12.3 k  7 - 16 of exchange\n"));
    g_assert_nonnull(strstr(text, "  > 1 h 06 min\n"));
    g_assert_nonnull(strstr(text, "\n  1  (ended) "));
    g_assert_nonnull(strstr(text, "\n127  (not known yet) "));
    g_assert_true(
        g_str_has_suffix(text, "\nno progress for 41 s; 5-6 wait for each other (difftrace waits some/run)\n"));
    example_free(example);
}

static void test_share_of_mpi(void)
{
    Example *example = example_new("MPI_Recv");
    example->totals.in_mpi = 0.375;
    g_autofree char *text = dt_report_live(&example->report, DT_FORMAT_TEXT, NULL);
    g_assert_nonnull(strstr(text, "k/s, 38 % in MPI, on 4 hosts\n"));
    example_free(example);
}

static void assert_fits(const char *text, guint width)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_assert_true(g_utf8_validate(text, -1, NULL));
    for (guint i = 0; lines[i]; i++)
        g_assert_cmpint(g_utf8_strlen(lines[i], -1), <=, width);
}

static void test_any_width(void)
{
    g_autofree char *very_long = g_strnfill(3000, 'x');
    const char *const names[] = {"MPI_Recv", very_long, "_ZN3a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80x"};
    for (guint n = 0; n < G_N_ELEMENTS(names); n++) {
        Example *example = example_new(names[n]);
        for (guint width = 80; width <= 200; width += 7) {
            example->report.width = width;
            g_autofree char *text = dt_report_live(&example->report, DT_FORMAT_TEXT, NULL);
            assert_fits(text, width);
            g_autoptr(GPtrArray) members = dt_live_member_lines(&example->report, &example->classes[0]);
            g_assert_cmpuint(members->len, ==, 128 + 1);
            for (guint i = 0; i < members->len; i++)
                assert_fits(members->pdata[i], width);
        }
        for (guint width = 1; width < 80; width++) { /* whatever it looks like */
            example->report.width = width;
            g_autoptr(DtLiveLines) lines = dt_live_lines_new(&example->report);
            g_assert_cmpint(g_utf8_strlen(lines->head, -1), <=, width);
            for (guint i = 0; i < lines->rows->len; i++)
                assert_fits(lines->rows->pdata[i], width);
        }
        example_free(example);
    }
}

static void test_gets_on(void)
{
    Example *example = example_new("MPI_Recv");
    example->totals.still = 0.4;
    g_autoptr(DtLiveLines) lines = dt_live_lines_new(&example->report);
    g_assert_cmpuint(lines->foot->len, ==, 0);
    g_autofree char *page = dt_report_live_page(&example->report, 2);
    g_assert_nonnull(strstr(page, "<meta http-equiv=\"refresh\" content=\"2\">"));
    example->totals.is_over = TRUE;
    g_autofree char *last = dt_report_live_page(&example->report, 2);
    g_assert_null(strstr(last, "http-equiv"));
    g_assert_nonnull(strstr(last, "the job has ended"));
    example_free(example);
}

static void test_hostile(void)
{
    Example *example = example_new("<script>alert(1)</script>\n\033[31m&\"'");
    example->report.run = "run<b>\n\033[2J";
    g_autofree char *page = dt_report_live_page(&example->report, 1);
    g_assert_null(strstr(page, "<script"));
    g_assert_null(strstr(page, "run<b>"));
    g_assert_null(strchr(page, '\033'));
    g_autofree char *text = dt_report_live(&example->report, DT_FORMAT_TEXT, NULL);
    g_assert_null(strchr(text, '\033'));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 1 + 1 + 3 + 1 + 1);
    g_autofree char *json = dt_report_live(&example->report, DT_FORMAT_JSON, NULL);
    g_assert_cmpint(strchr(json, '\n') - json, ==, (glong)strlen(json) - 1); /* one line */
    g_assert_null(strchr(json, '\033'));
    example_free(example);
}

static void test_no_format(void)
{
    Example *example = example_new("f");
    g_autoptr(GError) error = NULL;
    g_assert_null(dt_report_live(&example->report, DT_FORMAT_SVG, &error));
    g_assert_nonnull(error);
    example_free(example);
}

/* Rank 0 waits for rank 1, which waits for rank 0; rank 2 for both. */
static void test_waits(void)
{
    static const char *const labels[] = {"0.0", "1.0", "2.0"};
    static const gboolean none_stands[3] = {FALSE, FALSE, TRUE}, all_stand[3] = {TRUE, TRUE, TRUE};
    static char reason[] = "waits for those that wait for it";
    DtTrace traces[3] = {0};
    DtWaiter waiters[3] = {0};
    g_autoptr(GPtrArray) list = g_ptr_array_new(), cycles = g_ptr_array_new();
    g_autoptr(GArray) cycle = g_array_new(FALSE, FALSE, sizeof(guint)), nobody = g_array_new(FALSE, FALSE, 1);
    for (guint i = 0; i < 3; i++) {
        traces[i].label = (char *)labels[i];
        waiters[i] = (DtWaiter){.trace = &traces[i], .mode = DT_WAIT_FOR_ALL, .call = "MPI_Recv", .waits_for = nobody};
        waiters[i].reason = i < 2 ? reason : NULL;
        g_ptr_array_add(list, &waiters[i]);
        if (i < 2)
            g_array_append_val(cycle, i);
    }
    g_ptr_array_add(cycles, cycle);
    const DtWaitFor waits = {.waiters = list, .cycles = cycles, .summary = "3 wait", .certainty = DT_CERTAINTY_PROVED};
    g_autofree char *deadlock = dt_report_live_waits(&waits, all_stand),
                    *other = dt_report_live_waits(&waits, none_stands);
    g_assert_cmpstr(deadlock, ==, "Deadlock: 0-1 wait for each other; 3 wait");
    g_assert_cmpstr(other, ==, "3 wait");
    g_assert_null(dt_report_live_waits(&waits, NULL));
    g_autofree char *blaming = dt_report_live_waiters(&waits, all_stand, 0),
                    *page = dt_report_live_waiters(&waits, NULL, 0);
    g_assert_nonnull(strstr(blaming, reason));
    g_assert_true(strstr(page, "MPI_Recv") && !strstr(page, "blame") && !strstr(page, reason));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/live/report/text", test_text);
    g_test_add_func("/live/report/share-of-mpi", test_share_of_mpi);
    g_test_add_func("/live/report/any-width", test_any_width);
    g_test_add_func("/live/report/gets-on", test_gets_on);
    g_test_add_func("/live/report/hostile", test_hostile);
    g_test_add_func("/live/report/no-format", test_no_format);
    g_test_add_func("/report/live/waits", test_waits);
    return g_test_run();
}
