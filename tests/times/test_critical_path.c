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

static const char *name_of(const DtMessages *messages, guint32 function)
{
    return function ? dt_functions_get(dt_run_functions(messages->run), function)->name : "nothing";
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
    g_autoptr(DtCriticalPath) path = dt_critical_path_new(states);
    g_assert_cmpint(path->length_ns, ==, 900);
    g_assert_cmpuint(path->parts->len, ==, 2);
    g_assert_cmpint(path->by_rank[0], ==, 400);
    g_assert_cmpint(path->by_rank[1], ==, 500);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < path->functions->len; i++) {
        const DtPathFunction *function = &g_array_index(path->functions, DtPathFunction, i);
        g_string_append_printf(text, "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "; ",
                               name_of(messages, function->function), function->ns, function->mean_ns);
    }
    /* Rank 1 from 520 to 1000: main, late, main; rank 0 from 100 to 500: main, slow. Of both in the span: main 200 +
     * 100 + 145 + 320, slow 200 + 145, late 160, MPI_Recv 320, MPI_Send 10, MPI_Finalize 200. */
    g_assert_cmpstr(text->str, ==, "main 520 382; slow 200 172; late 160 80; MPI_Recv 20 160; ");
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
        g_autoptr(DtCriticalPath) path = dt_critical_path_new(states);
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
