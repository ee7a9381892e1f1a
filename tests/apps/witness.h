/* The shared memory in which the witness counts, for itself and for whoever checks it. */
#ifndef WITNESS_H
#define WITNESS_H

#include <stdint.h>

enum { WITNESS_THREADS = 4, WITNESS_FUNCTIONS = 4 }; /* thread 0 is the main thread */

struct witness {
    volatile uint32_t pid; /* written when the counting starts */
    uint32_t unused;
    /* Before the call and after it, per thread and function. */
    volatile uint64_t started[WITNESS_THREADS][WITNESS_FUNCTIONS];
    volatile uint64_t finished[WITNESS_THREADS][WITNESS_FUNCTIONS];
};

#endif
