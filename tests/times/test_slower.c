/* Which function on which trace is slower: series that are made, with what was put into them as the truth. */
#include "times/slower.h"

enum { RUNS = 4, TRACES = 6, FUNCTIONS = 3, CALLS = 40, SEEDS = 50 };
static const double MS = 1e6;

/* What is put into the judged run. */
typedef struct {
    guint function, trace; /* TRACES: all */
    guint from, until;     /* calls */
    double share;          /* more than the function normally takes */
} Fault;

typedef struct {
    DtCallSeries series[FUNCTIONS][RUNS][TRACES];
    DtSlowerSeries by[FUNCTIONS * RUNS * TRACES];
    guint classes[TRACES];
    DtSlowerRuns runs;
} Played;

/* Disturbances: most calls have hardly any, some have much. */
static double disturbed(GRand *random, double noise)
{
    return g_rand_double(random) < 0.3 ? noise * g_rand_double(random) : noise / 50 * g_rand_double(random);
}

/* Function f takes 1 + f ms a call, every third call twice that if `varied`. */
static void play(Played *played, const Fault *fault, double noise, gboolean varied, guint runs, guint32 seed)
{
    GRand *random = g_rand_new_with_seed(seed);
    memset(played, 0, sizeof(*played));
    for (guint f = 0; f < FUNCTIONS; f++)
        for (guint run = 0; run < runs; run++)
            for (guint trace = 0; trace < TRACES; trace++)
                for (guint call = 0; call < CALLS; call++) {
                    double ns = (1 + f) * MS * (varied && call % 3 == 1 ? 2 : 1);
                    const gboolean is_faulty = fault && run == 0 && f == fault->function && call >= fault->from &&
                                               call < fault->until && (fault->trace == TRACES || fault->trace == trace);
                    ns *= is_faulty ? 1 + fault->share : 1;
                    ns += disturbed(random, noise);
                    dt_call_series_add(&played->series[f][run][trace], call + 1, (guint64)ns);
                }
    for (guint f = 0; f < FUNCTIONS; f++)
        for (guint run = 0; run < runs; run++)
            for (guint trace = 0; trace < TRACES; trace++)
                played->by[(f * runs + run) * TRACES + trace].calls = &played->series[f][run][trace];
    played->runs = (DtSlowerRuns){
        .runs = runs, .traces = TRACES, .functions = FUNCTIONS, .series = played->by, .classes = played->classes};
    g_rand_free(random);
}

static void clear(Played *played)
{
    for (guint f = 0; f < FUNCTIONS; f++)
        for (guint run = 0; run < RUNS; run++)
            for (guint trace = 0; trace < TRACES; trace++)
                dt_call_series_clear(&played->series[f][run][trace]);
}

/* The first that counts against the null; its function is FUNCTIONS if there is none. `all` owns it. */
static DtSlowdown first_of(const Played *played, GArray **all)
{
    double null[DT_SLOWER_KINDS + 1];
    const gboolean has_null = dt_slowdowns_null(&played->runs, null);
    *all = dt_slowdowns_new(&played->runs);
    for (guint i = 0; i < (*all)->len; i++) {
        const DtSlowdown *slowdown = &g_array_index(*all, DtSlowdown, i);
        if (dt_slowdown_counts(slowdown, has_null ? null : NULL))
            return *slowdown;
    }
    return (DtSlowdown){.function = FUNCTIONS};
}

/* ---- kinds ------------------------------------------------------------------------------------------ */

