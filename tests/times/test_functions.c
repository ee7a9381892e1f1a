/* Times of functions, of programs whose truth is kept beside them. */
#include "times/function_times.h"

#include "support/random.h"
#include "times/attribution.h"
#include "times/timed_program.h"
#include "times/weights.h"

enum { FIRST_CALLS = 64, STAMPED_ROUNDS = 8 };

typedef struct {
    DtTimedProgram *program;
    DtFunctions *functions;
    DtRun *run;
    DtFunctionTimes *times;
} Told;

static Told tell(DtTimedProgram *program)
{
    g_autoptr(GError) error = NULL;
    Told told = {program, dt_functions_new(), NULL, NULL};
    told.run = dt_timed_program_end(program, told.functions);
    told.times = dt_function_times_new(told.run, dt_run_trace(told.run, 0), &error);
    g_assert_no_error(error);
    g_assert_null(told.times->problem);
    return told;
}

static void clear_told(Told *told)
{
    dt_function_times_free(told->times);
    dt_run_free(told->run);
    dt_functions_unref(told->functions);
    dt_timed_program_free(told->program);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Told, clear_told)

static const DtFunctionTime *time_of(const Told *told, guint function)
{
    return dt_function_times_find(told->times, dt_timed_program_function(told->functions, function));
}

/* ---- random programs ------------------------------------------------------------------------- */

static gboolean chance(GRand *random, gdouble share)
{
    return g_rand_double(random) < share;
}

/* Recursive ones as well; `share` of the events have a stamp, the first and the last one always. Nothing is as short as
 * what recording takes. */
static DtTimedProgram *random_program(GRand *random, guint events, gdouble share)
{
    DtTimedProgram *program = dt_timed_program_new();
    dt_timed_program_enter(program, 0, TRUE);
    for (guint i = 0; i < events; i++) {
        dt_timed_program_work(program, 64 + (guint64)g_rand_int_range(random, 0, 1 << g_rand_int_range(random, 1, 20)));
        gboolean stamped = chance(random, share);
        if (program->open->len > 1 && (program->open->len > 12 || chance(random, 0.5)))
            dt_timed_program_leave(program, stamped);
        else
            dt_timed_program_enter(program, (guint)g_rand_int_range(random, 1, DT_PROGRAM_FUNCTIONS), stamped);
    }
    dt_timed_program_work(program, 1000);
    if (chance(random, 0.5)) {
        dt_timed_program_enter(program, 1, TRUE); /* and nothing returns */
    } else {
        while (program->open->len > 1)
            dt_timed_program_leave(program, chance(random, share));
        dt_timed_program_leave(program, TRUE);
    }
    return program;
}

static void check_sums(const Told *told)
{
    guint64 sum = told->times->outside_ns + told->times->tracer_ns;
    for (guint i = 0; i < told->times->functions->len; i++) {
        const DtFunctionTime *time = &g_array_index(told->times->functions, DtFunctionTime, i);
        sum += time->exclusive_ns;
        g_assert_cmpuint(time->told_ns, <=, time->exclusive_ns);
        g_assert_cmpuint(time->exclusive_ns, <=, time->inclusive_ns);
        g_assert_cmpuint(time->mpi_ns, <=, time->inclusive_ns);
    }
    g_assert_cmpuint(told->times->first_ns, ==, told->program->first);
    g_assert_cmpuint(told->times->last_ns, ==, told->program->now);
    g_assert_cmpuint(sum, ==, told->program->now - told->program->first);
    g_assert_cmpuint(time_of(told, 0)->inclusive_ns + told->times->tracer_ns, ==,
                     told->program->now - told->program->first);
}

static void test_stamp_at_every_event(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < 20; round++) {
        g_auto(Told) told = tell(random_program(random, 1 << (round % 12), 1));
        check_sums(&told);
        g_assert_cmpuint(told.times->outside_ns, ==, told.program->outside);
        for (guint i = 0; i < DT_PROGRAM_FUNCTIONS; i++) {
            const DtTruth *truth = &told.program->truth[i];
            const DtFunctionTime *time = time_of(&told, i);
            g_assert_true((time != NULL) == (truth->calls > 0));
            if (!time)
                continue;
            g_assert_cmpuint(time->calls, ==, truth->calls);
            g_assert_cmpuint(time->exclusive_ns, ==, truth->exclusive);
            g_assert_cmpuint(time->inclusive_ns, ==, truth->inclusive);
            g_assert_cmpuint(time->mpi_ns, ==, truth->mpi);
        }
    }
}

