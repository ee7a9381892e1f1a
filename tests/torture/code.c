/* Code that is made, changed, copied, or entered in unusual ways; and what calls must leave as it is. */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <immintrin.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "torture.h"

enum { PAGE = 4096 };
typedef long function(long);

/* Functions of the program whose bytes are taken. No branch leads out of them. */
long add_seven(long value);
long add_eight(long value);
extern char add_seven_end[], add_eight_number[];
__asm__(".text\n"
        ".globl add_seven, add_seven_end\n"
        ".type add_seven, @function\n"
        "add_seven:\n"
        "    mov %rdi, %rax\n"
        "    add $7, %rax\n"
        "    add $0, %rax\n"
        "    ret\n"
        "add_seven_end:\n"
        ".size add_seven, . - add_seven\n"
        ".globl add_eight, add_eight_number\n"
        ".type add_eight, @function\n"
        "add_eight:\n"
        "    mov %rdi, %rax\n"
        "    nop\n"
        "    nop\n"
        "    nop\n"
        "    add $8, %rax\n"
        "add_eight_number = . - 1\n"
        "    ret\n"
        ".size add_eight, . - add_eight\n");

/* ---- made at run time -------------------------------------------------------------------------- */

/* mov $number, %eax; push; call *(beat); pop; add %edi, %eax; ret */
static size_t emit(unsigned char *place, int number)
{
    static const unsigned char code[] = {0x57,                                  /* push %rdi */
                                         0x48, 0xb8, 0,    0, 0, 0, 0, 0, 0, 0, /* mov $beat, %rax */
                                         0xff, 0xd0,                            /* call *%rax */
                                         0x5f,                                  /* pop %rdi */
                                         0x48, 0x8d, 0x87, 0, 0, 0, 0,          /* lea number(%rdi), %rax */
                                         0xc3};
    void (*called)(void) = beat;
    memcpy(place, code, sizeof code);
    memcpy(place + 3, &called, sizeof called);
    memcpy(place + 17, &number, sizeof number);
    return sizeof code;
}

static void *map(int protection, int flags)
{
    void *memory = mmap(NULL, 16 * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (memory == MAP_FAILED)
        see("mmap", -1);
    return memory;
}

static void run_emitted(void *at, int count)
{
    long sum = 0;
    unsigned char *next = at;
    for (int i = 0; i < count; i++) {
        function *made = (function *)(void *)next;
        next += emit(next, i);
        sum += made(1);
    }
    see("sum", sum);
}

static void writable_and_executable(void)
{
    run_emitted(map(PROT_READ | PROT_WRITE | PROT_EXEC, 0), 500);
}

static void at_low_addresses(void)
{
    run_emitted(map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_32BIT), 500);
}

static void flipped(void)
{
    unsigned char *memory = map(PROT_READ | PROT_WRITE, 0);
    long sum = 0;
    for (int i = 0; i < 100; i++) {
        mprotect(memory, PAGE, PROT_READ | PROT_WRITE);
        emit(memory, i);
        mprotect(memory, PAGE, PROT_READ | PROT_EXEC);
        sum += ((function *)(void *)memory)(1);
    }
    see("sum", sum);
}

static void mapped_twice(void)
{
    int file = memfd_create("code", 0);
    see("ftruncate", ftruncate(file, PAGE));
    unsigned char *writable = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    function *made = (function *)mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    long sum = 0;
    for (int i = 0; i < 100; i++) {
        emit(writable, i);
        sum += made(1);
    }
    see("sum", sum);
}

static void *make_code(void *result)
{
    unsigned char *memory = map(PROT_READ | PROT_WRITE | PROT_EXEC, 0);
    for (int i = 0; i < 200; i++) {
        emit(memory, i);
        *(long *)result += ((function *)(void *)memory)(1);
    }
    return NULL;
}

