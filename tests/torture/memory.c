/* Addresses at which nothing is, wherever the tracer may look for something; and the tracer's own memory of its file,
 * which is taken away: by whoever cuts the file short, or unmaps what he finds. Untraced there is no such memory. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "torture.h"

enum { PAGE = 4096, MOST_RANGES = 64 };

static void *const nowhere[] = {NULL,
                                (void *)1,
                                (void *)-1,
                                (void *)-8,
                                (void *)0x8000000000000000u,
                                (void *)0x800000000000u,
                                (void *)0xffff800000000000u};
enum { NOWHERE = sizeof nowhere / sizeof *nowhere };

static long result_of(long result)
{
    return result < 0 ? -errno : result;
}

static int errno_of_constructor = -1;
__attribute__((constructor)) static void look_at_errno(void)
{
    errno_of_constructor = errno;
}

static void errno_at_the_start(void)
{
    say("errno %d\n", errno_of_constructor);
}

/* ---- addresses where nothing is ---------------------------------------------------------------- */

static void asked_for_functions(void)
{
    for (int i = 0; i < NOWHERE; i++)
        say("%d\n", _Unwind_FindEnclosingFunction(nowhere[i]) != NULL);
    say("%d\n", _Unwind_FindEnclosingFunction((void *)(uintptr_t)beat) != NULL);
}

/* Where the C library asks the kernel first, which answers EFAULT. */
static void contexts(void)
{
    ucontext_t own; /* at other addresses the C library itself reads, which ends the program */
    see("setcontext", result_of(setcontext(nowhere[0])));
    see("swapcontext", result_of(swapcontext(&own, nowhere[0])));
}

static void alternate_stacks(void)
{
    static char memory[1 << 16];
    stack_t own = {.ss_sp = memory, .ss_size = sizeof memory}, told;
    for (int i = 1; i < NOWHERE; i++) {
        see("sets", result_of(sigaltstack(nowhere[i], NULL)));
        see("asks", result_of(sigaltstack(NULL, nowhere[i])));
    }
    see("sets and asks", result_of(sigaltstack(&own, nowhere[2])));
    sigaltstack(NULL, &told);
    say("%d %d\n", told.ss_sp == (void *)memory, told.ss_flags);
}

static void handlers(void)
{
    struct sigaction told;
    for (int i = 2; i < NOWHERE; i++) {
        struct sigaction action = {.sa_flags = SA_RESETHAND};
        action.sa_handler = (void (*)(int))nowhere[i];
        see("sigaction", result_of(sigaction(SIGUSR1, &action, NULL)));
        sigaction(SIGUSR1, NULL, &told);
        say("%d\n", told.sa_handler == action.sa_handler);
    }
    see("no such signal", result_of(sigaction(-1, nowhere[2], nowhere[2])));
}

static void leave(void)
{
    _exit(7);
}

static void waited_for(void)
{
    for (int i = 1; i < NOWHERE; i++) {
        pid_t child = fork();
        if (child == 0)
            leave();
        see("waitpid", result_of(waitpid(child, nowhere[i], 0)));
    }
    see("wait4", result_of(wait4(-1, NULL, 0, nowhere[2])));
}

static void executed(void)
{
    static char name[] = "x", *arguments[] = {name, NULL}, *broken[] = {name, (char *)-1, NULL};
    for (int i = 1; i < NOWHERE; i++) {
        see("path", result_of(execve(nowhere[i], arguments, arguments)));
        see("arguments", result_of(execve("/bin/true", nowhere[i], arguments)));
        see("environment", result_of(execve("/bin/true", arguments, nowhere[i])));
    }
    see("entry", result_of(execve("/bin/true", arguments, broken)));
}

/* ---- memory that is taken away ------------------------------------------------------------------ */

struct range {
    uint64_t low, high;
    char path[512];
};

/* Of trace files. */
static int find_ranges(struct range *ranges)
{
    char line[1024];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps) && count < MOST_RANGES) {
        struct range *range = &ranges[count];
        if (strstr(line, ".trace\n") &&
            sscanf(line, "%lx-%lx %*s %*s %*s %*s %511[^\n]", &range->low, &range->high, range->path) == 3)
            count++;
    }
    if (maps)
        fclose(maps);
    return count;
}

static uint64_t seed;

static uint64_t next_random(uint64_t bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % bound;
}

static void cut(off_t size)
{
    struct range ranges[MOST_RANGES];
    if (find_ranges(ranges) > 0 && truncate(ranges[0].path, size) != 0)
        say("not cut\n");
}

/* As long as the file is cut in cut_again_and_again(). */
static void *toils(void *unused)
{
    for (int i = 0; i < 4; i++)
        toil();
    return unused;
}

/* What goes on afterwards: calls, a thread, locks, a child, handlers. */
static void go_on(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    pthread_create(&thread, NULL, toils, NULL);
    beats(100);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    in_child("child", toil);
    toil();
    raise(SIGURG);
}