/* Each event has its time or one between its neighbours'. */
static void check_events(const Told *told)
{
    g_autoptr(GError) error = NULL;
    DtPlacedEvent events[100];
    guint number = 0;
    guint64 latest = told->program->first;
    g_autoptr(DtAttribution) attribution = dt_attribution_new(told->run, dt_run_trace(told->run, 0), &error);
    g_assert_no_error(error);
    g_autoptr(DtPlacedReader) reader = dt_placed_reader_open(attribution, &error);
    g_assert_no_error(error);
    for (gsize count; (count = dt_placed_reader_next(reader, events, G_N_ELEMENTS(events))) > 0;)
        for (gsize i = 0; i < count; i++, number++) {
            g_assert_cmpint(events[i].stamped, ==, g_array_index(told->program->stamped, gboolean, number));
            if (events[i].stamped)
                g_assert_cmpuint(events[i].ns, ==, g_array_index(told->program->times, guint64, number));
            g_assert_cmpuint(events[i].ns, >=, latest);
            latest = events[i].ns;
        }
    g_assert_cmpuint(number, ==, told->program->times->len);
    g_assert_cmpuint(latest, <=, told->program->now);
}

static void test_random_stamps(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < 40; round++) {
        const gdouble share = round % 4 == 0 ? 0 : g_rand_double(random);
        g_auto(Told) told = tell(random_program(random, 1 << (round % 14), share));
        check_sums(&told);
        check_events(&told);
        for (guint i = 0; i < DT_PROGRAM_FUNCTIONS; i++)
            if (told.program->truth[i].calls > 0)
                g_assert_cmpuint(time_of(&told, i)->calls, ==, told.program->truth[i].calls);
    }
}

static void test_without_times(void)
{
    DtTimedProgram *program = dt_timed_program_new();
    dt_timed_program_enter(program, 0, FALSE);
    dt_timed_program_work(program, 1000);
    dt_timed_program_enter(program, 1, FALSE);
    dt_timed_program_leave(program, FALSE);
    g_auto(Told) told = tell(program);
    g_assert_cmpuint(told.times->last_ns, ==, 0);
    g_assert_cmpuint(time_of(&told, 1)->calls, ==, 1);
    g_assert_cmpuint(time_of(&told, 1)->exclusive_ns, ==, 0);
}

/* ---- what is learned ------------------------------------------------------------------------- */

static guint64 about(GRand *random, guint64 ns)
{
    return ns - ns / 10 + (guint64)g_rand_int_range(random, 0, (gint32)MAX(ns / 5, 2));
}

static void call(DtTimedProgram *program, GRand *random, guint function, guint64 ns, gboolean stamped)
{
    dt_timed_program_enter(program, function, stamped);
    dt_timed_program_work(program, about(random, ns));
    dt_timed_program_leave(program, stamped);
}

static void assert_near(const Told *told, guint function, gdouble tolerance)
{
    const gdouble exact = (gdouble)told->program->truth[function].exclusive;
    const gdouble is = (gdouble)time_of(told, function)->exclusive_ns;
    g_test_message("f%u: %.0f ns, told %.0f ns", function, exact, is);
    g_assert_cmpfloat(ABS(is - exact), <=, tolerance * exact);
}

/* Calls of f1 to f4 in random numbers between stamps, each of its own length; the first ones have stamps: a function
 * and what its caller does behind it always come together. */
static void test_mixed(void)
{
    static const guint64 lengths[] = {0, 1000, 3000, 500, 10000};
    g_autoptr(GRand) random = dt_test_random();
    DtTimedProgram *program = dt_timed_program_new();
    dt_timed_program_enter(program, 0, TRUE);
    for (guint i = 0; i < 2000; i++) {
        for (guint function = 1; function < G_N_ELEMENTS(lengths); function++)
            for (gint left = g_rand_int_range(random, 0, 20); left > 0; left--) {
                dt_timed_program_work(program, about(random, 200));
                call(program, random, function, lengths[function], i < STAMPED_ROUNDS);
            }
        dt_timed_program_work(program, about(random, 200));
        call(program, random, 7, 500, TRUE);
    }
    dt_timed_program_leave(program, TRUE);
    g_auto(Told) told = tell(program);
    check_sums(&told);
    for (guint i = 1; i < G_N_ELEMENTS(lengths); i++)
        assert_near(&told, i, 0.05);
}

