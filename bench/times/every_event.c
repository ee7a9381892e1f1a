/*
 * Times every entry and return of a program's functions, for bench/times/accuracy: linked into a program that was
 * compiled with -finstrument-functions. When the process ends it writes to EVERY_EVENT.RANK: a line a function of a
 * thread,
 *
 *     thread  address in the executable  calls  ns with stamps  ns without
 *
 * exclusive, threads numbered by their first event. Without: less what the stamps themselves took. With: a function's
 * own two stamps are its own time, as it looks to whoever sees the program from outside.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#define QUIET __attribute__((no_instrument_function))
#define HOOK  QUIET __attribute__((noinline, visibility("default")))
#define PART  QUIET __attribute__((always_inline)) inline /* bench/times/accuracy excludes the others by their names */

enum { FUNCTIONS = 1024, DEPTH = 1 << 16, TRIALS = 4000 }; /* functions: a power of 2 */

typedef struct {
    void *function;
    unsigned long calls, gaps, ticks, own; /* ticks between stamps, and those of its stamps */
} Sum;

typedef struct Thread {
    struct Thread *next;
    unsigned long last; /* when the last stamp ended */
    unsigned long begin;
    Sum *owner; /* of the last stamp */
    int depth, number;
    Sum *stack[DEPTH];
    Sum sums[FUNCTIONS];
} Thread;

static _Thread_local Thread *own_thread;
static _Atomic(Thread *) threads;
static atomic_int thread_count;
static struct timespec begin_time;
static unsigned long begin_ticks;

QUIET static Thread *every_event_new_thread(void)
{
    Thread *thread = calloc(1, sizeof(*thread));
    if (!thread)
        abort();
    thread->begin = thread->last = __rdtsc();
    thread->number = atomic_fetch_add(&thread_count, 1);
    thread->next = atomic_load(&threads);
    while (!atomic_compare_exchange_weak(&threads, &thread->next, thread))
        ;
    return own_thread = thread;
}

PART static Sum *sum_of(Thread *thread, void *function)
{
    unsigned long at = ((unsigned long)function * 0x9e3779b97f4a7c15UL) >> 54;
    for (int i = 0; i < FUNCTIONS; i++, at = (at + 1) % FUNCTIONS) {
        Sum *sum = &thread->sums[at];
        if (!sum->function)
            sum->function = function;
        if (sum->function == function)
            return sum;
    }
    abort();
}

/* The last stamp's own time is its function's; what passed since is that of the function on top. */
PART static void pass(Thread *thread, unsigned long now)
{
    if (thread->owner)
        thread->owner->own += thread->last - thread->begin;
    if (thread->depth > 0) {
        thread->stack[thread->depth - 1]->ticks += now - thread->last;
        thread->stack[thread->depth - 1]->gaps++;
    }
    thread->begin = now;
}

HOOK void __cyg_profile_func_enter(void *function, void *caller)
{
    const unsigned long now = __rdtsc();
    Thread *thread = own_thread ? own_thread : every_event_new_thread();
    (void)caller;
    pass(thread, now > thread->last ? now : thread->last);
    if (thread->depth == DEPTH)
        abort();
    Sum *sum = sum_of(thread, function);
    sum->calls++;
    thread->stack[thread->depth++] = thread->owner = sum;
    thread->last = __rdtsc();
}

HOOK void __cyg_profile_func_exit(void *function, void *caller)
{
    const unsigned long now = __rdtsc();
    Thread *thread = own_thread;
    (void)function, (void)caller;
    if (!thread || thread->depth == 0)
        return;
    pass(thread, now);
    thread->owner = thread->stack[--thread->depth];
    thread->last = __rdtsc();
}

__attribute__((constructor)) QUIET static void every_event_start(void)
{
    clock_gettime(CLOCK_MONOTONIC, &begin_time);
    begin_ticks = __rdtsc();
}

/* Ticks of a gap in which nothing happens, which are part of stamps, too: the median of some. */
QUIET static int every_event_compare(const void *first, const void *second)
{
    const unsigned long one = *(const unsigned long *)first, two = *(const unsigned long *)second;
    return (one > two) - (one < two);
}

QUIET static double every_event_empty_gap(void)
{
    static unsigned long gaps[TRIALS];
    void (*volatile enter)(void *, void *) = __cyg_profile_func_enter;
    void (*volatile leave)(void *, void *) = __cyg_profile_func_exit;
    Thread *before = own_thread, *thread = calloc(1, sizeof(*thread));
    if (!thread)
        abort();
    own_thread = thread;
    for (int i = 0; i < TRIALS; i++) {
        enter((void *)&gaps, NULL);
        const unsigned long ticks = sum_of(thread, (void *)&gaps)->ticks;
        leave((void *)&gaps, NULL);
        gaps[i] = sum_of(thread, (void *)&gaps)->ticks - ticks;
    }
    own_thread = before;
    free(thread);
    qsort(gaps, TRIALS, sizeof(gaps[0]), every_event_compare);
    return (double)gaps[TRIALS / 2];
}

QUIET static void every_event_write_thread(FILE *out, const Thread *thread, double ns_per_tick, double empty)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        const Sum *sum = &thread->sums[i];
        Dl_info info;
        if (!sum->function || dladdr(sum->function, &info) == 0)
            continue;
        const double without = (double)sum->ticks - empty * (double)sum->gaps;
        fprintf(out, "%d %lx %lu %.0f %.0f\n", thread->number,
                (unsigned long)sum->function - (unsigned long)info.dli_fbase, sum->calls,
                (double)(sum->ticks + sum->own) * ns_per_tick, without > 0 ? without * ns_per_tick : 0);
    }
}

__attribute__((destructor)) QUIET static void every_event_end(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double ns = (double)(now.tv_sec - begin_time.tv_sec) * 1e9 + (double)(now.tv_nsec - begin_time.tv_nsec);
    const double ns_per_tick = ns / (double)(__rdtsc() - begin_ticks);
    const char *path = getenv("EVERY_EVENT"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    char name[4096];
    snprintf(name, sizeof(name), "%s.%s", path ? path : "every-event", rank ? rank : "0");
    FILE *out = fopen(name, "w");
    if (!out)
        return;
    const double empty = every_event_empty_gap();
    for (const Thread *thread = atomic_load(&threads); thread; thread = thread->next)
        every_event_write_thread(out, thread, ns_per_tick, empty);
    fclose(out);
}
