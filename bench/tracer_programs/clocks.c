/*
 * What it costs to read clocks as the tracer does with --times, for bench/tracer: prints a line for each, its name and
 * nanoseconds of processor time; last, the time stamp counter's ticks a millisecond.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { TIMES = 200000, ROUNDS = 9 };

static void read_counter(void)
{
    (void)*(volatile unsigned long long *)&(unsigned long long){__rdtsc()};
}

static void read_monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
}

static void read_processor(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
}

static void read_all(void)
{
    read_counter();
    read_monotonic();
    read_processor();
}

static const struct {
    const char *name;
    void (*read)(void);
} kinds[] = {{"counter", read_counter},
             {"monotonic clock", read_monotonic},
             {"processor clock", read_processor},
             {"all", read_all}};

static double ns_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The least of some rounds: what else the machine does only adds. */
static double cost(void (*read)(void))
{
    double least = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = ns_of(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < TIMES; i++)
            read();
        const double each = (ns_of(CLOCK_THREAD_CPUTIME_ID) - begin) / TIMES;
        least = round == 0 || each < least ? each : least;
    }
    return least;
}

int main(void)
{
    const double begin = ns_of(CLOCK_MONOTONIC);
    const unsigned long long ticks = __rdtsc();
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        printf("%s: %.1f\n", kinds[i].name, cost(kinds[i].read));
    printf("ticks a ms: %.0f\n", (double)(__rdtsc() - ticks) * 1e6 / (ns_of(CLOCK_MONOTONIC) - begin));
    return 0;
}