/* Each stamp of f1's takes 20 ns before it and 20 ns behind it; main does nothing between its calls. */
static void test_cost_of_stamps(void)
{
    enum { CALLS = 10000, HALF = 20 };
    DtTimedProgram *program = dt_timed_program_new();
    dt_timed_program_enter(program, 0, TRUE);
    for (guint i = 0; i < CALLS; i++) {
        dt_timed_program_work(program, (i == 0 ? 0 : HALF) + HALF);
        dt_timed_program_enter(program, 1, TRUE);
        dt_timed_program_work(program, HALF + 2000 + HALF);
        dt_timed_program_leave(program, TRUE);
    }
    dt_timed_program_leave(program, TRUE);
    g_auto(Told) told = tell(program);
    check_sums(&told);
    g_assert_cmpuint(time_of(&told, 0)->exclusive_ns, <=, CALLS);
    g_assert_cmpuint(told.times->tracer_ns, >=, (CALLS - 1) * 2 * HALF);
    assert_near(&told, 1, 0.03);
}

/* f1 calls itself twice, then f2, which takes 100 ns for each call below; f1 behind it takes 70. */
static void recur(DtTimedProgram *program, GRand *random, guint levels, guint *stamped)
{
    const gboolean has = *stamped > 0;
    if (has)
        --*stamped;
    dt_timed_program_enter(program, 1, has);
    dt_timed_program_work(program, about(random, 100));
    if (levels > 0) {
        recur(program, random, levels - 1, stamped);
        dt_timed_program_work(program, about(random, 100));
        recur(program, random, levels - 1, stamped);
        dt_timed_program_work(program, about(random, 100));
        call(program, random, 2, 100U << levels, has);
        dt_timed_program_work(program, about(random, 70U << levels));
    }
    dt_timed_program_leave(program, has);
}

/* What a call takes depends on how deep it is, and all come together. */
static void test_recursion(void)
{
    enum { LEVELS = 14 };
    g_autoptr(GRand) random = dt_test_random();
    DtTimedProgram *program = dt_timed_program_new();
    guint stamped = FIRST_CALLS * 4;
    dt_timed_program_enter(program, 0, TRUE);
    for (guint i = 0; i < 8; i++) {
        recur(program, random, LEVELS, &stamped);
        call(program, random, 7, 500, TRUE);
    }
    dt_timed_program_leave(program, TRUE);
    g_auto(Told) told = tell(program);
    check_sums(&told);
    assert_near(&told, 1, 0.2);
    assert_near(&told, 2, 0.1);
}

/* f1 and f2 always come together: only their first calls, which have stamps, tell them apart. */
static void test_alternating(void)
{
    g_autoptr(GRand) random = dt_test_random();
    DtTimedProgram *program = dt_timed_program_new();
    dt_timed_program_enter(program, 0, TRUE);
    for (guint i = 0; i < 20000; i++) {
        dt_timed_program_work(program, about(random, 100));
        call(program, random, 1, 10000, i < FIRST_CALLS);
        dt_timed_program_work(program, about(random, 100));
        call(program, random, 2, 400, i < FIRST_CALLS);
        if (i % 500 == 0)
            call(program, random, 7, 500, TRUE);
    }
    dt_timed_program_leave(program, TRUE);
    g_auto(Told) told = tell(program);
    check_sums(&told);
    assert_near(&told, 1, 0.05);
    assert_near(&told, 2, 0.1);
}

static void add_interval(DtWeights *weights, guint first, guint second, guint64 ns)
{
    for (guint i = 0; i < first; i++)
        dt_weights_gap(weights, 0);
    for (guint i = 0; i < second; i++)
        dt_weights_gap(weights, 1);
    dt_weights_interval(weights, ns);
}

/* One interval is longer than all others together: the weights stay. */
static void test_outlier(void)
{
    g_autoptr(GRand) random = dt_test_random();
    g_autoptr(DtWeights) weights = dt_weights_new();
    for (guint i = 0; i < 1000; i++) {
        const guint first = (guint)g_rand_int_range(random, 1, 20), second = (guint)g_rand_int_range(random, 1, 20);
        add_interval(weights, first, second, (i == 500 ? 3000000 : 0) + first * 100 + second * 1000);
    }
    dt_weights_learn(weights, NULL);
    g_assert_cmpfloat(ABS(dt_weights_of(weights, 0) - 100), <, 3);
    g_assert_cmpfloat(ABS(dt_weights_of(weights, 1) - 1000), <, 10);
}

