/* Comparisons as documents and back, and as tables. */
#include <json-glib/json-glib.h>
#include <math.h>

#include "report/report.h"

static DtRankingRow *row(const char *filter, gboolean has_bscore, double bscore, const char *processes)
{
    DtRankingRow *made = dt_ranking_row_new();
    made->filter = g_strdup(filter);
    made->attributes = g_strdup("sing.noFreq");
    made->linkage = g_strdup("ward");
    made->k = 1000;
    made->has_bscore = has_bscore;
    made->bscore = bscore;
    made->processes = g_strsplit(processes, " ", -1);
    made->threads = g_strsplit("6.4", " ", -1);
    return made;
}

static DtComparison *example(void)
{
    DtComparison *comparison = dt_comparison_new();
    comparison->normal = g_strdup("normal");
    comparison->faulty = g_strdup("f\xff"
                                  "aulty \"run\"");
    comparison->baselines = g_strsplit("b1 b2", " ", -1);
    comparison->verdict = g_strdup("rank 5");
    comparison->only_in_normal = g_strsplit("7.0", " ", -1);
    comparison->only_in_faulty = g_strsplit("", " ", -1);
    g_ptr_array_add(comparison->rows, row("none-first", FALSE, NAN, "1"));
    g_ptr_array_add(comparison->rows, row("half", TRUE, 0.5, "5 5+1 2"));
    g_ptr_array_add(comparison->rows, row("quarter-a", TRUE, 0.25, ""));
    g_ptr_array_add(comparison->rows, row("none-last", FALSE, NAN, "1"));
    g_ptr_array_add(comparison->rows, row("quarter-b", TRUE, 0.25, "3"));
    const DtSuspect suspect = {.label = "6.4",
                               .score = 0.97,
                               .level = DT_LEVEL_SUSPECT,
                               .status = DT_STATUS_STUCK,
                               .group = 3,
                               .why = (char *)"stuck in MPI_Recv"};
    g_ptr_array_add(comparison->suspects, dt_suspect_row_new(&suspect));
    comparison->recipe = g_new0(DtRecipe, 1);
    comparison->recipe->faulty = g_strdup("/runs/faulty");
    comparison->recipe->baselines = g_strsplit("/runs/b1", " ", -1);
    comparison->recipe->filters = g_strsplit("mpiall mem", " ", -1);
    comparison->recipe->attributes = g_strsplit("sing.actual", " ", -1);
    comparison->recipe->k = 10;
    comparison->recipe->min_repeat = 3;
    comparison->recipe->linkage = g_strdup("average");
    dt_comparison_sort(comparison);
    return comparison;
}

static void test_rows_are_sorted_and_stable(void)
{
    static const char *const expected[] = {"quarter-a", "quarter-b", "half", "none-first", "none-last"};
    g_autoptr(DtComparison) comparison = example();
    for (guint i = 0; i < comparison->rows->len; i++)
        g_assert_cmpstr(((DtRankingRow *)comparison->rows->pdata[i])->filter, ==, expected[i]);
}

/* By score, and as the levels come down, so that the first tells whether there is a suspect at all. */
static void test_levels_come_down(void)
{
    static const DtLevel given[] = {DT_LEVEL_SUSPECT, DT_LEVEL_SUSPECT, DT_LEVEL_WEAK, DT_LEVEL_SUSPECT, DT_LEVEL_WEAK};
    static const char *const expected[] = {"suspect", "suspect", "weak", "weak", "weak"};
    g_autoptr(DtComparison) comparison = dt_comparison_new();
    for (guint i = 0; i < G_N_ELEMENTS(given); i++) {
        const DtSuspect suspect = {.label = "1.0", .score = 0.9 - 0.1 * i, .level = given[i], .why = (char *)"it is"};
        dt_comparison_add_suspect(comparison, &suspect);
        g_assert_cmpstr(((DtSuspectRow *)comparison->suspects->pdata[i])->level, ==, expected[i]);
    }
}

/* A verdict is as wide as the terminal. */
static void test_wrapped(void)
{
    g_autoptr(DtComparison) comparison = dt_comparison_new();
    comparison->verdict = g_strdup("5.0 is the prime suspect: stuck in MPI_Recv and "
                                   "averyveryverylongwordwithoutablank");
    g_autofree char *text = dt_report_comparison(comparison, 0, 24, DT_FORMAT_TEXT, NULL);
    g_assert_cmpstr(text, ==,
                    "Verdict: 5.0 is the\nprime suspect: stuck in\nMPI_Recv and\n"
                    "averyveryverylongwordwit\nhoutablank\n");
    g_autofree char *one_line = dt_report_comparison(comparison, 0, 0, DT_FORMAT_TEXT, NULL);
    g_assert_cmpstr(strchr(one_line, '\n'), ==, "\n");
}

/* A table of nothing but the best score is one line. */
static void test_nothing_stands_out(void)
{
    g_autoptr(DtComparison) comparison = dt_comparison_new();
    for (guint i = 0; i < 3; i++) {
        DtRankingRow *made = row("all", TRUE, 1, "");
        g_clear_pointer(&made->threads, g_strfreev);
        g_clear_pointer(&made->processes, g_strfreev);
        g_ptr_array_add(comparison->rows, made);
    }
    g_autofree char *text = dt_report_comparison(comparison, 0, 0, DT_FORMAT_TEXT, NULL);
    g_assert_nonnull(strstr(text, "\nRanking table: the B-score is 1 in all 3 rows, and no trace stands out\n"));
    ((DtRankingRow *)comparison->rows->pdata[2])->processes = g_strsplit("5", " ", -1);
    g_autofree char *told = dt_report_comparison(comparison, 0, 0, DT_FORMAT_TEXT, NULL);
    g_assert_nonnull(strstr(told, "\nRanking table (3; "));
}