static void file_is_cut(void)
{
    cut(0);
    go_on();
}

static void file_is_cut_to_a_page(void)
{
    cut(PAGE);
    go_on();
}

static volatile sig_atomic_t faults;
static sigjmp_buf before_fault;

static void on_fault(int number)
{
    (void)number;
    faults++;
    siglongjmp(before_fault, 1);
}

/* The program's own faults are its own as before. */
static void cut_with_handlers(void)
{
    signal(SIGBUS, on_fault);
    signal(SIGSEGV, on_fault);
    cut(0);
    toil();
    if (!sigsetjmp(before_fault, 1))
        *(volatile int *)nowhere[1] = 1;
    cut(0);
    go_on();
    say("%d faults\n", (int)faults);
}

static void see_masks(const char *when)
{
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    say("%s: SIGBUS %d, SIGSEGV %d, SIGUSR1 %d\n", when, sigismember(&now, SIGBUS), sigismember(&now, SIGSEGV),
        sigismember(&now, SIGUSR1));
}

static void *toils_and_sees(void *unused)
{
    see_masks("thread");
    return toils(unused);
}

static void on_usr1(int number)
{
    (void)number;
    cut(0);
    toil();
}

/* Shells block all signals while they wait for their children. */
static void cut_while_all_is_blocked(void)
{
    sigset_t all, before;
    pthread_t thread;
    struct sigaction action = {.sa_handler = on_usr1}, told;
    sigfillset(&all);
    action.sa_mask = all;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &told);
    say("%d\n", sigismember(&told.sa_mask, SIGBUS));
    raise(SIGUSR1);
    sigprocmask(SIG_SETMASK, &all, &before);
    see_masks("blocked");
    cut(0);
    toil();
    pthread_create(&thread, NULL, toils_and_sees, NULL);
    pthread_join(thread, NULL);
    sigdelset(&all, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    see_masks("but one");
    sigprocmask(SIG_SETMASK, &before, NULL);
    see_masks("as before");
    go_on();
}

static void unmapped_while_all_is_blocked(void)
{
    struct range ranges[MOST_RANGES];
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    int count = find_ranges(ranges);
    for (int i = 0; i < count; i++)
        munmap((void *)ranges[i].low, ranges[i].high - ranges[i].low);
    toil();
    see_masks("blocked");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    see_masks("as before");
    go_on();
}

/* What the program does wrong itself while that is blocked ends it. */
static void own_fault_that_is_blocked(void)
{
    sigset_t set;
    signal(SIGSEGV, on_fault);
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_kill(pthread_self(), SIGSEGV);
    toil();
    sigpending(&set);
    say("%d pending, %d faults\n", sigismember(&set, SIGSEGV), (int)faults);
    if (!sigsetjmp(before_fault, 0))
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    see_masks("unblocked in the handler"); /* SIGSEGV is, by the kernel */
    say("%d faults\n", (int)faults);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (!sigsetjmp(before_fault, 1))
        *(volatile int *)nowhere[1] = 1;
    say("%d faults\n", (int)faults);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigprocmask(SIG_UNBLOCK, &set, &set);
    say("was blocked: %d\n", sigismember(&set, SIGSEGV));
    see_masks("unblocked");
    sigprocmask(SIG_SETMASK, &set, NULL);
    *(volatile int *)nowhere[1] = 1;
}

static void bus_error_that_is_blocked(void)
{
    sigset_t set;
    signal(SIGBUS, on_fault);
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGBUS);
    pthread_kill(pthread_self(), SIGBUS);
    toil();
    sigpending(&set);
    say("%d pending, %d faults\n", sigismember(&set, SIGBUS), (int)faults);
    sigfillset(&set);
    if (!sigsetjmp(before_fault, 0))
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    say("%d faults\n", (int)faults);
    char path[] = "/tmp/torture-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    volatile char *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!sigsetjmp(before_fault, 1))
        *memory = 1;
    say("%d faults\n", (int)faults);
    sigprocmask(SIG_SETMASK, &set, NULL);
    *memory = 1;
}

static void then_blocked(void)
{
    see_masks("executed");
}

static void blocked_for_the_next(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    sigaddset(&set, SIGSEGV);
    sigprocmask(SIG_BLOCK, &set, NULL);
    see("nothing", result_of(execl("/nowhere", "x", (char *)NULL)));
    see_masks("still");
    if (fork() == 0)
        become("then_blocked");
    see_end("child", -1);
    become("then_blocked");
}

static void cut_and_crashing(void)
{
    cut(0);
    *(volatile int *)nowhere[1] = 1;
}

static void cut_and_ended(void)
{
    cut(0);
    kill(getpid(), SIGTERM);
}

