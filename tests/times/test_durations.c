/* Durations and series of them, against plain lists. */
#include <stdlib.h>

#include "support/random.h"
#include "times/call_series.h"
#include "times/durations.h"

static int compare(const void *first, const void *second)
{
    const guint64 *one = first, *two = second;
    return (*one > *two) - (*one < *two);
}

/* Of all sizes. */
static guint64 random_ns(GRand *random)
{
    return g_rand_int(random) >> g_rand_int_range(random, 0, 32) << g_rand_int_range(random, 0, 16);
}

static void check_quantiles(const DtDurations *durations, guint64 *list, guint count)
{
    qsort(list, count, sizeof(*list), compare);
    for (guint eighths = 0; eighths <= 8; eighths++) {
        const gdouble share = eighths / 8.0;
        const guint64 exact = list[MIN((guint)(share * count), count - 1)];
        const guint64 told = dt_durations_quantile(durations, share);
        if (count <= 128)
            g_assert_cmpuint(told, ==, exact);
        g_assert_cmpfloat((gdouble)told, >=, (gdouble)exact * (1 - 0.032) - 1);
        g_assert_cmpfloat((gdouble)told, <=, (gdouble)exact * (1 + 0.032) + 1);
    }
    gdouble sum = 0;
    for (guint i = 0; i < count; i++)
        sum += (gdouble)list[i];
    const gdouble mean = dt_durations_trimmed_mean(durations, 1);
    g_assert_cmpfloat(ABS(mean - sum / count), <=, 0.032 * sum / count + 1);
}

static void test_durations(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint count = 1; count < 2000; count += 1 + count / 3) {
        g_auto(DtDurations) first = {0}, second = {0};
        g_autofree guint64 *list = g_new(guint64, count);
        guint64 sum = 0;
        for (guint i = 0; i < count; i++) {
            list[i] = random_ns(random);
            sum += list[i];
            dt_durations_add(i % 3 == 0 ? &first : &second, list[i]);
        }
        dt_durations_merge(&first, &second);
        g_assert_cmpuint(first.count, ==, count);
        g_assert_cmpuint(first.sum, ==, sum);
        check_quantiles(&first, list, count);
        g_assert_cmpuint(first.smallest, ==, list[0]);
        g_assert_cmpuint(first.largest, ==, list[count - 1]);
    }
    g_auto(DtDurations) none = {0};
    g_assert_cmpuint(dt_durations_quantile(&none, 0.5), ==, 0);
}

static DtSeriesBlock block_of(const guint64 *list, guint first, guint count)
{
    g_autofree guint64 *sorted = g_memdup2(list + first, count * sizeof(*list));
    DtSeriesBlock block = {.begin_ns = first, .count = count};
    qsort(sorted, count, sizeof(*sorted), compare);
    for (guint i = 0; i < count; i++)
        block.sum += sorted[i];
    block.smallest = sorted[0];
    block.second = sorted[MIN(1, count - 1)];
    block.largest = sorted[count - 1];
    return block;
}

static void assert_block(const DtSeriesBlock *told, const DtSeriesBlock *expected)
{
    g_assert_cmpuint(told->begin_ns, ==, expected->begin_ns);
    g_assert_cmpuint(told->count, ==, expected->count);
    g_assert_cmpuint(told->sum, ==, expected->sum);
    g_assert_cmpuint(told->smallest, ==, expected->smallest);
    g_assert_cmpuint(told->second, ==, expected->second);
    g_assert_cmpuint(told->largest, ==, expected->largest);
}

static void test_series(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint count = 1; count < 5000; count += 1 + count / 4) {
        g_auto(DtCallSeries) series = {0};
        g_autofree guint64 *list = g_new(guint64, count);
        for (guint i = 0; i < count; i++) {
            list[i] = random_ns(random);
            dt_call_series_add(&series, i, list[i]);
        }
        g_assert_cmpuint(series.count, ==, count);
        g_assert_cmpuint(series.blocks->len, <=, DT_SERIES_BLOCKS);
        g_assert_true(count <= DT_SERIES_BLOCKS ? series.a_block == 1 : series.a_block > 1);
        for (guint i = 0; i < series.blocks->len; i++) {
            const guint first = (guint)(i * series.a_block);
            const DtSeriesBlock expected = block_of(list, first, MIN((guint)series.a_block, count - first));
            const DtSeriesBlock told = dt_call_series_part(&series, i, 1);
            assert_block(&told, &expected);
        }
        const DtSeriesBlock all = dt_call_series_part(&series, 0, G_MAXUINT), expected = block_of(list, 0, count);
        assert_block(&all, &expected);
        g_assert_cmpuint(dt_series_block_floor(&all), ==, count < 6 ? expected.smallest : expected.second);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/times/durations", test_durations);
    g_test_add_func("/times/series", test_series);
    return g_test_run();
}
