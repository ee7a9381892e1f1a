/** Random MPI programs, and what their waits are by their definitions. */
#ifndef DT_TESTS_PLAYED_H
#define DT_TESTS_PLAYED_H

#include "timed_run.h"
#include "times/wait_states.h"

enum { PLAYED_RANKS = 5 };

typedef struct {
    gint64 scale; /* times are so many to 1000 times so many nanoseconds */
    gint64 pairs[PLAYED_RANKS][PLAYED_RANKS], kinds[DT_WAIT_KINDS];
    gint64 now[PLAYED_RANKS];
} Played;

/** So many messages, exchanges and collective calls more. */
void play_random(TimedRun *run, Played *played, GRand *random, guint steps);

#endif
