/* What passed between the calls of a skeleton: of runs whose times are given, and of random ones that the test sums up
 * by itself. */
#include "times/skeleton_times.h"

#include <string.h>

#include "skeleton/node_times.h"
#include "support/random.h"
#include "timed_run.h"

#define MS G_GINT64_CONSTANT(1000000)

static DtSkeleton *skeleton_with(TimedRun *timed, gboolean processor_times)
{
    g_autoptr(GError) error = NULL;
    const DtSkeletonOptions options = {.no_lines = TRUE, .processor_times = processor_times};
    const DtRun *run = timed_run_open(timed);
    DtSkeleton *skeleton = dt_skeleton_of_run(run, &options, &error);
    g_assert_no_error(error);
    g_assert_true(dt_skeleton_add_times(skeleton, run, &options, &error));
    return skeleton;
}

static DtSkeleton *skeleton_of(TimedRun *timed)
{
    return skeleton_with(timed, FALSE);
}

/* Text, read and written again, is the same text, with the same times. */
static char *text_of(const DtSkeleton *skeleton)
{
    g_autoptr(GError) error = NULL;
    char *text = dt_skeleton_text(skeleton);
    g_autoptr(DtSkeleton) read = dt_skeleton_parse(text, "text", &error);
    g_assert_no_error(error);
    g_autofree char *again = dt_skeleton_text(read);
    g_assert_cmpstr(again, ==, text);
    return text;
}

static void collective(TimedRun *run, guint rank, const char *name, gint64 *now, gint64 before)
{
    *now += before;
    timed_collective(run, rank, name, 0, -1, *now, *now + MS);
    *now += MS;
}

/* Rank 2 takes three times as long, and from the sixth step on all take twice as long between the two calls. */
static void test_known(void)
{
    g_autoptr(TimedRun) run = timed_run_new(4, NULL);
    for (guint rank = 0; rank < 4; rank++) {
        gint64 now = MS;
        timed_collective(run, rank, "MPI_Init", 0, -1, now, now + MS);
        now += MS;
        for (guint step = 0; step < 10; step++) {
            collective(run, rank, "MPI_Allreduce", &now, (rank == 2 ? 30 : 10) * MS + rank * MS / 10);
            collective(run, rank, "MPI_Barrier", &now, (step < 5 ? 5 : 10) * MS);
        }
    }
    g_autoptr(DtSkeleton) skeleton = skeleton_of(run);
    g_autofree char *text = text_of(skeleton);
    const char *loop = strstr(text, "10 times\n");
    g_assert_nonnull(loop);
    g_assert_cmpstr(loop, ==,
                    "10 times\n"
                    "  MPI_Allreduce(world)\n"
                    "    on !2: after -1: 3 x 10.13ms (10ms to 10.3ms)\n"
                    "    on 2: after -1: 1 x 30.2ms\n"
                    "    on !2: after +1: 27 x 10.13ms (10ms to 10.3ms)\n"
                    "    on 2: after +1: 9 x 30.2ms\n"
                    "  MPI_Barrier(world)\n"
                    "    after -1: 40 x 7.5ms (5ms to 10ms) [5ms^5 10ms^5]\n");
    g_autofree char *without = dt_skeleton_text_with(skeleton, DT_TEXT_NO_TIMES);
    g_assert_null(strstr(without, "after"));
    dt_skeleton_drop_times(skeleton);
    g_assert_false(dt_skeleton_has_times(skeleton));
    g_autofree char *dropped = dt_skeleton_text(skeleton);
    g_assert_cmpstr(dropped, ==, without);
}

/* Sums, extremes and numbers of all lines of a pair are those of what was written down. */
typedef struct {
    guint64 count;
    gdouble sum;
    gint64 least, most;
} Sum;

static void add(Sum *sum, gint64 gap)
{
    sum->least = sum->count == 0 ? gap : MIN(sum->least, gap);
    sum->most = MAX(sum->most, gap);
    sum->sum += (gdouble)gap;
    sum->count++;
}

static gdouble sum_of_row(const DtRow *row, guint64 visits)
{
    gdouble sum = 0;
    DtRowCursor cursor;
    dt_row_cursor_begin(&cursor, row);
    for (guint64 i = 0; i < visits; i++)
        sum += (gdouble)dt_row_cursor_next(&cursor);
    return sum;
}

static void check_pair(const DtSkeletonNode *node, gint64 after, const Sum *expected, guint64 visits)
{
    Sum told = {.least = G_MAXINT64};
    gdouble by_rows = 0;
    guint lines = 0;
    for (guint i = 0; i < node->times->len; i++) {
        const DtNodeTime *time = &g_array_index(node->times, DtNodeTime, i);
        if (time->after != after)
            continue;
        lines++;
        told.count += time->count;
        told.sum += (gdouble)time->mean * (gdouble)time->count;
        told.least = MIN(told.least, time->least);
        told.most = MAX(told.most, time->most);
        by_rows += sum_of_row(time->row, visits) * dt_rank_set_count(time->on);
        g_assert_cmpuint(time->row->parts, <=, 16);
    }
    g_assert_cmpuint(lines, <=, 8);
    g_assert_cmpuint(told.count, ==, expected->count);
    g_assert_cmpfloat_with_epsilon(told.sum, expected->sum, 1e-3 * expected->sum + 1);
    g_assert_cmpfloat_with_epsilon(by_rows, expected->sum, 1e-3 * expected->sum + 1);
    g_assert_cmpint(told.least, ==, dt_time_rounded((gdouble)expected->least));
    g_assert_cmpint(told.most, ==, dt_time_rounded((gdouble)expected->most));
}