static void test_always(void)
{
    const Fault fault = {1, 3, 0, CALLS, 0.3};
    Played played;
    play(&played, &fault, 0, FALSE, RUNS, 1);
    GArray *all;
    const DtSlowdown slowdown = first_of(&played, &all);
    g_assert_cmpuint(slowdown.function, ==, 1);
    g_assert_cmpint(slowdown.kind, ==, DT_SLOWER_ALWAYS);
    g_assert_cmpuint(slowdown.trace, ==, 3);
    g_assert_false(slowdown.all);
    g_assert_cmpuint(slowdown.traces->len, ==, 1);
    g_assert_cmpuint(slowdown.at, ==, 0);
    g_assert_cmpfloat_with_epsilon(slowdown.score, 0.3 * 2 * MS * CALLS, 0.02 * MS * CALLS);
    g_assert_cmpuint(all->len, ==, 1);
    g_array_unref(all);
    clear(&played);
}

static void test_all_traces(void)
{
    const Fault fault = {2, TRACES, 0, CALLS, 0.4};
    Played played;
    play(&played, &fault, 0, TRUE, RUNS, 2);
    GArray *all;
    const DtSlowdown slowdown = first_of(&played, &all);
    g_assert_cmpuint(slowdown.function, ==, 2);
    g_assert_true(slowdown.all);
    g_assert_cmpuint(slowdown.traces->len, ==, TRACES);
    g_array_unref(all);
    clear(&played);
}

/* Each place, with calls of one length and of two. */
static void test_since(void)
{
    for (guint from = 6; from + 6 <= CALLS; from++)
        for (guint varied = 0; varied < 2; varied++) {
            const Fault fault = {0, 2, from, CALLS, 0.5};
            Played played;
            play(&played, &fault, 0.05 * MS, varied == 1, RUNS, from);
            GArray *all;
            const DtSlowdown slowdown = first_of(&played, &all);
            g_assert_cmpuint(slowdown.function, ==, 0);
            g_assert_cmpint(slowdown.kind, ==, DT_SLOWER_SINCE);
            g_assert_cmpuint(slowdown.trace, ==, 2);
            g_assert_cmpuint(slowdown.at, ==, from + 1);
            g_assert_cmpuint(slowdown.of, ==, CALLS);
            g_assert_cmpuint(slowdown.begin_ns, ==, from + 1);
            g_assert_cmpfloat(slowdown.score, >, 0.4 * MS * (CALLS - from));
            g_assert_cmpfloat(slowdown.score, <, 0.6 * MS * (CALLS - from));
            g_array_unref(all);
            clear(&played);
        }
}

/* Disturbances as long as the calls: nearly always found, and nearly always within two calls. */
static void test_since_in_noise(void)
{
    guint found = 0, near = 0;
    for (guint32 seed = 0; seed < SEEDS; seed++) {
        const Fault fault = {0, 2, 15, CALLS, 1};
        Played played;
        play(&played, &fault, 3 * MS, FALSE, RUNS, seed);
        GArray *all;
        const DtSlowdown slowdown = first_of(&played, &all);
        const gboolean is_right = slowdown.function == 0 && slowdown.trace == 2 && slowdown.kind == DT_SLOWER_SINCE;
        found += is_right ? 1 : 0;
        near += is_right && slowdown.at >= 14 && slowdown.at <= 18 ? 1 : 0;
        g_array_unref(all);
        clear(&played);
    }
    g_test_message("found %u, near %u of %u", found, near, SEEDS);
    g_assert_cmpuint(found * 20, >=, SEEDS * 19);
    g_assert_cmpuint(near * 10, >=, SEEDS * 9);
}

/* On a busy machine the last third of the calls may all be disturbed. */
static void test_since_of_busy(void)
{
    for (guint from = 24; from <= 28; from += 4) {
        const Fault fault = {0, 2, from, CALLS, 0.5};
        Played played;
        play(&played, &fault, 0, FALSE, RUNS, 1);
        played.runs.busy = TRUE;
        GArray *all;
        g_assert_cmpuint(first_of(&played, &all).function, ==, from == 24 ? 0 : FUNCTIONS);
        g_array_unref(all);
        clear(&played);
    }
}

