/* Wait states of runs whose times are given, in whole nanoseconds; random programs against an oracle that looks at each
 * pair. */
#include "times/wait_states.h"

#include "format/arguments.h"
#include "played.h"
#include "support/random.h"

enum { STEPS = 60 };

static DtMessages *read_messages(TimedRun *run)
{
    g_autoptr(GError) error = NULL;
    DtMessages *messages = dt_messages_read(timed_run_open(run), &error);
    g_assert_no_error(error);
    return messages;
}

/* "1<0 late sender 400, 2<0 late sender 300": who waits for whom, most first. */
static char *told(const DtWaitStates *states)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < states->entries->len; i++) {
        const DtWaitEntry *entry = &g_array_index(states->entries, DtWaitEntry, i);
        const GArray *rows = states->messages->rows;
        g_string_append_printf(
            text, "%s%u<%u %s %" G_GINT64_FORMAT, i > 0 ? ", " : "", g_array_index(rows, DtTimedRow, entry->row).rank,
            g_array_index(rows, DtTimedRow, entry->cause_row).rank, dt_wait_kind_name(entry->kind), entry->ns);
    }
    return g_string_free(text, FALSE);
}

static void check_unmatched(TimedRun *run, const char *expected, const char *unmatched)
{
    g_autoptr(DtMessages) messages = read_messages(run);
    g_autoptr(DtWaitStates) states = dt_wait_states_new(messages);
    g_autofree char *text = told(states), *missing = dt_messages_unmatched_text(messages);
    g_assert_cmpstr(text, ==, expected);
    g_assert_cmpstr(missing, ==, unmatched);
    timed_run_free(run);
}

static void check(TimedRun *run, const char *expected)
{
    check_unmatched(run, expected, NULL);
}

static void test_late_sender(void)
{
    TimedRun *run = timed_run_new(3, NULL);
    timed_send(run, 0, "MPI_Send", 1, 7, 8, 500, 510);
    timed_send(run, 0, "MPI_Send", 2, 7, 8, 600, 610);
    timed_receive(run, 1, "MPI_Recv", 0, 7, 100, 520);
    timed_receive(run, 2, "MPI_Recv", 0, 7, 700, 720); /* its sender was not late */
    check(run, "1<0 late sender 400");
}

/* The second message of a channel is the second receive's, whatever others are between. */
static void test_order(void)
{
    TimedRun *run = timed_run_new(2, NULL);
    timed_send(run, 0, "MPI_Send", 1, 2, 8, 150, 160);
    timed_send(run, 0, "MPI_Send", 1, 1, 8, 200, 210);
    timed_send(run, 0, "MPI_Send", 1, 1, 8, 1000, 1010);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 100, 220);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 300, 1020);
    timed_receive(run, 1, "MPI_Recv", 0, 2, 1100, 1120);
    check(run, "1<0 late sender 800");
}

static void test_late_receiver(void)
{
    TimedRun *run = timed_run_new(2, NULL);
    timed_send(run, 0, "MPI_Ssend", 1, 1, 8, 100, 920);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 900, 930);
    check(run, "0<1 late receiver 800");
    /* Small messages do not wait: they take as long as those whose receivers are there. */
    run = timed_run_new(2, NULL);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 100, 420);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 450, 470);
    timed_send(run, 0, "MPI_Send", 1, 1, 8, 400, 410);
    timed_send(run, 0, "MPI_Send", 1, 1, 8, 445, 455);
    check(run, "1<0 late sender 300");
    /* Large ones do. */
    run = timed_run_new(2, NULL);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 100, 420);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 700, 740);
    timed_send(run, 0, "MPI_Send", 1, 1, 100000, 400, 410);
    timed_send(run, 0, "MPI_Send", 1, 1, 100000, 450, 730);
    check(run, "1<0 late sender 300, 0<1 late receiver 250");
}