/* More intervals than are kept. */
static void test_many_intervals(void)
{
    enum { MANY = 3000000 };
    g_autoptr(DtWeights) weights = dt_weights_new();
    for (guint i = 0; i < MANY; i++) {
        const guint first = 1 + i % 3, second = 1 + i % 5;
        add_interval(weights, first, second, first * 200 + second * 50);
    }
    dt_weights_learn(weights, NULL);
    g_assert_cmpfloat(ABS(dt_weights_of(weights, 0) - 200), <, 2);
    g_assert_cmpfloat(ABS(dt_weights_of(weights, 1) - 50), <, 2);
}

/* ---- single calls ---------------------------------------------------------------------------- */

/* f1 has stamps and is slow from its 16th call on; f2 in it has none, f3 neither and is called outside, too. */
static void test_series(void)
{
    DtTimedProgram *program = dt_timed_program_new();
    dt_timed_program_enter(program, 0, TRUE);
    for (guint i = 0; i < 20; i++) {
        dt_timed_program_enter(program, 1, TRUE);
        dt_timed_program_work(program, i < 15 ? 1000 : 3000);
        dt_timed_program_enter(program, 7, TRUE);
        dt_timed_program_work(program, 500 * (i + 1));
        dt_timed_program_leave(program, TRUE);
        dt_timed_program_leave(program, TRUE);
        dt_timed_program_enter(program, 4, TRUE);
        for (guint each = 0; each < 3; each++) {
            dt_timed_program_enter(program, 2, FALSE);
            dt_timed_program_work(program, 100);
            dt_timed_program_leave(program, FALSE);
        }
        dt_timed_program_leave(program, TRUE);
        dt_timed_program_enter(program, 3, FALSE);
        dt_timed_program_leave(program, FALSE);
    }
    dt_timed_program_leave(program, TRUE);
    g_auto(Told) told = tell(program);
    const DtFunctionTime *slow = time_of(&told, 1), *inside = time_of(&told, 2), *outside = time_of(&told, 3);
    g_assert_cmpint(slow->of, ==, DT_SERIES_OF_CALLS);
    g_assert_cmpuint(slow->series.count, ==, 20);
    for (guint i = 0; i < 20; i++) {
        const DtSeriesBlock block = dt_call_series_part(&slow->series, i, 1);
        g_assert_cmpuint(block.sum, ==, i < 15 ? 1000 : 3000);
    }
    const DtSeriesBlock before = dt_call_series_part(&slow->series, 0, 15);
    const DtSeriesBlock after = dt_call_series_part(&slow->series, 15, 5);
    g_assert_cmpuint(dt_series_block_floor(&before), ==, 1000);
    g_assert_cmpuint(dt_series_block_floor(&after), ==, 3000);
    g_assert_cmpint(inside->of, ==, DT_SERIES_OF_PASSES);
    g_assert_cmpuint(inside->within, ==, dt_timed_program_function(told.functions, 4));
    g_assert_cmpuint(inside->series.count, ==, 20);
    g_assert_cmpuint(dt_call_series_part(&inside->series, 0, 20).sum, ==, inside->exclusive_ns);
    g_assert_cmpuint(outside->within, ==, dt_timed_program_function(told.functions, 0));
    g_assert_cmpuint(outside->series.count, ==, 1);
}