static void in_threads(void)
{
    pthread_t threads[3];
    long results[3] = {0};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, make_code, &results[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    see("sum", results[0] + results[1] + results[2]);
}

static void on_the_heap(void)
{
    unsigned char *memory = aligned_alloc(PAGE, PAGE);
    see("mprotect", mprotect(memory, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
    run_emitted(memory, 100);
}

/* ---- copied, changed --------------------------------------------------------------------------- */

static void copied(void)
{
    unsigned char *memory = map(PROT_READ | PROT_WRITE | PROT_EXEC, 0);
    memcpy(memory, (void *)add_seven, (size_t)(add_seven_end - (char *)(void *)add_seven));
    see("add_seven", ((function *)(void *)memory)(35));
}

static void own_bytes(void)
{
    const unsigned char *bytes = (const unsigned char *)(void *)add_seven;
    unsigned sum = 0;
    for (; bytes < (const unsigned char *)add_seven_end; bytes++)
        sum = sum * 31 + *bytes;
    see("sum", sum);
}

static void protect_own_code(const void *code, int protection)
{
    uintptr_t page = (uintptr_t)code & ~(uintptr_t)(PAGE - 1);
    see("mprotect", mprotect((void *)page, 2 * PAGE, protection));
}

/* Behind what a hook takes. */
static void changed_in_the_middle(void)
{
    long sum = 0;
    protect_own_code(add_eight_number, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (char i = 0; i < 100; i++) {
        *(volatile char *)add_eight_number = i;
        sum += add_eight(1);
    }
    protect_own_code(add_eight_number, PROT_READ | PROT_EXEC);
    see("sum", sum);
}

static void changed_at_the_start(void)
{
    static const unsigned char returns_three[] = {0xb8, 3, 0, 0, 0, 0xc3};
    see("add_seven", add_seven(1));
    protect_own_code((void *)add_seven, PROT_READ | PROT_WRITE | PROT_EXEC);
    memcpy((void *)add_seven, returns_three, sizeof returns_three);
    see("add_seven", add_seven(1));
}

/* As those do who put their code on large pages: while the text is away, nothing of it runs. */
static void moved_to_other_pages(void)
{
    uintptr_t first = ((uintptr_t)add_seven & ~(uintptr_t)(PAGE - 1)), bytes = PAGE;
    unsigned char *copy = map(PROT_READ | PROT_WRITE, 0);
    memcpy(copy, (void *)first, bytes);
    mprotect(copy, bytes, PROT_READ | PROT_EXEC);
    void *moved = mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)first);
    see("mremap", moved == (void *)first ? 0 : -1);
    see("add_seven", add_seven(35));
    toil();
}

/* ---- entered unusually ------------------------------------------------------------------------- */

long enter_front(long value);
long enter_middle(long value);
__asm__(".text\n"
        ".globl enter_front, enter_middle\n"
        ".type enter_front, @function\n"
        "enter_front:\n"
        "    .cfi_startproc\n"
        "    add $100, %rdi\n"
        "    .type enter_middle, @function\n"
        "enter_middle:\n"
        "    push %rdi\n"
        "    .cfi_def_cfa_offset 16\n"
        "    call beat\n"
        "    pop %rax\n"
        "    .cfi_def_cfa_offset 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size enter_front, . - enter_front\n"
        ".size enter_middle, . - enter_middle\n");

static void entered_in_the_middle(void)
{
    function *volatile entries[] = {enter_front, enter_middle, (function *)((char *)(void *)enter_front + 4)};
    long sum = 0;
    for (int i = 0; i < 300; i++)
        sum += entries[i % 3](i);
    see("sum", sum);
}

static long interpret(const unsigned char *program)
{
    static const void *const operations[] = {&&add, &&twice, &&call, &&end};
    long value = 1;
    goto *operations[*program++];
add:
    value += 3;
    goto *operations[*program++];
twice:
    value *= 2;
    goto *operations[*program++];
call:
    beat();
    goto *operations[*program++];
end:
    return value;
}

static void computed_jumps(void)
{
    long sum = 0;
    for (int i = 0; i < 100; i++)
        sum += interpret((const unsigned char *)"\0\1\2\0\1\2\3");
    see("sum", sum);
}

static long apply(long (*what)(long), int times)
{
    long value = 0;
    for (int i = 0; i < times; i++)
        value = what(value);
    return value;
}

static void nested_functions(void)
{
#if defined __GNUC__ && !defined __clang__
    long step = 3;
    long next(long value)
    {
        beat();
        return value + step;
    }
    see("applied", apply(next, 100));
#else
    beats(100);
    see("applied", apply(add_seven, 0) + 300);
#endif
}

static __attribute__((used)) long (*resolve_chosen(void))(long)
{
    return add_seven;
}
long chosen(long value) __attribute__((ifunc("resolve_chosen")));

static void indirect_functions(void)
{
    see("chosen", apply(chosen, 10));
}

/* ---- what calls leave as it is ----------------------------------------------------------------- */

static void rounding_and_masks(void)
{
    volatile double one = 1, three = 3;
    fesetround(FE_UPWARD);
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | _MM_FLUSH_ZERO_ON);
    toil();
    beats(100);
    say("csr %x, direction %d, third %d\n", _mm_getcsr() & 0xffc0, fegetround() == FE_UPWARD,
        one / three * three > one);
}

static long double mixed(long double value, int depth)
{
    beat();
    return depth == 0 ? value : mixed(value * 1.5L, depth - 1) + 1.0L / 3;
}

/* Values wait on the stack of the x87. */
static void long_doubles(void)
{
    union {
        long double value;
        unsigned char bytes[10];
    } result = {.value = mixed(1.0L / 7, 100)};
    for (int i = 0; i < 10; i++)
        say("%02x", result.bytes[i]);
    say("\n");
}

long x87_is_full(void);
__asm__(".text\n"
        ".globl x87_is_full\n"
        ".type x87_is_full, @function\n"
        "x87_is_full:\n"
        "    .cfi_startproc\n"
        "    sub $24, %rsp\n"
        "    .cfi_def_cfa_offset 32\n"
        "    fldpi\n    fldl2e\n    fldln2\n    fld1\n    fldlg2\n    fldl2t\n    fldpi\n    fldl2e\n"
        "    call leaves_all\n"
        "    faddp\n    faddp\n    faddp\n    faddp\n    faddp\n    faddp\n    faddp\n"
        "    fistpll 8(%rsp)\n"
        "    mov 8(%rsp), %rax\n"
        "    add $24, %rsp\n"
        "    .cfi_def_cfa_offset 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size x87_is_full, . - x87_is_full\n"
        ".globl leaves_all\n"
        ".type leaves_all, @function\n"
        "leaves_all:\n"
        "    .cfi_startproc\n"
        "    push %rbx\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbx, -16\n"
        "    mov $1, %ebx\n"
        "    call leaves_all_too\n"
        "    pop %rbx\n"
        "    .cfi_def_cfa_offset 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size leaves_all, . - leaves_all\n"
        ".globl leaves_all_too\n"
        ".type leaves_all_too, @function\n"
        "leaves_all_too:\n"
        "    mov %rbx, %rax\n"
        "    xor %ecx, %ecx\n"
        "    ret\n"
        ".size leaves_all_too, . - leaves_all_too\n");

static void full_x87(void)
{
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += x87_is_full();
    see("sum", sum);
}

long backwards(char *last, long count);
__asm__(".text\n"
        ".globl backwards\n"
        ".type backwards, @function\n"
        "backwards:\n"
        "    .cfi_startproc\n"
        "    push %rbx\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbx, -16\n"
        "    std\n"
        "    call leaves_all\n"
        "    mov $'x', %eax\n"
        "    mov %rsi, %rcx\n"
        "    rep stosb\n"
        "    cld\n"
        "    pop %rbx\n"
        "    .cfi_def_cfa_offset 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size backwards, . - backwards\n");

/* A call with the direction reversed. */
static void reversed_direction(void)
{
    char text[1025] = {0};
    for (int i = 0; i < 3000; i++)
        backwards(text + 1023, 1024);
    see("length", (long)strlen(text));
}

static double sum_of(int count, ...)
{
    va_list arguments;
    double sum = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(arguments, double) : va_arg(arguments, int);
    va_end(arguments);
    beat();
    return sum;
}

struct large {
    long numbers[9];
    double fraction;
};

static struct large fill(long from, struct large other)
{
    for (int i = 0; i < 9; i++)
        other.numbers[i] += from + i;
    beat();
    other.fraction *= 2;
    return other;
}

static __m128i add_vectors(__m128i a, __m128i b, __m128i c)
{
    beat();
    return _mm_add_epi32(_mm_add_epi32(a, b), c);
}

static __attribute__((ms_abi)) long of_another_system(long a, double b, long c, long d, long e)
{
    beat();
    return a + (long)b + c * d + e;
}

static __int128 wide(__int128 value, long by)
{
    beat();
    return value * by;
}

static void arguments_of_all_kinds(void)
{
    struct large large = {.fraction = 1};
    double sum = 0;
    for (int i = 0; i < 25; i++) {
        sum += sum_of(12, i, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5);
        large = fill(i, large);
        large.fraction /= 3;
        sum += _mm_extract_epi16(add_vectors(_mm_set1_epi32(i), _mm_set1_epi32(2), _mm_set1_epi32(3)), 0);
        sum += (double)of_another_system(i, 2.5, 3, 4, 5) + (double)(long)(wide((__int128)i << 64, 5) >> 64);
    }
    say("%.6f %ld %.12f\n", sum, large.numbers[8], large.fraction);
}

static void errors_stay(void)
{
    int wrong = 0;
    for (int i = 0; i < 100; i++) {
        errno = i;
        beat();
        wrong += errno != i;
    }
    toil();
    see("wrong", wrong);
}

/* ---- registers that a program keeps for itself, code of several pieces ------------------------- */

static jmp_buf place;

static void returns_twice(void)
{
    volatile int times = 0;
    int value = setjmp(place);
    beat();
    if (++times < 100)
        longjmp(place, times);
    see("value", value);
}

static void aligned_stack(void)
{
    _Alignas(64) volatile char frame[256];
    see("misaligned", (long)((uintptr_t)frame % 64));
    beats(100);
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(writable_and_executable),
                                              PROGRAM(at_low_addresses),
                                              PROGRAM(flipped),
                                              PROGRAM(mapped_twice),
                                              PROGRAM(in_threads),
                                              PROGRAM(on_the_heap),
                                              PROGRAM(copied),
                                              PROGRAM(own_bytes),
                                              PROGRAM(changed_in_the_middle),
                                              PROGRAM(changed_at_the_start),
                                              PROGRAM(moved_to_other_pages),
                                              PROGRAM(entered_in_the_middle),
                                              PROGRAM(computed_jumps),
                                              PROGRAM(nested_functions),
                                              PROGRAM(indirect_functions),
                                              PROGRAM(rounding_and_masks),
                                              PROGRAM(long_doubles),
                                              PROGRAM(full_x87),
                                              PROGRAM(reversed_direction),
                                              PROGRAM(arguments_of_all_kinds),
                                              PROGRAM(errors_stay),
                                              PROGRAM(returns_twice),
                                              PROGRAM(aligned_stack),
                                              {NULL, NULL}};
    return torture_main(argc, argv, programs);
}