/* Too few at the end to be told from luck. */
static void test_since_the_last(void)
{
    const Fault fault = {0, 2, CALLS - 2, CALLS, 0.5};
    Played played;
    play(&played, &fault, 0, FALSE, RUNS, 3);
    GArray *all;
    g_assert_cmpuint(first_of(&played, &all).function, ==, FUNCTIONS);
    g_array_unref(all);
    clear(&played);
}

static void test_once(void)
{
    const Fault fault = {1, 5, 17, 18, 10};
    Played played;
    play(&played, &fault, 0.1 * MS, FALSE, RUNS, 4);
    GArray *all;
    const DtSlowdown slowdown = first_of(&played, &all);
    g_assert_cmpuint(slowdown.function, ==, 1);
    g_assert_cmpint(slowdown.kind, ==, DT_SLOWER_ONCE);
    g_assert_cmpuint(slowdown.trace, ==, 5);
    g_assert_cmpuint(slowdown.at, ==, 18);
    g_assert_cmpuint(slowdown.slow_calls, ==, 1);
    g_array_unref(all);
    played.runs.busy = TRUE;
    g_assert_cmpuint(first_of(&played, &all).function, ==, FUNCTIONS);
    g_array_unref(all);
    clear(&played);
}

/* A single call must be slower than any normal one was disturbed. */
static void test_once_among_disturbed(void)
{
    for (guint share = 10; share <= 40; share += 30) {
        const Fault fault = {1, 5, 17, 18, share};
        Played played;
        play(&played, &fault, 10 * MS, FALSE, RUNS, 4);
        GArray *all;
        const DtSlowdown slowdown = first_of(&played, &all);
        g_assert_cmpuint(slowdown.function, ==, share == 10 ? FUNCTIONS : 1);
        g_assert_cmpuint(slowdown.at, ==, share == 10 ? 0 : 18);
        g_array_unref(all);
        clear(&played);
    }
}

static void test_faster(void)
{
    const Fault fault = {1, TRACES, 0, CALLS, -0.4};
    Played played;
    play(&played, &fault, 0, FALSE, RUNS, 5);
    GArray *all;
    const DtSlowdown slowdown = first_of(&played, &all);
    g_assert_cmpuint(slowdown.function, ==, 1);
    g_assert_cmpint(slowdown.kind, ==, DT_SLOWER_FASTER);
    g_assert_true(slowdown.all);
    g_array_unref(all);
    clear(&played);
}

/* The function is called once; its passes tell. */
static void test_passes(void)
{
    const Fault fault = {0, 4, 20, CALLS, 0.5};
    Played played;
    DtCallSeries once[RUNS * TRACES] = {0};
    play(&played, &fault, 0, FALSE, RUNS, 6);
    for (guint i = 0; i < RUNS * TRACES; i++) {
        const DtCallSeries *series = played.by[i].calls;
        played.by[i].passes = series;
        dt_call_series_add(&once[i], 1, dt_call_series_part(series, 0, CALLS).sum);
        played.by[i].calls = &once[i];
    }
    GArray *all;
    const DtSlowdown slowdown = first_of(&played, &all);
    g_assert_cmpuint(slowdown.function, ==, 0);
    g_assert_cmpint(slowdown.kind, ==, DT_SLOWER_SINCE);
    g_assert_true(slowdown.of_passes);
    g_assert_cmpuint(slowdown.at, ==, 21);
    g_array_unref(all);
    for (guint i = 0; i < RUNS * TRACES; i++)
        dt_call_series_clear(&once[i]);
    clear(&played);
}

