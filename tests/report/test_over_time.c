/* Rows of the time matrix, of traces whose shares are known. */
#include "report/times/over_time_rows.h"

#include "support/random.h"

enum { TRACES = 200, COLUMNS = 20, KINDS = 3, MOST = 60 };

typedef struct {
    DtTrace traces[TRACES];
    char labels[TRACES][8];
    GArray *of_traces, *in_mpi;
    DtCallTimes times;
} Matrix;

/* Three kinds of ranks in turn; each trace `noise` off. Spans are 1000 ns a column. */
static void matrix_init(Matrix *matrix, guint traces, gdouble noise)
{
    g_autoptr(GRand) random = dt_test_random();
    *matrix = (Matrix){.of_traces = g_array_new(FALSE, TRUE, sizeof(DtTraceTime)),
                       .in_mpi = g_array_new(FALSE, FALSE, sizeof(gdouble))};
    for (guint i = 0; i < traces; i++) {
        g_snprintf(matrix->labels[i], sizeof matrix->labels[i], "%u.0", i);
        matrix->traces[i] = (DtTrace){.label = matrix->labels[i], .index = i};
        const DtTraceTime time = {.trace = &matrix->traces[i]};
        g_array_append_val(matrix->of_traces, time);
        for (guint column = 0; column < COLUMNS; column++) {
            const gdouble share = 0.4 * (i % KINDS) + g_rand_double_range(random, 0, noise + 1e-9);
            const gdouble ns = 1000 * MIN(share, 1);
            g_array_append_val(matrix->in_mpi, ns);
        }
    }
    matrix->times = (DtCallTimes){.traces = matrix->of_traces,
                                  .first_ns = 5000,
                                  .last_ns = 5000 + 1000 * COLUMNS,
                                  .columns = COLUMNS,
                                  .in_mpi = matrix->in_mpi};
}

static void matrix_clear(Matrix *matrix)
{
    g_array_unref(matrix->of_traces);
    g_array_unref(matrix->in_mpi);
}

static void test_few(void)
{
    Matrix matrix;
    matrix_init(&matrix, MOST, 0.01);
    g_autoptr(DtOverTimeRows) rows = dt_over_time_rows_new(&matrix.times, 0, MOST);
    g_assert_cmpuint(rows->labels->len, ==, MOST);
    g_assert_cmpfloat(rows->apart, ==, 0);
    g_assert_cmpstr(rows->labels->pdata[7], ==, "7.0");
    matrix_clear(&matrix);
}

static void test_kinds(void)
{
    Matrix matrix;
    matrix_init(&matrix, TRACES, 0.01);
    g_autoptr(DtOverTimeRows) rows = dt_over_time_rows_new(&matrix.times, 0, MOST);
    g_assert_cmpuint(rows->labels->len, ==, KINDS);
    g_assert_cmpuint(rows->traces, ==, TRACES);
    g_assert_cmpstr(rows->labels->pdata[1], ==, "1.0 +66");
    for (guint i = 0; i < KINDS * COLUMNS; i++)
        g_assert_cmpfloat_with_epsilon(rows->shares[i], 0.4 * (i / COLUMNS), 0.011);
    g_autoptr(DtOverTimeRows) shown = dt_over_time_rows_new(&matrix.times, 100, MOST);
    g_assert_cmpuint(shown->labels->len, ==, 100);
    matrix_clear(&matrix);
}

/* Where all differ, rows become wider until they are few enough; sums over traces stay. */
static void test_all_differ(void)
{
    Matrix matrix;
    matrix_init(&matrix, TRACES, 0.6);
    g_autoptr(DtOverTimeRows) rows = dt_over_time_rows_new(&matrix.times, 0, MOST);
    g_assert_cmpuint(rows->labels->len, <=, MOST);
    g_assert_cmpfloat(rows->apart, >, 0.02);
    matrix_clear(&matrix);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/over-time/few", test_few);
    g_test_add_func("/over-time/kinds", test_kinds);
    g_test_add_func("/over-time/all-differ", test_all_differ);
    return g_test_run();
}
