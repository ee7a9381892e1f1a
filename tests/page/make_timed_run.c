/*
 * make_timed_run RANKS normal|faulty PATH: a run of ten steps with known times. A step takes 10 ms: `work` on each
 * rank, 3 ms, a message to the next rank, and a barrier until its end. In the faulty run the third rank calls `retry`
 * in the sixth step, and takes 7 ms from there on.
 */
#include "times/timed_run.h"

#include <stdlib.h>

enum { STEPS = 10, SLOW_RANK = 2, SLOW_FROM = 5, BYTES = 1000 };
#define MS    G_GINT64_CONSTANT(1000000)
#define START G_GINT64_CONSTANT(1000000000000)

static void write_step(TimedRun *run, guint rank, guint ranks, guint step, gboolean faulty)
{
    const gboolean slow = faulty && rank == SLOW_RANK && step >= SLOW_FROM;
    const gboolean after_slow = faulty && rank == SLOW_RANK + 1 && step >= SLOW_FROM;
    const gint64 begin = START + (1 + step) * 10 * MS, sent = begin + (slow ? 7 : 3) * MS;
    const gint64 got = after_slow ? begin + 8 * MS : sent + 2 * MS;
    timed_enter(run, rank, "work");
    timed_leave(run, rank);
    if (slow && step == SLOW_FROM) {
        timed_enter(run, rank, "retry");
        timed_leave(run, rank);
    }
    timed_send(run, rank, "MPI_Send", (rank + 1) % ranks, 0, BYTES, sent, sent + MS);
    timed_receive(run, rank, "MPI_Recv", (rank + ranks - 1) % ranks, 0, sent + MS, got);
    timed_collective(run, rank, "MPI_Barrier", 0, -1, got, begin + 10 * MS);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        g_error("make_timed_run RANKS normal|faulty PATH");
    const guint ranks = (guint)atoi(argv[1]);
    const gboolean faulty = g_str_equal(argv[2], "faulty");
    TimedRun *run = timed_run_new_at(argv[3], ranks, NULL);
    for (guint rank = 0; rank < ranks; rank++) {
        timed_enter(run, rank, "main");
        timed_call(run, rank, "MPI_Init", NULL, 0, START, START + 10 * MS);
        for (guint step = 0; step < STEPS; step++)
            write_step(run, rank, ranks, step, faulty);
        timed_call(run, rank, "MPI_Finalize", NULL, 0, START + 110 * MS, START + 111 * MS);
        timed_leave(run, rank);
    }
    timed_run_open(run);
    timed_run_free(run);
    return 0;
}