/* Without passes, all of it is one number: slower only by more than such numbers vary. */
static void test_called_once(void)
{
    for (guint noisy = 0; noisy < 3; noisy++) {
        const Fault fault = {0, 4, 0, CALLS, 0.5};
        Played played;
        DtCallSeries once[FUNCTIONS * RUNS * TRACES] = {0};
        play(&played, &fault, noisy == 1 ? 10 * MS : 0, FALSE, RUNS, 7);
        for (guint i = 0; i < G_N_ELEMENTS(once); i++) {
            dt_call_series_add(&once[i], 1, dt_call_series_part(played.by[i].calls, 0, CALLS).sum);
            played.by[i].calls = &once[i];
        }
        played.runs.busy = noisy == 2;
        GArray *all;
        g_assert_cmpuint(first_of(&played, &all).function, ==, noisy == 0 ? 0 : FUNCTIONS);
        g_array_unref(all);
        for (guint i = 0; i < G_N_ELEMENTS(once); i++)
            dt_call_series_clear(&once[i]);
        clear(&played);
    }
}

/* ---- noise ------------------------------------------------------------------------------------------- */

/* What is less than three times the least noise is none. */
static void test_little(void)
{
    const Fault fault = {1, 3, 0, CALLS, 0.12};
    Played played;
    play(&played, &fault, 0, FALSE, RUNS, 7);
    GArray *all;
    g_assert_cmpuint(first_of(&played, &all).function, ==, FUNCTIONS);
    g_array_unref(all);
    clear(&played);
}

/* Disturbances as long as the calls themselves: runs that are equal give no verdict in 19 of 20, and sums would. */
static void test_equal_runs(void)
{
    guint verdicts = 0;
    for (guint32 seed = 0; seed < SEEDS; seed++) {
        Played played;
        play(&played, NULL, 10 * MS, seed % 2, RUNS, seed);
        GArray *all;
        verdicts += first_of(&played, &all).function < FUNCTIONS ? 1 : 0;
        g_array_unref(all);
        clear(&played);
    }
    g_assert_cmpuint(verdicts * 20, <=, SEEDS);
}

/* The same disturbances, and a fault of half of a call: found in 19 of 20. */
static void test_fault_in_noise(void)
{
    guint found = 0;
    for (guint32 seed = 0; seed < SEEDS; seed++) {
        const Fault fault = {2, seed % TRACES, 0, CALLS, 0.5};
        Played played;
        play(&played, &fault, 10 * MS, FALSE, RUNS, seed);
        GArray *all;
        const DtSlowdown slowdown = first_of(&played, &all);
        found += slowdown.function == 2 && slowdown.trace == seed % TRACES && !slowdown.all ? 1 : 0;
        g_array_unref(all);
        clear(&played);
    }
    g_assert_cmpuint(found * 20, >=, SEEDS * 19);
}

/* A normal run that is slow itself is what the normal runs have against each other. */
static void test_null(void)
{
    const Fault fault = {0, 1, 0, CALLS, 0.5};
    Played played;
    play(&played, &fault, 0, FALSE, RUNS, 8);
    for (guint call = 0; call < CALLS; call++) /* three times the blocks' length: one normal run is slower by far */
        g_array_index(played.series[2][1][4].blocks, DtSeriesBlock, call) =
            (DtSeriesBlock){call + 1, 1, (guint64)(9 * MS), (guint64)(9 * MS), (guint64)(9 * MS), (guint64)(9 * MS)};
    double null[DT_SLOWER_KINDS + 1];
    g_assert_true(dt_slowdowns_null(&played.runs, null));
    g_assert_cmpfloat_with_epsilon(null[DT_SLOWER_ALWAYS], 6 * MS * CALLS, 0.1 * MS * CALLS);
    GArray *all;
    g_assert_cmpuint(first_of(&played, &all).function, ==, FUNCTIONS);
    g_assert_cmpuint(all->len, >=, 1);
    g_array_unref(all);
    clear(&played);
}