/* A send waits for its receiver if it takes longer than 95 % of those whose receivers were there. */
static void test_usual_time(void)
{
    enum { USUAL = 20, LENGTH = 1000 };
    for (guint which = 0; which < 2; which++) {
        TimedRun *run = timed_run_new(2, NULL);
        gint64 at = LENGTH, length = which == 0 ? 185 : 195;
        for (guint i = 1; i <= USUAL; i++, at += LENGTH) {
            timed_receive(run, 1, "MPI_Recv", 0, 1, at, at + 10 * i + 1);
            timed_send(run, 0, "MPI_Send", 1, 1, 5000, at, at + 10 * i);
        }
        timed_send(run, 0, "MPI_Send", 1, 1, 5000, at, at + length);
        timed_receive(run, 1, "MPI_Recv", 0, 1, at + 50, at + length);
        check(run, which == 0 ? "" : "0<1 late receiver 50");
    }
}

static void test_cancelled(void)
{
    TimedRun *run = timed_run_new(2, NULL);
    timed_receive(run, 0, "MPI_Irecv", 1, 1, 10, 20);
    guint request = timed_request(run, 0, FALSE);
    timed_requests(run, 0, "MPI_Cancel", &request, 1, 30, 40);
    timed_requests(run, 0, "MPI_Wait", &request, 1, 50, 60);
    timed_receive(run, 0, "MPI_Recv", 1, 1, 100, 310);
    timed_send(run, 1, "MPI_Send", 0, 1, 8, 300, 305);
    check(run, "0<1 late sender 200");
}

static void test_collectives(void)
{
    TimedRun *run = timed_run_new(3, NULL);
    const gint64 begins[] = {100, 400, 250};
    for (guint rank = 0; rank < 3; rank++) {
        timed_collective(run, rank, "MPI_Barrier", 0, -1, begins[rank], 410);
        timed_collective(run, rank, "MPI_Allreduce", 0, -1, 1000 + begins[rank], 1410);
        timed_collective(run, rank, "MPI_Bcast", 0, 2, 2000 + begins[rank], 2500);
        timed_collective(run, rank, "MPI_Gather", 0, 2, 3000 + begins[rank], 3500);
        timed_collective(run, rank, "MPI_Scan", 0, -1, 4000 + begins[rank], 4500);
    }
    check(run, "0<1 wait at barrier 300, 0<1 wait at NxN 300, 0<2 late broadcast 150, 2<1 wait at barrier 150, "
               "2<1 wait at NxN 150, 2<1 early reduce 150, 2<1 wait at scan 150");
}

static void test_communicators(void)
{
    TimedRun *run = timed_run_new(4, NULL);
    const gint32 even[] = {0, 2}, odd[] = {1, 3}, all[] = {0, 1, 2, 3};
    guint ones = timed_run_communicator(run, even, 2, 0), others = timed_run_communicator(run, odd, 2, 0);
    guint both = timed_run_communicator(run, all, 4, 1);
    timed_collective(run, 0, "MPI_Barrier", ones, -1, 100, 210);
    timed_collective(run, 2, "MPI_Barrier", ones, -1, 200, 210);
    timed_collective(run, 1, "MPI_Barrier", others, -1, 100, 910);
    timed_collective(run, 3, "MPI_Barrier", others, -1, 900, 910);
    /* 0, 1 and 2 on one side, 3 on the other: its rank 0. */
    const gint64 to[] = {dt_argument(DT_ARGUMENT_COMMUNICATOR, both), dt_argument(DT_ARGUMENT_TO, 0),
                         dt_argument(DT_ARGUMENT_TAG, 1), dt_argument_data(DT_ARGUMENT_DATA, 1, 8)};
    const gint64 from[] = {dt_argument(DT_ARGUMENT_COMMUNICATOR, both), dt_argument(DT_ARGUMENT_FROM, 1),
                           dt_argument(DT_ARGUMENT_TAG, 1), dt_argument_data(DT_ARGUMENT_DATA, 1, 8)};
    timed_call(run, 1, "MPI_Send", to, 4, 1500, 1510);
    timed_call(run, 3, "MPI_Recv", from, 4, 1000, 1520);
    check(run, "1<3 wait at barrier 800, 3<1 late sender 500, 0<2 wait at barrier 100");
}

