/** Processor time and peak memory of this process. */
#ifndef DT_BENCH_MEASURE_H
#define DT_BENCH_MEASURE_H

#include <sys/resource.h>
#include <time.h>

static inline double dt_processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline long dt_peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

#endif
