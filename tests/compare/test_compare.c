/* dt_compare_runs(): a library user's way through all stages. */
#include <string.h>

#include "compare/compare.h"
#include "support/test_run.h"

enum { RANKS = 6 };

typedef struct {
    char *folder, *normal, *faulty;
    GPtrArray *warnings;
    gboolean begun, ended;
    GThread *thread;
} Fixture;

/* Every rank sends and receives in a loop; rank `odd` leaves it early and waits. */
static void write_run(const char *path, gint odd)
{
    DtTestRun *writer = dt_test_run_new(path);
    for (gint rank = 0; rank < RANKS; rank++) {
        DtTestProcess *process = dt_test_run_process(writer, rank);
        DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
        dt_test_thread_call(thread, "main");
        for (guint i = 0; i < (rank == odd ? 3 : 40); i++) {
            dt_test_thread_call(thread, "MPI_Send");
            dt_test_thread_return(thread);
            dt_test_thread_call(thread, "MPI_Recv");
            dt_test_thread_return(thread);
        }
        if (rank == odd) {
            dt_test_thread_call(thread, "MPI_Recv");
            continue;
        }
        dt_test_thread_call(thread, "MPI_Finalize");
        dt_test_thread_return(thread);
        dt_test_thread_return(thread);
    }
    dt_test_run_finish(writer);
}

static void set_up(Fixture *fixture, gconstpointer unused)
{
    (void)unused;
    fixture->folder = dt_temporary_directory();
    fixture->normal = g_build_filename(fixture->folder, "normal", NULL);
    fixture->faulty = g_build_filename(fixture->folder, "faulty", NULL);
    fixture->warnings = g_ptr_array_new_with_free_func(g_free);
    fixture->thread = g_thread_self();
    write_run(fixture->normal, -1);
    write_run(fixture->faulty, 4);
}

static void tear_down(Fixture *fixture, gconstpointer unused)
{
    (void)unused;
    dt_remove_tree(fixture->folder);
    g_free(fixture->folder);
    g_free(fixture->normal);
    g_free(fixture->faulty);
    g_ptr_array_unref(fixture->warnings);
}

static void hear_warning(const char *message, gpointer data)
{
    Fixture *fixture = data;
    g_ptr_array_add(fixture->warnings, g_strdup(message));
}

static void hear_progress(const char *work, guint64 done, guint64 all, gpointer data)
{
    Fixture *fixture = data;
    g_assert_true(g_thread_self() == fixture->thread);
    g_assert_true(all == 0 || done <= all);
    fixture->begun = fixture->begun || work;
    fixture->ended = !work;
}

static DtCompareListener listener_of(Fixture *fixture)
{
    return (DtCompareListener){hear_warning, hear_progress, fixture};
}

static void test_finds_the_odd_one(Fixture *fixture, gconstpointer unused)
{
    (void)unused;
    g_autoptr(GError) error = NULL;
    const DtCompareListener listener = listener_of(fixture);
    g_autoptr(DtComparison) comparison = dt_compare_runs(fixture->normal, fixture->faulty, NULL, &listener, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(comparison->suspects->len, >=, 1);
    const DtSuspectRow *first = comparison->suspects->pdata[0];
    g_assert_cmpstr(first->trace, ==, "4.0");
    g_assert_cmpstr(first->level, ==, "suspect");
    g_assert_true(fixture->begun && fixture->ended);
    g_assert_cmpuint(fixture->warnings->len, ==, 0);
    /* mpiall, mpicol, mpisr, all keep something; of each, every setting of attributes. */
    g_assert_cmpuint(comparison->rows->len % DT_ATTRIBUTE_SETTINGS, ==, 0);
    g_assert_cmpuint(comparison->rows->len, >=, 3 * DT_ATTRIBUTE_SETTINGS);
}

static void test_selection(Fixture *fixture, gconstpointer unused)
{
    (void)unused;
    g_autoptr(GError) error = NULL;
    const char *const filters[] = {"mpiall", "ompall", NULL}, *const attributes[] = {"sing.noFreq", NULL};
    const DtCompareOptions options = {.filters = filters, .attributes = attributes, .linkage = "average", .jobs = 2};
    const DtCompareListener listener = listener_of(fixture);
    g_autoptr(DtComparison) comparison = dt_compare_runs(fixture->normal, fixture->faulty, &options, &listener, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(comparison->rows->len, ==, 1);
    const DtRankingRow *row = comparison->rows->pdata[0];
    g_assert_cmpstr(row->attributes, ==, "sing.noFreq");
    g_assert_cmpstr(row->linkage, ==, "average");
    g_assert_cmpuint(fixture->warnings->len, ==, 1); /* ompall keeps nothing */
    g_assert_nonnull(strstr(fixture->warnings->pdata[0], "keeps no call"));
}

static void test_alone_and_baselines(Fixture *fixture, gconstpointer unused)
{
    (void)unused;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtComparison) alone = dt_compare_runs(NULL, fixture->faulty, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_null(alone->normal);
    const char *const baselines[] = {fixture->normal, NULL};
    const DtCompareOptions options = {.baselines = baselines, .names_alone = TRUE};
    g_autoptr(DtComparison) twice = dt_compare_runs(fixture->normal, fixture->faulty, &options, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(((const DtSuspectRow *)twice->suspects->pdata[0])->trace, ==, "4.0");
    g_assert_cmpstr(twice->baselines[0], ==, fixture->normal);
}

static void assert_fails(const char *normal, const char *faulty, const DtCompareOptions *options, GQuark domain)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(dt_compare_runs(normal, faulty, options, NULL, &error));
    g_assert_nonnull(error);
    g_assert_cmpuint(error->domain, ==, domain);
}

static void test_errors(Fixture *fixture, gconstpointer unused)
{
    (void)unused;
    const char *const unknown[] = {"no such filter", NULL}, *const empty[] = {"ompall", NULL};
    assert_fails(fixture->normal, "/nowhere", NULL, DT_STORE_ERROR);
    assert_fails(fixture->normal, fixture->faulty, &(DtCompareOptions){.filters = unknown}, DT_FILTER_ERROR);
    assert_fails(fixture->normal, fixture->faulty, &(DtCompareOptions){.filters = empty}, DT_COMPARE_ERROR);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/compare/odd-one", Fixture, NULL, set_up, test_finds_the_odd_one, tear_down);
    g_test_add("/compare/selection", Fixture, NULL, set_up, test_selection, tear_down);
    g_test_add("/compare/alone-and-baselines", Fixture, NULL, set_up, test_alone_and_baselines, tear_down);
    g_test_add("/compare/errors", Fixture, NULL, set_up, test_errors, tear_down);
    return g_test_run();
}
