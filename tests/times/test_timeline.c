/* Timelines of random programs against an oracle that looks at each nanosecond. */
#include "times/timeline.h"

#include "played.h"
#include "support/random.h"

enum { STEPS = 40, COLUMNS = 37 };
typedef enum { OWN, IN_CALLS, WAITING } State;

/* What a thread did in each nanosecond. */
static guint8 *paint(const DtWaitStates *states, const DtTimedRow *row, gint64 begin, gint64 end)
{
    guint8 *painted = g_new0(guint8, (gsize)(end - begin));
    for (guint i = row->first_call; i < row->first_call + row->calls; i++) {
        const DtTimedCall *call = dt_messages_call(states->messages, i);
        const DtCallWait *wait = &g_array_index(states->of_calls, DtCallWait, i);
        for (gint64 ns = call->begin; ns < call->end; ns++)
            painted[ns - begin] = wait->kind != DT_WAIT_NONE && ns < call->begin + wait->ns ? WAITING : IN_CALLS;
    }
    return painted;
}

/* Both know a column's ends to a nanosecond only, and its sums as floats. */
static void check_row(const DtTimeline *timeline, guint group, const guint8 *painted, gint64 from, gint64 to)
{
    const gdouble width = (gdouble)(timeline->end - timeline->begin) / timeline->columns;
    for (guint column = 0; column < timeline->columns; column++) {
        gdouble sums[3] = {0};
        for (gint64 ns = (gint64)(column * width); ns < (gint64)((column + 1) * width); ns++)
            if (ns + timeline->begin >= from && ns + timeline->begin < to)
                sums[painted[ns]]++;
        const gsize place = (gsize)group * timeline->columns + column;
        g_assert_cmpfloat_with_epsilon(timeline->in_calls[place], sums[IN_CALLS], 2);
        g_assert_cmpfloat_with_epsilon(timeline->waiting[place], sums[WAITING], 2);
        g_assert_cmpfloat_with_epsilon(timeline->present[place], sums[OWN] + sums[IN_CALLS] + sums[WAITING], 2);
    }
}

static void check_run(TimedRun *run)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtMessages) messages = dt_messages_read(timed_run_open(run), &error);
    g_assert_no_error(error);
    g_autoptr(DtWaitStates) states = dt_wait_states_new(messages);
    guint group_of[PLAYED_RANKS];
    for (guint i = 0; i < PLAYED_RANKS; i++)
        group_of[i] = PLAYED_RANKS - 1 - i;
    DtTimelineWants wants = {states, group_of, PLAYED_RANKS, COLUMNS, 0, 0};
    g_assert_true(dt_timeline_span(messages, &wants.begin, &wants.end));
    g_autoptr(DtTimeline) timeline = dt_timeline_new(&wants);
    for (guint i = 0; i < PLAYED_RANKS; i++) {
        const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, i);
        g_autofree guint8 *painted = paint(states, row, wants.begin, wants.end);
        check_row(timeline, group_of[i], painted, row->begin, row->end);
    }
}

static void test_random(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint i = 0; i < 10; i++) {
        Played played = {.scale = 1};
        TimedRun *run = timed_run_new(PLAYED_RANKS, NULL);
        play_random(run, &played, random, STEPS);
        check_run(run);
        timed_run_free(run);
    }
}

/* A call that never returned lasts until its process was last seen; a thread that is in no group is left out. */
static void test_open_call(void)
{
    const gint64 last_seen = G_GINT64_CONSTANT(1000000000000);
    g_autoptr(TimedRun) run = timed_run_new(2, NULL);
    for (guint rank = 0; rank < 2; rank++) {
        timed_call(run, rank, "MPI_Init", NULL, 0, last_seen - 1000, last_seen - 900);
        timed_open_call(run, rank, "MPI_Recv", last_seen - 400);
    }
    g_autoptr(DtMessages) messages = dt_messages_read(timed_run_open(run), NULL);
    g_autoptr(DtWaitStates) states = dt_wait_states_new(messages);
    const guint group_of[] = {0, DT_NO_CALL};
    DtTimelineWants wants = {states, group_of, 1, 10, 0, 0};
    g_assert_true(dt_timeline_span(messages, &wants.begin, &wants.end));
    g_assert_cmpint(wants.end - wants.begin, ==, 1000);
    g_autoptr(DtTimeline) timeline = dt_timeline_new(&wants);
    for (guint column = 0; column < 10; column++) {
        g_assert_cmpfloat(timeline->present[column], ==, 100);
        g_assert_cmpfloat(timeline->in_calls[column], ==, column == 0 ? 100 : 0);
        g_assert_cmpfloat(timeline->waiting[column], ==, column >= 6 ? 100 : 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/times/timeline/random", test_random);
    g_test_add_func("/times/timeline/open-call", test_open_call);
    return g_test_run();
}
