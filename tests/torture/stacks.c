/* Stacks: small ones, strange ones, overflowing ones, and going from one to another. */
#include <alloca.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "torture.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

static volatile int seen;

static long descend(long depth)
{
    volatile char frame[100];
    frame[0] = (char)depth;
    return depth == 0 ? frame[0] : descend(depth - 1) + frame[0];
}

/* Runs a function on a stack that ends at `end`. */
void run_on(void *end, void (*function)(void));
__asm__(".text\n"
        ".globl run_on\n"
        ".type run_on, @function\n"
        "run_on:\n"
        "    .cfi_startproc\n"
        "    push %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    mov %rdi, %rsp\n"
        "    call *%rsi\n"
        "    mov %rbp, %rsp\n"
        "    pop %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size run_on, . - run_on\n");

static void some_beats(void)
{
    beats(100);
    seen++;
}

static void on_mapped_stack(size_t bytes, int flags)
{
    char *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    for (int i = 0; i < 5; i++)
        run_on(stack + bytes, some_beats);
    toil();
    see("seen", seen);
}

static void on_any_stack(void)
{
    on_mapped_stack(64 << 10, MAP_STACK);
}

static void on_low_stack(void)
{
    on_mapped_stack(64 << 10, MAP_32BIT);
}

static void on_growing_stack(void)
{
    on_mapped_stack(64 << 10, MAP_GROWSDOWN | MAP_STACK);
}

static void on_stack_in_data(void)
{
    static char stack[32 << 10] __attribute__((aligned(16)));
    for (int i = 0; i < 5; i++)
        run_on(stack + sizeof stack, some_beats);
    see("seen", seen);
}

/* A red zone that no kernel keeps, and calls by functions of old that know nothing of alignment. */
static void on_misaligned_stack(void)
{
    static char stack[32 << 10] __attribute__((aligned(16)));
    for (int i = 0; i < 16; i += 8)
        run_on(stack + sizeof stack - i, some_beats);
    see("seen", seen);
}

static void *some_beats_in_thread(void *unused)
{
    some_beats();
    return unused;
}

/* ---- small ones -------------------------------------------------------------------------------- */

static void threads_of_least_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    see("setstacksize", pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN));
    for (int i = 0; i < 20; i++) {
        int error = pthread_create(&thread, &attributes, some_beats_in_thread, NULL);
        if (error)
            see("pthread_create", error);
        else
            pthread_join(thread, NULL);
    }
    see("seen", seen);
}

static void thread_on_own_memory(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    size_t bytes = 64 << 10;
    char *memory = aligned_alloc(4096, bytes);
    pthread_attr_init(&attributes);
    see("setstack", pthread_attr_setstack(&attributes, memory, bytes));
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, &attributes, some_beats_in_thread, NULL);
        pthread_join(thread, NULL);
    }
    see("seen", seen);
}

/* The stack of a thread is on this one's. */
static void thread_on_this_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    char memory[64 << 10] __attribute__((aligned(4096)));
    pthread_attr_init(&attributes);
    see("setstack", pthread_attr_setstack(&attributes, memory, sizeof memory));
    pthread_create(&thread, &attributes, some_beats_in_thread, NULL);
    beats(100);
    pthread_join(thread, NULL);
    see("seen", seen);
}

static void handle(int number)
{
    (void)number;
    seen++;
    beat();
}

static void alternate_stack(size_t bytes, unsigned flags)
{
    stack_t stack = {.ss_sp = malloc(bytes), .ss_size = bytes, .ss_flags = (int)flags};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    see("sigaltstack", sigaltstack(&stack, NULL));
    sigaction(SIGUSR1, &action, NULL);
}

static void signals_on_stack_of(size_t bytes)
{
    alternate_stack(bytes, 0);
    for (int i = 0; i < 500; i++)
        raise(SIGUSR1);
    see("seen", seen);
}

/* docs/limits.md says what the tracer takes of it. */
static void least_alternate_stack(void)
{
    signals_on_stack_of(getauxval(AT_MINSIGSTKSZ) + 2048);
}

static void usual_alternate_stack(void)
{
    signals_on_stack_of((size_t)getauxval(AT_MINSIGSTKSZ) + 8192);
}

static void see_alternate_stack(int number)
{
    stack_t now;
    sigaltstack(NULL, &now);
    say("%d: flags %x\n", number, (unsigned)now.ss_flags);
    beat();
}