static void test_sums(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < 20; round++) {
        const guint ranks = (guint)g_rand_int_range(random, 1, 12), steps = (guint)g_rand_int_range(random, 5, 300);
        g_autoptr(TimedRun) run = timed_run_new(ranks, NULL);
        Sum sums[2] = {{0}, {0}};
        for (guint rank = 0; rank < ranks; rank++) {
            gint64 now = MS;
            timed_collective(run, rank, "MPI_Init", 0, -1, now, now + MS);
            now += MS;
            for (guint step = 0; step < steps; step++) {
                gint64 one = g_rand_int_range(random, 0, 1 << g_rand_int_range(random, 1, 24)),
                       other = g_rand_int_range(random, 0, 1000) * (gint64)(rank + 1);
                collective(run, rank, "MPI_Allreduce", &now, one);
                collective(run, rank, "MPI_Barrier", &now, other);
                if (step > 0)
                    add(&sums[0], one);
                add(&sums[1], other);
            }
        }
        g_autoptr(DtSkeleton) skeleton = skeleton_of(run);
        g_autoptr(GPtrArray) calls = dt_skeleton_calls(skeleton->threads->pdata[0]);
        g_assert_cmpuint(calls->len, ==, 3);
        check_pair(calls->pdata[1], 1, &sums[0], steps - 1);
        check_pair(calls->pdata[2], -1, &sums[1], steps);
    }
}

/* What passed before a call without times is told with the next one. */
static void test_untimed(void)
{
    g_autoptr(TimedRun) run = timed_run_new(1, NULL);
    timed_collective(run, 0, "MPI_Init", 0, -1, MS / 2, MS);
    timed_collective(run, 0, "MPI_Barrier", 0, -1, 2 * MS, 3 * MS);
    timed_enter(run, 0, "MPI_Wtime");
    timed_leave(run, 0);
    timed_collective(run, 0, "MPI_Allreduce", 0, -1, 7 * MS, 9 * MS);
    timed_open_call(run, 0, "MPI_Finalize", 12 * MS);
    g_autoptr(DtSkeleton) skeleton = skeleton_of(run);
    g_autofree char *text = text_of(skeleton);
    g_assert_nonnull(strstr(text, "MPI_Barrier(world)\n"
                                  "  after -1: 1 x 1ms\n"
                                  "MPI_Wtime\n"
                                  "MPI_Allreduce(world)\n"
                                  "  after -1: 1 x 4ms\n"
                                  "MPI_Finalize; open 1\n"
                                  "  after -1: 1 x 3ms\n"));
}

/* Others had the processor for 3 of 5 ms; of the last 4 ms nothing is known. */
static void check_used(gboolean processor_times, gint64 read_at, const char *time)
{
    g_autoptr(TimedRun) run = timed_run_new(1, NULL);
    timed_collective(run, 0, "MPI_Init", 0, -1, MS / 2, MS);
    timed_processor(run, 0, MS, MS / 4);
    if (read_at == 6 * MS)
        timed_processor(run, 0, read_at, MS / 4 + 2 * MS);
    timed_collective(run, 0, "MPI_Barrier", 0, -1, 6 * MS, 7 * MS);
    if (read_at != 6 * MS)
        timed_processor(run, 0, read_at, MS / 4 + 2 * MS);
    timed_collective(run, 0, "MPI_Allreduce", 0, -1, 11 * MS, 12 * MS);
    g_autoptr(DtSkeleton) skeleton = skeleton_with(run, processor_times);
    g_autofree char *text = text_of(skeleton), *expected = g_strdup_printf("MPI_Barrier(world)\n"
                                                                           "  after -1: 1 x %s\n"
                                                                           "MPI_Allreduce(world)\n"
                                                                           "  after -1: 1 x 4ms\n",
                                                                           time);
    g_assert_nonnull(strstr(text, expected));
}

/* Read at the end of what passed, the clock tells exactly; behind the call, 2 of 6 ms were used: of 5 ms 1.667 ms. */
static void test_processor(void)
{
    check_used(FALSE, 6 * MS, "5ms");
    check_used(TRUE, 6 * MS, "2ms");
    check_used(TRUE, 7 * MS, "1.667ms");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/skeleton-times/known", test_known);
    g_test_add_func("/skeleton-times/sums", test_sums);
    g_test_add_func("/skeleton-times/untimed", test_untimed);
    g_test_add_func("/skeleton-times/processor", test_processor);
    return g_test_run();
}