/* All are slower, one by far: what the others have as well is not what the run is longer by because of that one. */
static void test_slower_than_others(void)
{
    const Fault fault = {0, TRACES, 0, CALLS, 0.2};
    Played played;
    play(&played, &fault, 0, FALSE, RUNS, 10);
    const guint64 ns = (guint64)(1.8 * MS);
    for (guint call = 0; call < CALLS; call++)
        g_array_index(played.series[0][0][2].blocks, DtSeriesBlock, call) =
            (DtSeriesBlock){call + 1, 1, ns, ns, ns, ns};
    GArray *all;
    const DtSlowdown slowdown = first_of(&played, &all);
    g_assert_cmpuint(slowdown.trace, ==, 2);
    g_assert_cmpuint(slowdown.traces->len, ==, 1);
    g_assert_cmpfloat_with_epsilon(slowdown.ns, 0.8 * MS * CALLS, 0.01 * MS * CALLS);
    g_assert_cmpfloat_with_epsilon(slowdown.score, 0.6 * MS * CALLS, 0.01 * MS * CALLS);
    g_array_unref(all);
    clear(&played);
}

static void test_one_normal(void)
{
    const Fault fault = {1, 3, 0, CALLS, 0.5};
    Played played;
    double null[DT_SLOWER_KINDS + 1];
    play(&played, &fault, 0, FALSE, 2, 9);
    g_assert_false(dt_slowdowns_null(&played.runs, null));
    GArray *all;
    const DtSlowdown slowdown = first_of(&played, &all);
    g_assert_cmpuint(slowdown.function, ==, 1);
    g_assert_cmpuint(slowdown.trace, ==, 3);
    g_array_unref(all);
    clear(&played);
}

/* ---- properties ----------------------------------------------------------------------------------------- */

/* Scores descend, each function is there once, and all is larger than nothing. */
static void test_order(void)
{
    for (guint32 seed = 0; seed < SEEDS; seed++) {
        const Fault fault = {seed % FUNCTIONS, seed % (TRACES + 1), seed % CALLS, CALLS, 1};
        Played played;
        play(&played, &fault, MS, TRUE, 2 + seed % (RUNS - 1), seed);
        g_autoptr(GArray) all = dt_slowdowns_new(&played.runs);
        guint functions = 0;
        for (guint i = 0; i < all->len; i++) {
            const DtSlowdown *slowdown = &g_array_index(all, DtSlowdown, i);
            g_assert_cmpfloat(slowdown->score, >, 0);
            g_assert_cmpfloat(slowdown->score, <=, slowdown->ns * (1 + 1e-9));
            g_assert_cmpuint(slowdown->at, <=, CALLS);
            g_assert_cmpuint(functions & 1U << slowdown->function, ==, 0);
            functions |= 1U << slowdown->function;
            if (i > 0)
                g_assert_cmpfloat(slowdown->score, <=, g_array_index(all, DtSlowdown, i - 1).score);
        }
        clear(&played);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/times/slower/always", test_always);
    g_test_add_func("/times/slower/all-traces", test_all_traces);
    g_test_add_func("/times/slower/since", test_since);
    g_test_add_func("/times/slower/since-of-busy", test_since_of_busy);
    g_test_add_func("/times/slower/since-the-last", test_since_the_last);
    g_test_add_func("/times/slower/once", test_once);
    g_test_add_func("/times/slower/once-among-disturbed", test_once_among_disturbed);
    g_test_add_func("/times/slower/since-in-noise", test_since_in_noise);
    g_test_add_func("/times/slower/faster", test_faster);
    g_test_add_func("/times/slower/passes", test_passes);
    g_test_add_func("/times/slower/called-once", test_called_once);
    g_test_add_func("/times/slower/little", test_little);
    g_test_add_func("/times/slower/equal-runs", test_equal_runs);
    g_test_add_func("/times/slower/fault-in-noise", test_fault_in_noise);
    g_test_add_func("/times/slower/null", test_null);
    g_test_add_func("/times/slower/slower-than-others", test_slower_than_others);
    g_test_add_func("/times/slower/one-normal", test_one_normal);
    g_test_add_func("/times/slower/order", test_order);
    return g_test_run();
}
