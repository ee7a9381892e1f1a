/*
 * For bench/times/differential, put before a program of the fault corpus: two of its functions then call slowed(),
 * which works for some milliseconds, and for more where SLOWED in the environment says so:
 *
 *     SLOWED="KIND PERCENT RANK AT"
 *
 *   none   nothing
 *   one    the first of the two takes PERCENT more on RANK, in every call
 *   all    the same on all ranks
 *   since  on RANK from call AT on (from 1)
 *   once   on RANK in call AT alone
 */
#ifndef DT_BENCH_SLOWED_H
#define DT_BENCH_SLOWED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOWED_INLINE static inline __attribute__((always_inline))
enum { SLOWED_WORK = 900000, SLOWED_OTHER_WORK = 450000 }; /* some 3 ms, and 1.5 */

static struct {
    char kind[8];
    int percent, at, here, calls;
    volatile double sink;
} slowed_fault = {"none", 0, 1, 0, 0, 0};

__attribute__((constructor)) static void slowed_read(void)
{
    const char *text = getenv("SLOWED"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    int of_rank = 0;
    if (text)
        sscanf(text, "%7s %d %d %d", slowed_fault.kind, &slowed_fault.percent, &of_rank, &slowed_fault.at);
    slowed_fault.here = strcmp(slowed_fault.kind, "all") == 0 || (rank ? atoi(rank) : 0) == of_rank;
}

SLOWED_INLINE void slowed_work(long steps)
{
    double x = slowed_fault.sink + 1;
    for (long i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-6;
    slowed_fault.sink = x;
}

/* Kinds are told apart by a letter: a call of strcmp would be in the trace. */
SLOWED_INLINE int slowed_strikes(void)
{
    const char *kind = slowed_fault.kind;
    slowed_fault.calls++;
    if (!slowed_fault.here || kind[0] == 'n')
        return 0;
    if (kind[0] == 's')
        return slowed_fault.calls >= slowed_fault.at;
    return kind[0] == 'a' || kind[2] == 'e' || slowed_fault.calls == slowed_fault.at;
}

SLOWED_INLINE void slowed(int of_other)
{
    if (of_other)
        slowed_work(SLOWED_OTHER_WORK);
    else
        slowed_work(SLOWED_WORK + (slowed_strikes() ? (long)SLOWED_WORK / 100 * slowed_fault.percent : 0));
}

#endif
