/*
 * Costs of single calls, for bench/tracer:
 *
 *     calls empty|fib|import|tail|wrapper|misses COUNT
 *
 * makes at least COUNT calls of one kind and prints nanoseconds of processor time per call. A tail call counts as two:
 * the function called and the one that it goes on to; so does a wrapper, a function that begins with a call. Misses:
 * wrappers called between accesses to random places of a table that is larger than caches.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define OWN __attribute__((noinline, noclone, noipa))

static volatile unsigned sink;

OWN static void empty(void)
{
    __asm__ volatile("");
}

OWN __attribute__((optimize("no-optimize-sibling-calls"))) static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

OWN static unsigned tail_end(unsigned n)
{
    return n ^ 5;
}

OWN static unsigned tail_start(unsigned n)
{
    return tail_end(n + 1);
}

OWN __attribute__((optimize("no-optimize-sibling-calls"))) static unsigned wrapper(unsigned n)
{
    return tail_end(n);
}

static uint64_t call_empty(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        empty();
    return count;
}

/* fib(24) makes 150,049 calls. */
static uint64_t call_fib(uint64_t count)
{
    uint64_t calls = 0;
    for (; calls < count; calls += 150049)
        sink += fib(24);
    return calls;
}

static uint64_t call_import(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        sink += (unsigned)ffs((int)i);
    return count;
}

static uint64_t call_tail(uint64_t count)
{
    for (uint64_t i = 0; i < count / 2; i++)
        sink += tail_start((unsigned)i);
    return count / 2 * 2;
}

static uint64_t call_wrapper(uint64_t count)
{
    for (uint64_t i = 0; i < count / 2; i++)
        sink += wrapper((unsigned)i);
    return count / 2 * 2;
}

static uint64_t call_among_misses(uint64_t count)
{
    static uint64_t table[1 << 22];
    uint64_t place = 1;
    for (uint64_t i = 0; i < count / 2; i++) {
        sink += wrapper((unsigned)i);
        place = place << 1 ^ ((int64_t)place < 0 ? 7 : 0);
        table[place % (sizeof table / sizeof *table)] ^= place;
    }
    return count / 2 * 2;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint64_t (*run)(uint64_t count);
    } kinds[] = {{"empty", call_empty}, {"fib", call_fib},         {"import", call_import},
                 {"tail", call_tail},   {"wrapper", call_wrapper}, {"misses", call_among_misses}};
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    for (size_t i = 0; argc > 2 && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        kinds[i].run(count / 20 + 1);
        double start = cpu_seconds();
        uint64_t calls = kinds[i].run(count);
        printf("%.4f\n", (cpu_seconds() - start) * 1e9 / (double)calls);
        return 0;
    }
    fprintf(stderr, "usage: calls empty|fib|import|tail|wrapper|misses COUNT\n");
    return 2;
}
