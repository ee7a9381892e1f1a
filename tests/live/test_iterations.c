/* How often a loop has gone round, by hand. */
#include "live/iterations.h"

enum { RETURN = DT_EVENT_RETURN, MAIN = 1, INIT, SOLVE, STEP, SEND, RECEIVE, FINALIZE };

static void take(DtIterations *iterations, const char *events)
{
    g_auto(GStrv) words = g_strsplit(events, " ", -1);
    for (guint i = 0; words[i]; i++) {
        const guint32 event = words[i][0] == '<' ? RETURN : (guint32)(words[i][0] - '0');
        dt_iterations_take(iterations, &event, 1, 1);
    }
}

static void assert_iteration(const DtIterations *iterations, guint32 function, guint64 count)
{
    guint32 found = 0;
    guint64 times = 0;
    const gboolean is_found = dt_iterations_find(iterations, &found, &times);
    g_assert_cmpint(is_found, ==, function != 0);
    g_assert_cmpuint(is_found ? found : 0, ==, function);
    g_assert_cmpuint(is_found ? times : 0, ==, count);
}

static void test_none(void)
{
    g_autoptr(DtIterations) iterations = dt_iterations_new();
    assert_iteration(iterations, 0, 0);
    take(iterations, "1 2 < 3 4");
    assert_iteration(iterations, 0, 0);
    take(iterations, "< < < < <"); /* more returns than calls */
    assert_iteration(iterations, 0, 0);
}

/* main calls init once and solve once, solve calls step again and again, step sends twice each time. */
static void test_the_outermost_counts(void)
{
    g_autoptr(DtIterations) iterations = dt_iterations_new();
    take(iterations, "1 2 < 3");
    for (guint i = 1; i <= 20; i++) {
        take(iterations, "4 5 < 5 <");
        if (i > 1)
            assert_iteration(iterations, STEP, i);
        take(iterations, "<");
    }
    assert_iteration(iterations, STEP, 20);
    take(iterations, "4 6"); /* inside of the next one */
    assert_iteration(iterations, STEP, 21);
}

static void test_a_loop_that_is_over(void)
{
    g_autoptr(DtIterations) iterations = dt_iterations_new();
    take(iterations, "1 3 4 < 4 < 4 < <");
    assert_iteration(iterations, 0, 0); /* solve was called once, and has returned */
    take(iterations, "7");
    assert_iteration(iterations, 0, 0);
}

static void test_a_function_begins_anew(void)
{
    g_autoptr(DtIterations) iterations = dt_iterations_new();
    take(iterations, "1 3 4 < 4 < < 2 < 3 4 <");
    assert_iteration(iterations, SOLVE, 2);
}

static void test_repeated(void)
{
    g_autoptr(DtIterations) iterations = dt_iterations_new();
    const guint32 body[] = {STEP, SEND, RETURN, RETURN};
    take(iterations, "1 3");
    dt_iterations_take(iterations, body, G_N_ELEMENTS(body), 1000000);
    assert_iteration(iterations, STEP, 1000000);
    dt_iterations_take(iterations, body, G_N_ELEMENTS(body), 1);
    assert_iteration(iterations, STEP, 1000001);
}

/* More different calls than are counted at a time, deeper than is looked at. */
static void test_bounds(void)
{
    g_autoptr(DtIterations) iterations = dt_iterations_new();
    for (guint round = 0; round < 3; round++)
        for (guint32 i = 1; i <= 15; i++) {
            const guint32 events[] = {i, RETURN};
            dt_iterations_take(iterations, events, 2, 1);
        }
    assert_iteration(iterations, 15, 3);
    for (guint32 i = 100; i < 200; i++)
        dt_iterations_take(iterations, &i, 1, 1);
    assert_iteration(iterations, 0, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/live/iterations/none", test_none);
    g_test_add_func("/live/iterations/outermost", test_the_outermost_counts);
    g_test_add_func("/live/iterations/over", test_a_loop_that_is_over);
    g_test_add_func("/live/iterations/anew", test_a_function_begins_anew);
    g_test_add_func("/live/iterations/repeated", test_repeated);
    g_test_add_func("/live/iterations/bounds", test_bounds);
    return g_test_run();
}
