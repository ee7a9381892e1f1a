/* Clocks that are set wrong on purpose are found again, within what they are said to err. */
#include "times/clocks.h"

#include "played.h"
#include "support/random.h"

enum { ROUNDS = 10, STEPS = 200, SCALE = 1000, HOSTS = 3 };
#define START G_GINT64_CONSTANT(5000000000)

static const char *const hosts[PLAYED_RANKS] = {"a", "a", "b", "b", "c"};

static DtMessages *play(TimedRun *run, GRand *random, const gint64 *ahead, const gdouble *drift)
{
    g_autoptr(GError) error = NULL;
    Played played = {.scale = SCALE};
    for (guint rank = 0; rank < PLAYED_RANKS; rank++) {
        guint host = (guint)(hosts[rank][0] - 'a');
        timed_run_clock(run, rank, ahead[host], drift[host], START);
        played.now[rank] = START;
    }
    play_random(run, &played, random, STEPS);
    DtMessages *messages = dt_messages_read(timed_run_open(run), &error);
    g_assert_no_error(error);
    g_assert_cmpuint(messages->hosts->len, ==, HOSTS);
    return messages;
}

static void test_offsets(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < ROUNDS; round++) {
        g_autoptr(TimedRun) run = timed_run_new(PLAYED_RANKS, hosts);
        const gint64 ahead[] = {0, g_rand_int_range(random, -5000000, 5000000),
                                g_rand_int_range(random, -5000000, 5000000)};
        const gdouble drift[HOSTS] = {0};
        g_autoptr(DtMessages) messages = play(run, random, ahead, drift);
        g_autoptr(DtClocks) clocks = dt_clocks_estimate(messages);
        g_assert_cmpuint(clocks->bounds, >, 0);
        g_assert_cmpuint(clocks->violated_after, ==, 0);
        for (guint host = 0; host < HOSTS; host++) {
            const DtHostClock *clock = &g_array_index(clocks->hosts, DtHostClock, host);
            g_assert_true(clock->known);
            g_assert_cmpint(clock->half_ns, >=, 0);
            g_assert_cmpint(ABS(clock->offset_ns - ahead[host]), <=, clock->half_ns + 1);
            g_assert_cmpint(clock->half_ns, <, 1000 * SCALE); /* shorter than the longest step */
            g_assert_true(clock->drift == 0);
        }
        dt_clocks_apply(clocks, messages);
        g_autoptr(DtWaitStates) states = dt_wait_states_new(messages);
        g_assert_cmpuint(states->violations, ==, 0);
        g_autoptr(DtClocks) again = dt_clocks_estimate(messages);
        g_assert_cmpuint(again->violated_before, ==, 0);
    }
}

/* Drift is taken only where it leaves fewer bounds violated. */
static void test_drift(void)
{
    g_autoptr(GRand) random = dt_test_random();
    const gint64 ahead[] = {0, 3000000, -2000000};
    const gdouble drift[] = {0, 0.01, -0.02};
    g_autoptr(TimedRun) run = timed_run_new(PLAYED_RANKS, hosts);
    g_autoptr(DtMessages) messages = play(run, random, ahead, drift);
    g_autoptr(DtClocks) clocks = dt_clocks_estimate(messages);
    g_assert_cmpuint(clocks->violated_after, <, clocks->violated_before);
    for (guint host = 1; host < HOSTS; host++) {
        const DtHostClock *clock = &g_array_index(clocks->hosts, DtHostClock, host);
        g_assert_cmpfloat(ABS(clock->drift - drift[host]), <, 0.005);
    }
}

static void test_one_host(void)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(TimedRun) run = timed_run_new(PLAYED_RANKS, NULL);
    g_autoptr(GError) error = NULL;
    Played played = {.scale = 1};
    play_random(run, &played, random, STEPS);
    g_autoptr(DtMessages) messages = dt_messages_read(timed_run_open(run), &error);
    g_assert_no_error(error);
    g_autoptr(DtClocks) clocks = dt_clocks_estimate(messages);
    gint64 before = messages->end;
    dt_clocks_apply(clocks, messages);
    g_assert_cmpuint(clocks->bounds, ==, 0);
    g_assert_cmpint(messages->end, ==, before);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clocks/offsets", test_offsets);
    g_test_add_func("/clocks/drift", test_drift);
    g_test_add_func("/clocks/one-host", test_one_host);
    return g_test_run();
}
