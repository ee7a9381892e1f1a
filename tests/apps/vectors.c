/* Vector registers keep their values across calls of functions that do not touch them: compilers count on it within a
 * program (-fipa-ra). Calls without pattern, so that the tracer writes much. */
#include <stdint.h>
#include <stdio.h>

enum { CALLS = 3000000 };

static uint32_t state = 1;

void left(void)
{
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop");
}

void right(void)
{
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
}

#define FOR_ALL(DO)                                                                                                    \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define LOAD(n)    "movups " #n "*16(%[before]), %%xmm" #n "\n\t"
#define STORE(n)   "movups %%xmm" #n ", " #n "*16(%[after])\n\t"
#define CLOBBER(n) , "xmm" #n

int main(void)
{
    uint64_t before[32], after[32];
    long changed = 0;
    for (uint64_t i = 0; i < 32; i++)
        before[i] = (i + 1) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < CALLS; i++) {
        state = state * 1664525 + 1013904223;
        void (*function)(void) = state >> 31 ? left : right;
        __asm__ volatile(FOR_ALL(LOAD) "call *%[function]\n\t" FOR_ALL(STORE)
                         :
                         : [before] "r"(before), [after] "r"(after), [function] "r"(function)
                         : "memory", "cc" FOR_ALL(CLOBBER));
        uint64_t difference = 0;
        for (int k = 0; k < 32; k++)
            difference |= before[k] ^ after[k];
        changed += difference != 0;
    }
    printf("changed %ld times\n", changed);
    return 0;
}
