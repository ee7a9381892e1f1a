#include "played.h"

static void expect(Played *oracle, guint rank, guint cause, DtWaitKind kind, gint64 wait)
{
    if (wait <= 0)
        return;
    oracle->pairs[rank][cause] += wait;
    oracle->kinds[kind] += wait;
}

static gint64 some_time(const Played *oracle, GRand *random)
{
    return oracle->scale + oracle->scale * (gint64)(guint)g_rand_int_range(random, 0, (gint)(1000));
}

static void play_message(TimedRun *run, Played *oracle, GRand *random)
{
    guint from = (guint)g_rand_int_range(random, 0, (gint)(PLAYED_RANKS)),
          to = (from + 1 + (guint)g_rand_int_range(random, 0, (gint)(PLAYED_RANKS - 1))) % PLAYED_RANKS;
    gint64 tag = (gint64)(guint)g_rand_int_range(random, 0, (gint)(3)),
           send = oracle->now[from] + some_time(oracle, random), receive = oracle->now[to] + some_time(oracle, random);
    gboolean synchronous = g_rand_int_range(random, 0, 2) == 1,
             any = (guint)g_rand_int_range(random, 0, (gint)(3)) == 0;
    gint64 meet = MAX(send, receive), sent = synchronous ? meet + some_time(oracle, random) : send + 1,
           received = meet + some_time(oracle, random);
    timed_send(run, from, synchronous ? "MPI_Ssend" : "MPI_Bsend", to, tag, 8, send, sent);
    if (any)
        timed_receive_any(run, to, from, tag, receive, received);
    else
        timed_receive(run, to, "MPI_Recv", from, tag, receive, received);
    oracle->now[from] = sent;
    oracle->now[to] = received;
    expect(oracle, to, from, DT_WAIT_LATE_SENDER, send - receive);
    if (synchronous)
        expect(oracle, from, to, DT_WAIT_LATE_RECEIVER, receive - send);
}

/* A ring of receives that are posted, then sends, then one wait for all. */
static void play_exchange(TimedRun *run, Played *oracle, GRand *random)
{
    guint requests[PLAYED_RANKS];
    gint64 sends[PLAYED_RANKS], waits[PLAYED_RANKS], last = 0;
    for (guint r = 0; r < PLAYED_RANKS; r++) {
        gint64 at = oracle->now[r] + some_time(oracle, random);
        timed_receive(run, r, "MPI_Irecv", (r + 1) % PLAYED_RANKS, 9, at, at + 1);
        requests[r] = timed_request(run, r, FALSE);
        sends[r] = at + some_time(oracle, random) + 1;
        timed_send(run, r, "MPI_Bsend", (r + PLAYED_RANKS - 1) % PLAYED_RANKS, 9, 8, sends[r], sends[r] + 1);
        waits[r] = sends[r] + some_time(oracle, random) + 1;
        last = MAX(last, sends[r]);
    }
    for (guint r = 0; r < PLAYED_RANKS; r++) {
        guint from = (r + 1) % PLAYED_RANKS;
        gint64 done = MAX(waits[r], sends[from]) + some_time(oracle, random);
        timed_requests(run, r, "MPI_Wait", &requests[r], 1, waits[r], done);
        oracle->now[r] = done;
        expect(oracle, r, from, DT_WAIT_LATE_SENDER, sends[from] - waits[r]);
    }
}

static void play_collective(TimedRun *run, Played *oracle, GRand *random)
{
    static const char *const names[] = {"MPI_Barrier", "MPI_Alltoall", "MPI_Bcast", "MPI_Reduce", "MPI_Scan"};
    guint which = (guint)g_rand_int_range(random, 0, (gint)(G_N_ELEMENTS(names))),
          root = (guint)g_rand_int_range(random, 0, (gint)(PLAYED_RANKS));
    gint64 begins[PLAYED_RANKS];
    for (guint r = 0; r < PLAYED_RANKS; r++)
        begins[r] = oracle->now[r] + some_time(oracle, random) * PLAYED_RANKS + r; /* no two begin at one time */
    for (guint r = 0; r < PLAYED_RANKS; r++) {
        guint cause = r; /* by the definitions, each by itself */
        for (guint q = 0; q < PLAYED_RANKS; q++)
            if (which <= 1 || (which == 2 && q == root) || (which == 3 && r == root) || (which == 4 && q < r))
                cause = begins[q] > begins[cause] ? q : cause;
        gint64 end = begins[cause] + some_time(oracle, random);
        timed_collective(run, r, names[which], 0, which == 2 || which == 3 ? (gint)root : -1, begins[r], end);
        oracle->now[r] = end;
        expect(oracle, r, cause,
               (DtWaitKind[]){DT_WAIT_AT_BARRIER, DT_WAIT_AT_NXN, DT_WAIT_LATE_BROADCAST, DT_WAIT_EARLY_REDUCE,
                              DT_WAIT_AT_SCAN}[which],
               begins[cause] - begins[r]);
    }
}

void play_random(TimedRun *run, Played *oracle, GRand *random, guint steps)
{
    for (guint step = 0; step < steps; step++) {
        gint what = g_rand_int_range(random, 0, 4);
        (what < 2 ? play_message : what == 2 ? play_exchange : play_collective)(run, oracle, random);
    }
}
