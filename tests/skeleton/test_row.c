/* Rows of values: folded ones give their values back, and regular ones are short. */
#include "skeleton/row.h"
#include "support/random.h"

enum { MOST = 400, ROUNDS = 3000 };

static void check_values(const DtValue *values, gsize count)
{
    g_autoptr(DtRow) row = dt_row_fold(values, count);
    DtRowCursor cursor;
    g_assert_cmpuint(row->length, ==, count);
    dt_row_cursor_begin(&cursor, row);
    for (gsize i = 0; i < count; i++)
        g_assert_cmpint(dt_row_cursor_next(&cursor), ==, values[i]);
    g_autoptr(DtRow) copy = dt_row_copy(row);
    g_assert_true(dt_row_equal(row, copy));
    g_assert_cmpuint(dt_row_hash(row), ==, dt_row_hash(copy));
}

static void test_random(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < ROUNDS; round++) {
        DtValue values[MOST];
        gsize count = (gsize)g_rand_int_range(random, 1, MOST);
        gint period = g_rand_int_range(random, 1, 20), kinds = g_rand_int_range(random, 1, 5);
        for (gsize i = 0; i < count; i++)
            values[i] = (gint)i >= period && g_rand_int_range(random, 0, 10) > 0
                            ? values[i - (gsize)period] + (round % 3)
                            : g_rand_int_range(random, -kinds, kinds);
        check_values(values, count);
    }
}

/* A tag that counts iterations is one value, also if the counting starts anew each time. */
static void test_progressions(void)
{
    DtValue values[300];
    for (gsize i = 0; i < G_N_ELEMENTS(values); i++)
        values[i] = (DtValue)(i % 60);
    check_values(values, G_N_ELEMENTS(values));
    g_autoptr(DtRow) counting = dt_row_fold(values, 60);
    g_assert_cmpuint(dt_row_size(counting), ==, 1);
    g_autoptr(DtRow) anew = dt_row_fold(values, G_N_ELEMENTS(values));
    g_assert_cmpuint(dt_row_size(anew), ==, 2);
    g_assert_cmpuint(anew->part[0].count, ==, 5);
}

/* Ends of the numbers, and what would go past them. */
static void test_extremes(void)
{
    const DtValue values[] = {
        G_MININT64, DT_FIRST_ATOM, DT_FIRST_ATOM + 1, DT_FIRST_ATOM + 2, G_MININT64 + 1, 0, DT_FIRST_ATOM - 1, 7, 7, 7};
    check_values(values, G_N_ELEMENTS(values));
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(DtRowPart));
    const DtRowPart large = {.first = 1, .count = G_MAXINT64};
    g_array_append_val(parts, large);
    g_array_append_val(parts, large);
    g_assert_null(dt_row_of_parts(parts));
}

static void test_one_value(void)
{
    const DtValue value = 5;
    g_autoptr(DtRow) row = dt_row_fold(&value, 1);
    DtRowCursor cursor;
    dt_row_cursor_begin(&cursor, row);
    for (guint i = 0; i < 10; i++)
        g_assert_cmpint(dt_row_cursor_next(&cursor), ==, 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/skeleton/row/random", test_random);
    g_test_add_func("/skeleton/row/progressions", test_progressions);
    g_test_add_func("/skeleton/row/extremes", test_extremes);
    g_test_add_func("/skeleton/row/one-value", test_one_value);
    return g_test_run();
}