/* A function that comes late in the run, one of each pass, and what is called before the loop and behind it. */
static void test_by_pass(void)
{
    enum { PASSES = 10, LATE = 3 };
    DtTimedProgram *program = dt_timed_program_new();
    g_autoptr(GArray) passes = g_array_new(FALSE, FALSE, sizeof(DtLoopPass));
    dt_timed_program_enter(program, 0, TRUE);
    dt_timed_program_enter(program, 3, TRUE);
    dt_timed_program_work(program, 5000);
    dt_timed_program_leave(program, TRUE);
    for (guint i = 0; i < PASSES; i++) {
        DtLoopPass pass = {program->now, 0, 0};
        for (guint function = 1; function <= (i < LATE ? 1 : 2); function++) {
            dt_timed_program_enter(program, function, TRUE);
            dt_timed_program_work(program, function * 1000 + i);
            dt_timed_program_leave(program, TRUE);
        }
        dt_timed_program_work(program, 100);
        pass.ns = program->now - pass.begin_ns;
        g_array_append_val(passes, pass);
    }
    dt_timed_program_enter(program, 1, TRUE);
    dt_timed_program_work(program, 7000);
    dt_timed_program_leave(program, TRUE);
    dt_timed_program_leave(program, TRUE);
    g_auto(Told) told = tell(program);
    g_assert_null(time_of(&told, 1)->by_pass.blocks);
    dt_function_times_free(told.times);
    told.times = dt_function_times_by_pass(told.run, dt_run_trace(told.run, 0), passes, NULL);
    const DtCallSeries *of_main = &time_of(&told, 0)->by_pass, *each = &time_of(&told, 1)->by_pass;
    const DtCallSeries *late = &time_of(&told, 2)->by_pass;
    g_assert_cmpuint(of_main->count, ==, PASSES);
    g_assert_cmpuint(each->count, ==, PASSES);
    g_assert_cmpuint(late->count, ==, PASSES);
    g_assert_cmpuint(time_of(&told, 3)->by_pass.count, ==, 0);
    for (guint i = 0; i < PASSES; i++) {
        const DtSeriesBlock block = dt_call_series_part(each, i, 1);
        g_assert_cmpuint(block.sum, ==, 1000 + i);
        g_assert_cmpuint(block.begin_ns, ==, g_array_index(passes, DtLoopPass, i).begin_ns);
        g_assert_cmpuint(dt_call_series_part(late, i, 1).sum, ==, i < LATE ? 0 : 2000 + i);
        g_assert_cmpuint(dt_call_series_part(of_main, i, 1).sum, ==, 100);
    }
}

/* Calls of 2 ms, of which the thread waits one each for a processor that others have, but for the last, which works all
 * the time, and a short one, of which nobody knows; `read` tells whether the clock is read where calls end. */
static void test_work(gconstpointer read)
{
    enum { CALLS = 10, MS = 1000000 };
    guint64 used = 5 * MS;
    DtTimedProgram *program = dt_timed_program_new();
    dt_timed_program_enter(program, 0, TRUE);
    for (guint i = 0; i < CALLS; i++) {
        dt_thread_writer_processor_time(program->thread, program->now, used);
        dt_timed_program_enter(program, 1, TRUE);
        dt_timed_program_work(program, MS / 2);
        dt_timed_program_enter(program, 2, TRUE);
        dt_timed_program_work(program, 2 * MS);
        used += i == CALLS - 1 ? 2 * MS : MS;
        dt_timed_program_leave(program, TRUE);
        if (read)
            dt_thread_writer_processor_time(program->thread, program->now, used);
        dt_timed_program_work(program, MS);
        dt_timed_program_leave(program, TRUE);
    }
    if (read)
        dt_thread_writer_processor_time(program->thread, program->now, used);
    dt_timed_program_leave(program, TRUE);
    g_auto(Told) told = tell(program);
    const DtFunctionTime *inner = time_of(&told, 2);
    g_assert_cmpint(told.times->work_known, ==, read != NULL);
    g_assert_cmpuint(inner->series.count, ==, CALLS);
    g_assert_cmpuint(inner->work.count, ==, CALLS);
    g_assert_cmpuint(dt_call_series_part(&inner->series, 0, CALLS).largest, ==, 2 * MS);
    if (!read)
        return;
    /* Of the caller only what lies behind the reading is known not to have used any. */
    g_assert_cmpuint(dt_call_series_part(&inner->work, 0, 1).sum, ==, MS);
    g_assert_cmpuint(dt_call_series_part(&inner->work, CALLS - 1, 1).sum, ==, 2 * MS);
    g_assert_cmpuint(dt_call_series_part(&time_of(&told, 1)->work, 0, 1).sum, ==, MS / 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/times/functions/every-event", test_stamp_at_every_event);
    g_test_add_func("/times/functions/random-stamps", test_random_stamps);
    g_test_add_func("/times/functions/without-times", test_without_times);
    g_test_add_func("/times/functions/mixed", test_mixed);
    g_test_add_func("/times/functions/cost-of-stamps", test_cost_of_stamps);
    g_test_add_func("/times/functions/recursion", test_recursion);
    g_test_add_func("/times/functions/alternating", test_alternating);
    g_test_add_func("/times/functions/outlier", test_outlier);
    g_test_add_func("/times/functions/many-intervals", test_many_intervals);
    g_test_add_func("/times/functions/series", test_series);
    g_test_add_func("/times/functions/by-pass", test_by_pass);
    g_test_add_data_func("/times/functions/work", "read", test_work);
    g_test_add_data_func("/times/functions/work-unknown", NULL, test_work);
    return g_test_run();
}