static void test_requests(void)
{
    TimedRun *run = timed_run_new(3, NULL);
    guint requests[3];
    timed_receive(run, 0, "MPI_Irecv", 1, 1, 100, 110);
    requests[0] = timed_request(run, 0, FALSE);
    timed_receive(run, 0, "MPI_Irecv", 2, 1, 120, 130);
    requests[1] = timed_request(run, 0, FALSE);
    timed_send(run, 0, "MPI_Isend", 1, 1, 8, 140, 150);
    requests[2] = timed_request(run, 0, FALSE);
    timed_requests(run, 0, "MPI_Waitall", requests, 3, 200, 960);
    timed_send(run, 1, "MPI_Send", 0, 1, 8, 600, 610);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 620, 630);
    timed_send(run, 2, "MPI_Send", 0, 1, 8, 950, 955);
    /* Of what MPI_Waitall waits for, the last. */
    check(run, "0<2 late sender 750");
}

static void test_persistent(void)
{
    TimedRun *run = timed_run_new(2, NULL);
    timed_receive(run, 0, "MPI_Recv_init", 1, 1, 10, 20);
    guint request = timed_request(run, 0, TRUE);
    for (guint i = 1; i <= 3; i++) {
        timed_requests(run, 0, "MPI_Start", &request, 1, i * 1000, i * 1000 + 10);
        timed_requests(run, 0, "MPI_Wait", &request, 1, i * 1000 + 100, i * 1000 + 500);
        timed_send(run, 1, "MPI_Send", 0, 1, 8, i * 1000 + 100 + 100 * i, i * 1000 + 110 + 100 * i);
    }
    timed_requests(run, 0, "MPI_Request_free", &request, 1, 9000, 9010);
    check(run, "0<1 late sender 600");
}

/* A wildcard posted first gets the first message, though who sent it is known only when it has come. */
static void test_wildcards(void)
{
    TimedRun *run = timed_run_new(2, NULL);
    guint any = timed_post_any(run, 0, 10, 20);
    timed_receive(run, 0, "MPI_Recv", 1, 1, 100, 910);
    timed_wait_any(run, 0, any, 1, 1, 1000, 1010);
    timed_receive_any(run, 0, 1, 2, 1100, 1510);
    timed_send(run, 1, "MPI_Send", 0, 1, 8, 50, 60);
    timed_send(run, 1, "MPI_Send", 0, 1, 8, 900, 905);
    timed_send(run, 1, "MPI_Send", 0, 2, 8, 1400, 1405);
    check(run, "0<1 late sender 1100");
}

static void test_sendrecv(void)
{
    TimedRun *run = timed_run_new(2, NULL);
    const gint64 begins[] = {100, 400}, own = dt_argument(DT_ARGUMENT_COMMUNICATOR, 0);
    for (guint rank = 0; rank < 2; rank++) {
        const gint64 both[] = {own,
                               dt_argument(DT_ARGUMENT_TO, 1),
                               dt_argument(DT_ARGUMENT_TAG, 1),
                               dt_argument_data(DT_ARGUMENT_DATA, 1, 8),
                               dt_argument(DT_ARGUMENT_FROM, 1),
                               dt_argument(DT_ARGUMENT_TAG, 1)};
        const gint64 myself[] = {own,
                                 dt_argument(DT_ARGUMENT_TO, 0),
                                 dt_argument(DT_ARGUMENT_TAG, 2),
                                 dt_argument_data(DT_ARGUMENT_DATA, 1, 8),
                                 dt_argument(DT_ARGUMENT_FROM, 0),
                                 dt_argument(DT_ARGUMENT_TAG, 2)};
        const gint64 nobody[] = {own, dt_argument_special(DT_ARGUMENT_TO, DT_SPECIAL_PROC_NULL),
                                 dt_argument(DT_ARGUMENT_TAG, 3), dt_argument_data(DT_ARGUMENT_DATA, 1, 8)};
        timed_call(run, rank, "MPI_Sendrecv", both, G_N_ELEMENTS(both), begins[rank], 420);
        timed_call(run, rank, "MPI_Sendrecv", myself, G_N_ELEMENTS(myself), 500, 600);
        timed_call(run, rank, "MPI_Send", nobody, G_N_ELEMENTS(nobody), 700, 710);
    }
    check(run, "0<1 late sender 300");
}

static void test_probe(void)
{
    TimedRun *run = timed_run_new(2, NULL);
    timed_receive(run, 0, "MPI_Probe", 1, 1, 100, 520);
    timed_receive(run, 0, "MPI_Recv", 1, 1, 530, 540);
    timed_send(run, 1, "MPI_Send", 0, 1, 8, 500, 510);
    check(run, "0<1 late sender 400");
}

