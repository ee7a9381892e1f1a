/*
 * A layer over the runtime's dt_recorder_batch() that counts how long each batch keeps its thread, in a file that
 * DIFFTRACE_PAUSES names: two histograms of DT_BUCKETS 64-bit counters, a microsecond each and the last for all longer
 * ones, first by the clock on the wall, then by the thread's processor time. Linked into the library bench-pauses only.
 */
#include <stdlib.h>

#include "system/system.h"

enum { DT_BUCKETS = 4096 };

void __real_dt_recorder_batch(void);
void __wrap_dt_recorder_batch(void);

static uint64_t *histograms;

__attribute__((constructor)) static void open_histograms(void)
{
    const char *path = getenv("DIFFTRACE_PAUSES");
    size_t bytes = 2 * DT_BUCKETS * sizeof *histograms;
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (fd < 0)
        return;
    if (dt_syscall(SYS_ftruncate, fd, (long)bytes, 0, 0, 0, 0) == 0)
        histograms = dt_sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

static void count(uint64_t *histogram, uint64_t ns)
{
    uint64_t bucket = ns / 1000 < DT_BUCKETS ? ns / 1000 : DT_BUCKETS - 1;
    __atomic_fetch_add(&histogram[bucket], 1, __ATOMIC_RELAXED);
}

void __wrap_dt_recorder_batch(void)
{
    uint64_t wall = dt_sys_clock(CLOCK_MONOTONIC), cpu = dt_sys_clock(CLOCK_THREAD_CPUTIME_ID);
    __real_dt_recorder_batch();
    cpu = dt_sys_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall = dt_sys_clock(CLOCK_MONOTONIC) - wall;
    if (!histograms)
        return;
    count(histograms, wall);
    count(histograms + DT_BUCKETS, cpu);
}