/* Other threads record meanwhile. */
static void cut_again_and_again(void)
{
    pthread_t threads[2];
    struct range ranges[MOST_RANGES];
    struct stat status;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, toils, NULL);
    for (int i = 0; i < 20; i++) {
        if (find_ranges(ranges) > 0 && stat(ranges[0].path, &status) == 0)
            cut((off_t)next_random((uint64_t)status.st_size + 1));
        usleep(500);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    cut(0);
    go_on();
}

static void memory_is_unmapped(void)
{
    struct range ranges[MOST_RANGES];
    int count = find_ranges(ranges);
    for (int i = 0; i < count; i++)
        munmap((void *)ranges[i].low, ranges[i].high - ranges[i].low);
    go_on();
}

static int can_seal(void)
{
    enum { CALL_MSEAL = 462 };
    return syscall(CALL_MSEAL, 0, 0, 0) == 0;
}

/* Of no file, larger than what the loader takes, and behind no library, whose data would go on there: what this
 * program has none of, but the tracer: stubs, tables, shadow stacks. Without mseal() nothing is looked for. */
static int find_nobodys_ranges(struct range *ranges)
{
    enum { LOADERS_BYTES = 60 << 10 };
    char line[1024];
    int count = 0;
    uint64_t low, high, own = (uint64_t)pthread_self(), library_end = 0;
    FILE *maps = can_seal() ? fopen("/proc/self/maps", "r") : NULL;
    while (maps && fgets(line, sizeof line, maps) && count < MOST_RANGES) {
        if (sscanf(line, "%lx-%lx", &low, &high) != 2)
            continue;
        int is_nobodys = strstr(line, " 00:00 0") && !strchr(line, '[') && low != library_end;
        if (!is_nobodys)
            library_end = high;
        else if (high - low >= LOADERS_BYTES && (own < low || own >= high))
            ranges[count++] = (struct range){.low = low, .high = high};
    }
    if (maps)
        fclose(maps);
    return count;
}

static void take_away(uint64_t low, uint64_t bytes)
{
    munmap((void *)low, bytes);
    mprotect((void *)low, bytes, PROT_NONE);
    mmap((void *)low, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void tables_are_unmapped(void)
{
    struct range ranges[MOST_RANGES];
    int count = find_nobodys_ranges(ranges);
    for (int i = 0; i < count; i++)
        take_away(ranges[i].low, ranges[i].high - ranges[i].low);
    go_on();
}

static void *beats_a_little(void *unused)
{
    beats(50);
    return unused;
}

static void tables_are_unmapped_among_threads(void)
{
    struct range ranges[MOST_RANGES];
    pthread_t threads[4];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, beats_a_little, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        int count = find_nobodys_ranges(ranges);
        for (int i = 0; i < count; i++)
            for (uint64_t at = ranges[i].low; at < ranges[i].high && at < ranges[i].low + 64 * PAGE; at += PAGE)
                take_away(at, PAGE);
    }
    go_on();
}

static void pages_are_unmapped_at_random(void)
{
    struct range ranges[MOST_RANGES];
    for (int i = 0; i < 16; i++) {
        int count = i < 8 ? find_ranges(ranges) : find_nobodys_ranges(ranges);
        if (count > 0) {
            const struct range *range = &ranges[next_random((uint64_t)count)];
            uint64_t page = next_random((range->high - range->low) / PAGE);
            if (i % 2)
                munmap((void *)(range->low + page * PAGE), PAGE);
            else
                mprotect((void *)(range->low + page * PAGE), PAGE, PROT_NONE);
        }
        beats(1000);
    }
    go_on();
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(errno_at_the_start),
                                              PROGRAM(asked_for_functions),
                                              PROGRAM(contexts),
                                              PROGRAM(alternate_stacks),
                                              PROGRAM(handlers),
                                              PROGRAM(waited_for),
                                              PROGRAM(executed),
                                              PROGRAM(file_is_cut),
                                              PROGRAM(file_is_cut_to_a_page),
                                              PROGRAM(cut_with_handlers),
                                              PROGRAM(cut_while_all_is_blocked),
                                              PROGRAM(unmapped_while_all_is_blocked),
                                              PROGRAM(own_fault_that_is_blocked),
                                              PROGRAM(bus_error_that_is_blocked),
                                              PROGRAM(then_blocked),
                                              PROGRAM(blocked_for_the_next),
                                              PROGRAM(cut_and_crashing),
                                              PROGRAM(cut_and_ended),
                                              PROGRAM(cut_again_and_again),
                                              PROGRAM(memory_is_unmapped),
                                              PROGRAM(tables_are_unmapped),
                                              PROGRAM(tables_are_unmapped_among_threads),
                                              PROGRAM(pages_are_unmapped_at_random),
                                              {NULL, NULL}};
    seed = (uint64_t)getpid();
    return torture_main(argc, argv, programs);
}