static void test_unmatched(void)
{
    TimedRun *run = timed_run_new(3, NULL);
    timed_send(run, 0, "MPI_Send", 1, 1, 8, 100, 110);
    timed_send(run, 0, "MPI_Send", 1, 1, 8, 120, 130);
    timed_receive(run, 1, "MPI_Recv", 0, 1, 50, 140);
    timed_receive(run, 2, "MPI_Recv", 0, 1, 50, 140);
    timed_collective(run, 0, "MPI_Barrier", 0, -1, 200, 210);
    timed_collective(run, 1, "MPI_Bcast", 0, 0, 250, 260);
    check_unmatched(run, "1<0 late sender 50",
                    "1 send without a receive, 1 receive without a send, 1 collective call that not all members made, "
                    "1 collective call in which members differ");
}

static void test_most_waited(void)
{
    g_autoptr(TimedRun) run = timed_run_new(4, NULL);
    /* 0 waits for 1, 1 for 2, 2 for 1; 3 for nobody. */
    timed_receive(run, 0, "MPI_Recv", 1, 1, 1, 210);
    timed_receive(run, 1, "MPI_Recv", 2, 1, 1, 110);
    timed_send(run, 1, "MPI_Send", 0, 1, 8, 200, 210);
    timed_send(run, 2, "MPI_Send", 1, 1, 8, 100, 110);
    timed_receive(run, 2, "MPI_Recv", 1, 2, 150, 330);
    timed_send(run, 1, "MPI_Send", 2, 2, 8, 300, 310);
    g_autoptr(DtMessages) messages = read_messages(run);
    g_autoptr(DtWaitStates) states = dt_wait_states_new(messages);
    const guint expected[] = {1, 2, 1, DT_NO_CALL}, cycles[] = {0, 1, 1, 0};
    for (guint rank = 0; rank < 4; rank++) {
        g_assert_cmpuint(g_array_index(states->most_waited, guint, rank), ==, expected[rank]);
        g_assert_cmpuint(g_array_index(states->cycles, guint, rank), ==, cycles[rank]);
    }
    g_assert_cmpint(states->all_ns, ==, 199 + 99 + 150);
}

/* ---- random programs ------------------------------------------------------------------------- */

static void test_random(void)
{
    g_autoptr(GRand) random = dt_test_random();
    for (guint round = 0; round < 20; round++) {
        g_autoptr(TimedRun) run = timed_run_new(PLAYED_RANKS, NULL);
        Played oracle = {.scale = 1};
        play_random(run, &oracle, random, STEPS);
        g_autoptr(DtMessages) messages = read_messages(run);
        g_autoptr(DtWaitStates) states = dt_wait_states_new(messages);
        g_autofree char *missing = dt_messages_unmatched_text(messages);
        g_assert_null(missing);
        for (guint r = 0; r < PLAYED_RANKS; r++)
            for (guint q = 0; q < PLAYED_RANKS; q++)
                g_assert_cmpint(dt_wait_between(states, r, q), ==, oracle.pairs[r][q]);
        for (guint kind = 0; kind < DT_WAIT_KINDS; kind++)
            g_assert_cmpint(states->by_kind[kind], ==, oracle.kinds[kind]);
        g_assert_cmpuint(states->violations, ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wait-states/late-sender", test_late_sender);
    g_test_add_func("/wait-states/order", test_order);
    g_test_add_func("/wait-states/late-receiver", test_late_receiver);
    g_test_add_func("/wait-states/usual-time", test_usual_time);
    g_test_add_func("/wait-states/cancelled", test_cancelled);
    g_test_add_func("/wait-states/collectives", test_collectives);
    g_test_add_func("/wait-states/communicators", test_communicators);
    g_test_add_func("/wait-states/requests", test_requests);
    g_test_add_func("/wait-states/persistent", test_persistent);
    g_test_add_func("/wait-states/wildcards", test_wildcards);
    g_test_add_func("/wait-states/sendrecv", test_sendrecv);
    g_test_add_func("/wait-states/probe", test_probe);
    g_test_add_func("/wait-states/unmatched", test_unmatched);
    g_test_add_func("/wait-states/most-waited", test_most_waited);
    g_test_add_func("/wait-states/random", test_random);
    return g_test_run();
}
