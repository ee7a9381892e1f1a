/* What runs made by hand exercised: outcomes that were seen, and those that never were. */
#include <string.h>

#include "coverage/coverage.h"
#include "played_run.h"

/* "kind operation by: outcome times, outcome times; ..." of all rows in order; "-" without times. */
static char *told(const char *const *texts)
{
    g_autoptr(DtCoverage) coverage = dt_coverage_new();
    for (guint i = 0; texts[i]; i++) {
        g_autoptr(DtPlayedRun) played = dt_played_run_new(texts[i]);
        g_autoptr(GError) error = NULL;
        g_assert_true(dt_coverage_add(coverage, dt_played_run_get(played), "run", &error));
        g_assert_no_error(error);
    }
    dt_coverage_complete(coverage);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < coverage->rows->len; i++) {
        const DtCoverageRow *row = coverage->rows->pdata[i];
        g_string_append_printf(out, "%s%s %s %s:", i > 0 ? "; " : "", dt_coverage_kind_name(row->kind), row->operation,
                               row->node);
        for (guint k = 0; k < row->outcomes->len; k++) {
            const DtCoverageOutcome *outcome = row->outcomes->pdata[k];
            g_string_append_printf(out, "%s %s %" G_GUINT64_FORMAT "/%u", k > 0 ? "," : "", outcome->name,
                                   outcome->times, outcome->first_seen);
        }
    }
    guint news = 0;
    for (guint i = 0; i < coverage->runs->len; i++)
        news += ((const DtCoverageRun *)coverage->runs->pdata[i])->news;
    g_assert_cmpuint(news, ==, coverage->seen);
    return g_string_free(out, FALSE);
}

#define SENDS                                                                                                          \
    "1 MPI_Send comm=0 to=0 tag=1 data=1x4\n2 MPI_Send comm=0 to=0 tag=1 data=1x4\n"                                   \
    "3 MPI_Send comm=0 to=0 tag=2 data=1x4\n"

static const char one_first[] = SENDS "0 MPI_Recv comm=0 from=any tag=1 data=1x4 got=1,1\n"
                                      "0 MPI_Recv comm=0 from=any tag=1 data=1x4 got=1,1\n"
                                      "0 MPI_Recv comm=0 from=3 tag=2 data=1x4\n";
static const char two_first[] = SENDS "0 MPI_Recv comm=0 from=any tag=1 data=1x4 got=2,1\n";

/* A message with another tag could not have come. */
static void check_senders(void)
{
    const char *const once[] = {one_first, NULL}, *const both[] = {one_first, two_first, NULL};
    g_autofree char *first = told(once), *second = told(both);
    g_assert_cmpstr(first, ==, "sender MPI_Recv 0: from 1 2/1, from 2 0/0");
    g_assert_cmpstr(second, ==, "sender MPI_Recv 0: from 1 2/1, from 2 1/2");
}

/* One that asks for a certain sender or any tag alone, and one that nobody else could have answered. */
static void check_no_choice(void)
{
    const char *const texts[] = {"1 MPI_Send comm=0 to=0 tag=1 data=1x4\n"
                                 "0 MPI_Recv comm=0 from=1 tag=any data=1x4\n",
                                 NULL};
    g_autofree char *text = told(texts);
    g_assert_cmpstr(text, ==, "");
}

#define RECEIVES "0 MPI_Irecv comm=0 from=1 tag=1 data=1x4\n0 MPI_Irecv comm=0 from=2 tag=1 data=1x4\n"

static void check_completions(void)
{
    const char *const texts[] = {
        RECEIVES "0 MPI_Waitany live=0,1 completed=1\n0 MPI_Wait live=0\n2 MPI_Barrier comm=0\n", NULL};
    const char *const both[] = {
        texts[0], RECEIVES "0 MPI_Waitany live=0,1 completed=0\n0 MPI_Wait live=0\n2 MPI_Barrier comm=0\n", NULL};
    g_autofree char *first = told(texts), *second = told(both);
    g_assert_cmpstr(first, ==, "completion MPI_Waitany 0: receive from 1 0/0, receive from 2 1/1");
    g_assert_cmpstr(second, ==, "completion MPI_Waitany 0: receive from 1 1/2, receive from 2 1/1");
}

/* The second thread asks at 150 for what the first one has until 200. */
static const char contended[] =
    "0.1 pthread_mutex_lock lock=1 time=100,110\n0.1 pthread_mutex_unlock lock=1 time=200,201\n"
    "0.2 pthread_mutex_lock lock=1 time=150,205\n0.2 pthread_mutex_unlock lock=1 time=210,211\n";
static const char calm[] = "0.1 pthread_mutex_lock lock=1 time=100,110\n0.1 pthread_mutex_unlock lock=1 time=200,201\n"
                           "0.2 pthread_mutex_lock lock=1 time=250,255\n0.2 pthread_mutex_unlock lock=1 time=310,311\n";
static const char tried[] = "0.1 pthread_mutex_trylock lock=1\n0.1 pthread_mutex_unlock lock=1\n";

static void check_locks(void)
{
    const char *const waits[] = {contended, NULL}, *const does_not[] = {calm, NULL}, *const tries[] = {tried, NULL};
    g_autofree char *first = told(waits), *second = told(does_not), *third = told(tries);
    g_assert_cmpstr(first, ==, "lock pthread_mutex_lock 0, lock 1: held by another 1/1, free 1/1");
    g_assert_cmpstr(second, ==, "lock pthread_mutex_lock 0, lock 1: held by another 0/0, free 2/1");
    g_assert_cmpstr(third, ==, "lock pthread_mutex_trylock 0, lock 1: taken 1/1, not taken 0/0");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/coverage/senders", check_senders);
    g_test_add_func("/coverage/no-choice", check_no_choice);
    g_test_add_func("/coverage/completions", check_completions);
    g_test_add_func("/coverage/locks", check_locks);
    return g_test_run();
}