static void states_of_alternate_stack(void)
{
    struct sigaction action = {.sa_handler = see_alternate_stack, .sa_flags = SA_ONSTACK};
    stack_t none = {.ss_flags = SS_DISABLE}, small = {.ss_sp = &none, .ss_size = 100};
    see_alternate_stack(0);
    alternate_stack(32 << 10, 0);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    alternate_stack(32 << 10, SS_AUTODISARM);
    raise(SIGUSR2);
    see("too small", sigaltstack(&small, NULL));
    see("none", sigaltstack(&none, NULL));
    raise(SIGUSR2);
}

/* ---- contexts ---------------------------------------------------------------------------------- */

static ucontext_t main_context, contexts[8];

static void beat_by_turns(int number)
{
    for (int i = 0; i < 20; i++) {
        beat();
        swapcontext(&contexts[number], &contexts[(number + 1) % 8]);
    }
}

static void contexts_on_small_stacks(void)
{
    enum { BYTES = 8 << 10 };
    static char stacks[8][BYTES] __attribute__((aligned(16)));
    for (int i = 0; i < 8; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = BYTES;
        contexts[i].uc_link = i < 7 ? &contexts[i + 1] : &main_context;
        makecontext(&contexts[i], (void (*)(void))beat_by_turns, 1, i);
    }
    swapcontext(&main_context, &contexts[0]);
    say("all ended\n");
}

/* ---- deep and large ---------------------------------------------------------------------------- */

static void deep(void)
{
    for (int i = 0; i < 5; i++)
        descend(20000);
    say("came back\n");
}

static void with_large_frame(void)
{
    volatile char frame[2 << 20];
    for (size_t i = 0; i < sizeof frame; i += 4096)
        frame[i] = (char)i;
    beat();
    seen += frame[0];
}

static void large_frames(void)
{
    for (int i = 0; i < 10; i++)
        with_large_frame();
    see("seen", seen);
}

static void grow_by(size_t bytes)
{
    char *memory = alloca(bytes);
    memset(memory, 1, bytes);
    beat();
    seen += memory[bytes - 1];
}

static void changing_frames(void)
{
    for (size_t bytes = 1; bytes < 1 << 20; bytes *= 2)
        grow_by(bytes);
    see("seen", seen);
}

static void overflow(void)
{
    descend(1000000000);
}

static sigjmp_buf place;

static void on_overflow(int number)
{
    seen++;
    siglongjmp(place, number);
}

static void survived_overflow(void)
{
    struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
    alternate_stack(64 << 10, 0);
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 4; i++)
        if (sigsetjmp(place, 1) == 0)
            overflow();
    see("seen", seen);
}

static void *overflow_in_thread(void *unused)
{
    beats(100);
    overflow();
    return unused;
}

static void overflow_of_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, overflow_in_thread, NULL);
    pthread_join(thread, NULL);
}

/* Whether all of the stack that a thread asked for is there for it. */
static void *use_most(void *bytes)
{
    beats(100);
    char *memory = alloca((size_t)bytes - (12 << 10));
    memset(memory, 1, (size_t)bytes - (12 << 10));
    return memory[0] ? NULL : memory;
}

static void all_of_a_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    size_t bytes = 256 << 10;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    see("pthread_create", pthread_create(&thread, &attributes, use_most, (void *)bytes));
    see("pthread_join", pthread_join(thread, NULL));
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(on_any_stack),
                                              PROGRAM(on_low_stack),
                                              PROGRAM(on_growing_stack),
                                              PROGRAM(on_stack_in_data),
                                              PROGRAM(on_misaligned_stack),
                                              PROGRAM(threads_of_least_stack),
                                              PROGRAM(thread_on_own_memory),
                                              PROGRAM(thread_on_this_stack),
                                              PROGRAM(least_alternate_stack),
                                              PROGRAM(usual_alternate_stack),
                                              PROGRAM(states_of_alternate_stack),
                                              PROGRAM(contexts_on_small_stacks),
                                              PROGRAM(deep),
                                              PROGRAM(large_frames),
                                              PROGRAM(changing_frames),
                                              PROGRAM(overflow),
                                              PROGRAM(survived_overflow),
                                              PROGRAM(overflow_of_a_thread),
                                              PROGRAM(all_of_a_stack),
                                              {NULL, NULL}};
    return torture_main(argc, argv, programs);
}
