/* Vector registers keep their values across calls of functions that do not touch them: compilers count on it within a
 * program (-fipa-ra). Calls without pattern, so that the tracer writes much. Where the processor has them, the
 * registers of AVX-512, too, and its masks. */
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

#define FOR_WIDE(DO)                                                                                                   \
    FOR_ALL(DO)                                                                                                        \
    DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
#define FOR_MASKS(DO)   DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define LOAD_WIDE(n)    "vmovdqu64 " #n "*64(%[before]), %%zmm" #n "\n\t"
#define STORE_WIDE(n)   "vmovdqu64 %%zmm" #n ", " #n "*64(%[after])\n\t"
#define LOAD_MASK(n)    "kmovq 2048+" #n "*8(%[before]), %%k" #n "\n\t"
#define STORE_MASK(n)   "kmovq %%k" #n ", 2048+" #n "*8(%[after])\n\t"
#define CLOBBER_WIDE(n) , "zmm" #n
#define CLOBBER_MASK(n) , "k" #n
enum { WIDE_NUMBERS = 32 * 8 + 8 };

__attribute__((target("avx512bw"))) static void call_wide(void (*function)(void), const uint64_t *before,
                                                          uint64_t *after)
{
    __asm__ volatile(FOR_WIDE(LOAD_WIDE) FOR_MASKS(LOAD_MASK) "call *%[function]\n\t" FOR_WIDE(STORE_WIDE)
                         FOR_MASKS(STORE_MASK) "vzeroupper"
                     :
                     : [before] "r"(before), [after] "r"(after), [function] "r"(function)
                     : "memory", "cc" FOR_WIDE(CLOBBER_WIDE) FOR_MASKS(CLOBBER_MASK));
}

static long count_wide_changes(void)
{
    uint64_t before[WIDE_NUMBERS], after[WIDE_NUMBERS] = {0};
    long changed = 0;
    for (uint64_t i = 0; i < WIDE_NUMBERS; i++)
        before[i] = (i + 1) * 0xd6e8feb86659fd93u;
    for (int i = 0; i < CALLS / 4; i++) {
        state = state * 1664525 + 1013904223;
        call_wide(state >> 31 ? left : right, before, after);
        uint64_t difference = 0;
        for (int k = 0; k < WIDE_NUMBERS; k++)
            difference |= k == 32 * 8 ? 0 : before[k] ^ after[k]; /* k0 is no mask that is kept */
        changed += difference != 0;
    }
    return changed;
}

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
    if (__builtin_cpu_supports("avx512bw"))
        changed += count_wide_changes();
    printf("changed %ld times\n", changed);
    return 0;
}
