/* Resource limits that the program sets for itself, or for what it executes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torture.h"

static void limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit wanted = {most, most};
    see("setrlimit", setrlimit(what, &wanted));
}

static void *toil_in_thread(void *unused)
{
    beats(100);
    toil();
    return unused;
}

static void a_thread(void)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, toil_in_thread, NULL);
    say("pthread_create: %s\n", error ? strerrorname_np(error) : "works");
    if (error == 0)
        pthread_join(thread, NULL);
}

static void toil_and_thread(void)
{
    toil();
    a_thread();
}

/* ---- files ------------------------------------------------------------------------------------- */

static void file_size_0(void)
{
    limit(RLIMIT_FSIZE, 0);
    toil_and_thread();
}

static volatile int exceeded;

static void on_exceeded(int number)
{
    (void)number;
    exceeded++;
    beat();
}

/* Only what the program writes itself is answered by a signal. */
static void file_size_handled(void)
{
    char data[512] = {0};
    signal(SIGXFSZ, on_exceeded);
    limit(RLIMIT_FSIZE, 1024);
    int file = open("small", O_WRONLY | O_CREAT, 0600);
    toil_and_thread();
    for (int i = 0; i < 4; i++)
        see("write", write(file, data, sizeof data));
    see("signals", exceeded);
}

static void exec_with_file_size_0(void)
{
    limit(RLIMIT_FSIZE, 0);
    become("nothing_special");
}

static void core_0_and_abort(void)
{
    limit(RLIMIT_CORE, 0);
    toil();
    abort();
}

/* ---- memory ------------------------------------------------------------------------------------ */

static void nothing_special(void)
{
    toil_and_thread();
    char *memory = malloc(1 << 20);
    say("malloc: %s\n", memory ? "works" : "fails");
    free(memory);
}

static void address_space_100_mb(void)
{
    limit(RLIMIT_AS, 100 << 20);
    nothing_special();
}

static void data_100_mb(void)
{
    limit(RLIMIT_DATA, 100 << 20);
    nothing_special();
}

static void exec_with_address_space_100_mb(void)
{
    limit(RLIMIT_AS, 100 << 20);
    become("nothing_special");
}

static void exec_with_data_100_mb(void)
{
    limit(RLIMIT_DATA, 100 << 20);
    become("nothing_special");
}

static void exec_with_address_space_20_mb(void)
{
    limit(RLIMIT_AS, 20 << 20);
    become("nothing_special");
}

/* All that there is of an address space, in pieces that leave room for nothing large. */
static void address_space_is_full(void)
{
    enum { LEAST = 24 };
    for (int bits = 46; bits >= LEAST; bits--)
        while (mmap(NULL, 1ul << bits, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
            continue;
    toil();
    beats(1000);
    see("mmap", mmap(NULL, 1ul << LEAST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
}

static void mappings_are_used_up(void)
{
    enum { MOST = 70000 };
    size_t page = 4096;
    char *memory = mmap(NULL, MOST * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t i = 0;
    while (i < MOST && mprotect(memory + i * page, page, PROT_NONE) == 0)
        i += 2;
    say("used up: %s\n", i < MOST ? "yes" : "no");
    toil();
    munmap(memory, MOST * page);
    a_thread();
}

static void all_locked(void)
{
    see("mlockall", mlockall(MCL_CURRENT | MCL_FUTURE));
    toil_and_thread();
}

static void as_nobody(void)
{
    see("setuid", setuid(65534));
}

/* Whoever may lock all is not bound by the limit. */
static void little_locked(void)
{
    limit(RLIMIT_MEMLOCK, 64 << 10);
    as_nobody();
    see("mlockall", mlockall(MCL_FUTURE));
    toil();
    see("mmap", mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
}

/* ---- stacks ------------------------------------------------------------------------------------ */

static long descend(long depth)
{
    volatile char frame[200];
    frame[0] = (char)depth;
    return depth == 0 ? frame[0] : descend(depth - 1) + frame[0];
}

static void some_depth(void)
{
    descend(100);
    toil_and_thread();
    say("deep\n");
}

static void exec_with_stack_of_64_kb(void)
{
    limit(RLIMIT_STACK, 64 << 10);
    become("some_depth");
}

static void exec_with_unlimited_stack(void)
{
    limit(RLIMIT_STACK, RLIM_INFINITY);
    become("some_depth");
}

static void stack_of_100_kb(void)
{
    limit(RLIMIT_STACK, 100 << 10);
    some_depth();
}

/* ---- others ------------------------------------------------------------------------------------ */

static void no_more_processes(void)
{
    limit(RLIMIT_NPROC, 1);
    as_nobody();
    toil();
    see("fork", fork() > 0 ? 1 : -1);
    a_thread();
}

static void no_pending_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    limit(RLIMIT_SIGPENDING, 0);
    toil_and_thread();
    see("sigqueue", sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1}));
}

static void on_processor_time(int number)
{
    see("signal", number);
    _exit(3);
}

static void processor_time(void)
{
    struct rlimit one = {1, 2};
    signal(SIGXCPU, on_processor_time);
    setrlimit(RLIMIT_CPU, &one);
    for (;;)
        beats(1000);
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(file_size_0),
                                              PROGRAM(file_size_handled),
                                              PROGRAM(exec_with_file_size_0),
                                              PROGRAM(core_0_and_abort),
                                              PROGRAM(nothing_special),
                                              PROGRAM(address_space_100_mb),
                                              PROGRAM(data_100_mb),
                                              PROGRAM(exec_with_address_space_100_mb),
                                              PROGRAM(exec_with_data_100_mb),
                                              PROGRAM(exec_with_address_space_20_mb),
                                              PROGRAM(address_space_is_full),
                                              PROGRAM(mappings_are_used_up),
                                              PROGRAM(all_locked),
                                              PROGRAM(little_locked),
                                              PROGRAM(some_depth),
                                              PROGRAM(exec_with_stack_of_64_kb),
                                              PROGRAM(exec_with_unlimited_stack),
                                              PROGRAM(stack_of_100_kb),
                                              PROGRAM(no_more_processes),
                                              PROGRAM(no_pending_signals),
                                              PROGRAM(processor_time),
                                              {NULL, NULL}};
    return torture_main(argc, argv, programs);
}