static void test_document_comes_back(void)
{
    g_autoptr(DtComparison) comparison = example();
    g_autofree char *first = dt_comparison_to_document(comparison);
    g_autoptr(GError) error = NULL;
    g_autoptr(DtComparison) read = dt_comparison_from_document(first, &error);
    g_assert_no_error(error);
    g_autofree char *second = dt_comparison_to_document(read);
    g_assert_cmpstr(first, ==, second);
    g_assert_cmpstr(read->recipe->faulty, ==, "/runs/faulty");
    g_assert_null(read->recipe->normal);
    g_assert_cmpuint(read->recipe->min_repeat, ==, 3);
    g_assert_null(strstr(first, "nan"));
}

static JsonObject *first_object(JsonObject *root, const char *array)
{
    return json_array_get_object_element(json_object_get_array_member(root, array), 0);
}

static void test_document_has_the_promised_form(void)
{
    g_autoptr(DtComparison) comparison = example();
    g_ptr_array_remove_range(comparison->rows, 0, 2);
    g_autoptr(GError) error = NULL;
    g_autofree char *json = dt_report_comparison(comparison, 1, 0, DT_FORMAT_JSON, &error);
    g_assert_no_error(error);
    g_autoptr(JsonParser) parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, json, -1, &error));
    JsonObject *root = json_node_get_object(json_parser_get_root(parser));
    g_assert_cmpint(json_object_get_int_member(root, "version"), ==, 1);
    g_assert_false(json_object_has_member(root, "recipe"));
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(root, "configurations")), ==, 1);
    JsonArray *processes = json_object_get_array_member(first_object(root, "configurations"), "processes");
    g_assert_cmpint(json_array_get_int_element(processes, 0), ==, 5);
    g_assert_cmpstr(json_array_get_string_element(processes, 1), ==, "5+1");
    JsonObject *suspect = first_object(root, "suspects");
    g_assert_cmpint(json_object_get_int_member(suspect, "process"), ==, 6);
    g_assert_cmpint(json_object_get_int_member(suspect, "thread"), ==, 4);
    g_assert_cmpstr(json_object_get_string_member(suspect, "status"), ==, "stuck");
    g_assert_true(json_object_get_null_member(suspect, "first_difference"));
}

static void test_text(void)
{
    g_autoptr(DtComparison) comparison = example();
    g_autofree char *text = dt_report_comparison(comparison, 2, 0, DT_FORMAT_TEXT, NULL);
    g_assert_true(g_str_has_prefix(text, "Only in the normal run: 7\nVerdict: rank 5\n\nSuspects (1)\n"));
    g_assert_nonnull(strstr(
        text,
        "\nRanking table (2 of 5; B-score: 1 if the traces of both runs form the same clusters; a small one is good "
        "evidence)\n"));
    g_assert_nonnull(strstr(text, "\nquarter-a  sing.noFreq  ward       0.250  -              6.4\n"));
    g_assert_null(strstr(text, "half"));
}

static void test_wrong_formats_are_errors(void)
{
    g_autoptr(DtComparison) comparison = example();
    g_autoptr(GError) error = NULL;
    g_assert_null(dt_report_comparison(comparison, 0, 0, DT_FORMAT_SVG, &error));
    g_assert_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_FORMAT);
    g_clear_error(&error);
    g_assert_null(dt_report_ranking(comparison, 0, DT_FORMAT_JSON, &error));
    g_assert_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_FORMAT);
    DtReportFormat format;
    g_clear_error(&error);
    g_assert_false(dt_report_format_parse("terminal", &format, &error));
    g_assert_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_FORMAT);
}

static void test_damaged_documents_are_errors(void)
{
    static const char *const documents[] = {"",
                                            "{",
                                            "[]",
                                            "1",
                                            "{}",
                                            "{\"version\": 2, \"faulty\": \"f\"}",
                                            "{\"version\": 1}",
                                            "{\"version\": -1, \"faulty\": \"f\"}",
                                            "{\"version\": 1, \"faulty\": []}",
                                            "\xff"};
    for (gsize i = 0; i < G_N_ELEMENTS(documents); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(dt_comparison_from_document(documents[i], &error));
        g_assert_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_DOCUMENT);
        g_assert_null(strchr(error->message, '\n'));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/comparison/levels", test_levels_come_down);
    g_test_add_func("/report/comparison/wrapped", test_wrapped);
    g_test_add_func("/report/comparison/nothing-stands-out", test_nothing_stands_out);
    g_test_add_func("/report/comparison/sorted", test_rows_are_sorted_and_stable);
    g_test_add_func("/report/comparison/round-trip", test_document_comes_back);
    g_test_add_func("/report/comparison/form", test_document_has_the_promised_form);
    g_test_add_func("/report/comparison/text", test_text);
    g_test_add_func("/report/comparison/formats", test_wrong_formats_are_errors);
    g_test_add_func("/report/comparison/damaged", test_damaged_documents_are_errors);
    return g_test_run();
}
