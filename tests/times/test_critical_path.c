/* The critical path of runs whose times are given: known ones, and what holds of all. */
#include "times/critical_path.h"

#include "played.h"
#include "support/random.h"

static DtMessages *read_messages(TimedRun *run)
{
    g_autoptr(GError) error = NULL;
    DtMessages *messages = dt_messages_read(timed_run_open(run), &error);
    g_assert_no_error(error);
    return messages;
}

static const DtPathFunction *function_of(const DtCriticalPath *path, const char *name)
{
    const DtFunctions *functions = dt_run_functions(path->states->messages->run);
    for (guint i = 0; i < path->functions->len; i++) {
        const DtPathFunction *function = &g_array_index(path->functions, DtPathFunction, i);
        if (function->function && g_str_equal(dt_functions_get(functions, function->function)->name, name))
            return function;
    }
    return NULL;
}

static gint64 time_of(const DtCriticalPath *path, const char *name)
{
    const DtPathFunction *function = function_of(path, name);
    return function ? function->ns : 0;
}

static DtCriticalPath *path_of(const DtWaitStates *states)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtClocks) clocks = dt_clocks_estimate(states->messages);
    DtCriticalPath *path = dt_critical_path_new(states, clocks, &error);
    g_assert_no_error(error);
    return path;
}

static void test_known(void)
{
    g_autoptr(TimedRun) run = timed_run_new(2, NULL);
    for (guint rank = 0; rank < 2; rank++) {
        timed_enter(run, rank, "main");
        timed_call(run, rank, "MPI_Init", NULL, 0, 10, 100);
    }
    timed_enter(run, 0, "slow");
    timed_send(run, 0, "MPI_Send", 1, 1, 8, 500, 510);
    timed_leave(run, 0);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 200, 520);
    timed_enter(run, 1, "late");
    timed_leave(run, 1);
    timed_call(run, 0, "MPI_Finalize", NULL, 0, 800, 1200);
    timed_call(run, 1, "MPI_Finalize", NULL, 0, 1000, 1200);
    for (guint rank = 0; rank < 2; rank++)
        timed_leave(run, rank);
    g_autoptr(DtMessages) messages = read_messages(run);
    g_autoptr(DtWaitStates) states = dt_wait_states_new(messages);
    g_autoptr(DtCriticalPath) path = path_of(states);
    g_assert_cmpint(path->length_ns, ==, 900);
    g_assert_cmpuint(path->parts->len, ==, 2);
    g_assert_cmpint(path->by_rank[0], ==, 400);
    g_assert_cmpint(path->by_rank[1], ==, 500);
    g_assert_cmpint(time_of(path, "MPI_Recv"), ==, 20); /* when the message was there */
    g_assert_cmpint(time_of(path, "MPI_Send"), ==, 0);
    /* What lies between two times is shared out. */
    g_assert_cmpint(time_of(path, "main") + time_of(path, "slow") + time_of(path, "late"), ==, 880);
    g_assert_cmpint(time_of(path, "slow"), >, 0);
    g_assert_cmpint(time_of(path, "late"), >, 0);
    const DtPathFunction *slow = function_of(path, "slow"), *receive = function_of(path, "MPI_Recv");
    g_assert_cmpuint(slow->rank, ==, 0);
    g_assert_cmpint(receive->mean_ns, ==, 320 / 2);
}

/* Of random programs: the parts follow each other over the whole span; no wait that ends in a part begins in it. */
static void check_parts(const DtCriticalPath *path)
{
    const DtMessages *messages = path->states->messages;
    gint64 at = messages->end, by_functions = 0;
    for (guint i = 0; i < path->parts->len; i++) {
        const DtPathPart *part = &g_array_index(path->parts, DtPathPart, i);
        const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, part->row);
        g_assert_cmpint(part->end, ==, at);
        g_assert_cmpint(part->begin, <=, part->end);
        at = part->begin;
        for (guint k = 0; k < row->calls; k++) {
            const DtTimedCall *call = dt_messages_call(messages, row->first_call + k);
            const DtCallWait *wait = &g_array_index(path->states->of_calls, DtCallWait, row->first_call + k);
            if (wait->kind != DT_WAIT_NONE && call->end <= part->end)
                g_assert_cmpint(dt_messages_call(messages, wait->cause)->begin, <=, part->begin);
        }
    }
    g_assert_cmpint(at, ==, messages->begin);
    g_assert_cmpint(path->length_ns, ==, messages->end - messages->begin);
    for (guint i = 0; i < path->functions->len; i++)
        by_functions += g_array_index(path->functions, DtPathFunction, i).ns;
    g_assert_cmpint(by_functions, ==, path->length_ns);
    for (guint rank = 0; rank < PLAYED_RANKS; rank++)
        by_functions -= path->by_rank[rank];
    g_assert_cmpint(by_functions, ==, 0);
}

static void test_random(void)
{
    enum { ROUNDS = 20, STEPS = 60 };
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < ROUNDS; round++) {
        g_autoptr(TimedRun) run = timed_run_new(PLAYED_RANKS, NULL);
        Played played = {.scale = 1};
        play_random(run, &played, random, STEPS);
        g_autoptr(DtMessages) messages = read_messages(run);
        g_autoptr(DtWaitStates) states = dt_wait_states_new(messages);
        g_autoptr(DtCriticalPath) path = path_of(states);
        check_parts(path);
        g_assert_cmpuint(path->parts->len, >, 1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/critical-path/known", test_known);
    g_test_add_func("/critical-path/random", test_random);
    return g_test_run();
}
