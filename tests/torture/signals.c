/* Signals: storms, order, masks, handlers that look at what they interrupted, change it, or never come back. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "torture.h"

static volatile sig_atomic_t seen;

static void count(int number)
{
    (void)number;
    seen++;
    beat();
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void handle_with_info(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};
    sigaction(number, &action, NULL);
}

/* ---- storms and order -------------------------------------------------------------------------- */

static void storm(void)
{
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    handle(SIGALRM, count, SA_RESTART);
    setitimer(ITIMER_REAL, &often, NULL);
    while (seen < 500)
        toil();
    setitimer(ITIMER_REAL, &never, NULL);
    say("weathered\n");
}

static void timers_of_processor_time(void)
{
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    handle(SIGPROF, count, 0);
    handle(SIGVTALRM, count, 0);
    setitimer(ITIMER_PROF, &often, NULL);
    setitimer(ITIMER_VIRTUAL, &often, NULL);
    while (seen < 5)
        beats(1000);
    setitimer(ITIMER_PROF, &never, NULL);
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    say("timed\n");
}

static volatile pthread_t target;
static volatile int over;
static char *volatile top_of_stack, *volatile end_of_stack;

static void count_at(int number)
{
    char here = 0;
    (void)number;
    end_of_stack = &here;
    __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
    beat();
}

/* Who never waits fills the target's stack. A handler may be interrupted at its first and at its last instruction, so
   no count of handlers tells how many lie on the stack: the address of the last one does, and a thread waits until
   what it shot has been seen. */
static void *shoot(void *unused)
{
    int seen_before = 0, shots = 0;
    while (!over) {
        if (seen != seen_before) {
            seen_before = seen;
            shots = 0;
        }
        if (top_of_stack - end_of_stack < 512 * 1024 && shots < 8) {
            pthread_kill(target, SIGUSR1);
            shots++;
        }
    }
    return unused;
}

static void crossfire(void)
{
    pthread_t threads[2];
    char here = 0;
    target = pthread_self();
    top_of_stack = end_of_stack = &here;
    handle(SIGUSR1, count_at, SA_NODEFER | SA_RESTART);
    over = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, shoot, NULL);
    while (seen < 2000) {
        beats(100);
        end_of_stack = &here;
    }
    over = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    say("survived\n");
}

static void once(void)
{
    handle(SIGUSR1, count, (int)SA_RESETHAND);
    raise(SIGUSR1);
    see("seen", seen);
    raise(SIGUSR1);
    say("never\n");
}

static void again_within(int number)
{
    beat();
    if (++seen < 50)
        raise(number);
}

static void nested(void)
{
    handle(SIGUSR1, again_within, SA_NODEFER);
    raise(SIGUSR1);
    see("seen", seen);
}

static int order[64], values;

static void note_value(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    order[values++] = info->si_value.sival_int;
    beat();
}

static void queue_of_real_time(void)
{
    sigset_t set;
    int wrong = 0;
    sigemptyset(&set);
    for (int i = 0; i < 4; i++) {
        handle_with_info(SIGRTMIN + i, note_value, 0);
        sigaddset(&set, SIGRTMIN + i);
    }
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 40; i++)
        sigqueue(getpid(), SIGRTMIN + 3 - i % 4, (union sigval){.sival_int = i});
    toil();
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    see("values", values);
    for (int i = 0; i < 40; i++)
        wrong = wrong * 3 % 1009 + order[i];
    see("order", wrong);
}

static void note_sender(int number, siginfo_t *info, void *context)
{
    (void)context;
    say("%d: code %d, own %d, value %d\n", number, info->si_code, info->si_pid == getpid(), info->si_value.sival_int);
}

static void sent_to_itself(void)
{
    handle_with_info(SIGUSR1, note_sender, 0);
    handle_with_info(SIGSEGV, note_sender, 0);
    sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 7});
    kill(getpid(), SIGUSR1);
    raise(SIGUSR1);
    pthread_kill(pthread_self(), SIGSEGV);
    sigqueue(getpid(), SIGSEGV, (union sigval){.sival_int = 8});
    toil();
}

/* ---- taken without a handler ------------------------------------------------------------------- */

static void waited_for(void)
{
    sigset_t set;
    siginfo_t info;
    int number, file;
    struct signalfd_siginfo read_info;
    struct timespec soon = {0, 1000000};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGSEGV);
    sigprocmask(SIG_BLOCK, &set, NULL);
    toil();
    kill(getpid(), SIGUSR1);
    sigwait(&set, &number);
    see("sigwait", number);
    sigqueue(getpid(), SIGSEGV, (union sigval){.sival_int = 5});
    see("sigwaitinfo", sigwaitinfo(&set, &info));
    see("sigtimedwait", sigtimedwait(&set, &info, &soon));
    file = signalfd(-1, &set, 0);
    see("signalfd", file);
    kill(getpid(), SIGUSR1);
    see("read", read(file, &read_info, sizeof read_info));
    see("number", read_info.ssi_signo);
}

static void suspended(void)
{
    sigset_t set, none;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    handle(SIGUSR1, count, 0);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 100; i++) {
        raise(SIGUSR1);
        sigsuspend(&none);
    }
    see("seen", seen);
}

static void interrupted_calls(void)
{
    char byte;
    int ends[2];
    struct itimerval soon = {{0, 0}, {0, 20000}};
    see("pipe", pipe(ends));
    handle(SIGALRM, count, 0);
    setitimer(ITIMER_REAL, &soon, NULL);
    see("read", read(ends[0], &byte, 1));
    setitimer(ITIMER_REAL, &soon, NULL);
    see("pause", pause());
    setitimer(ITIMER_REAL, &soon, NULL);
    see("usleep", usleep(10000000));
    see("seen", seen);
}

/* ---- how they were set ------------------------------------------------------------------------- */

static void told(void)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART | SA_ONSTACK | SA_NODEFER}, now;
    sigaddset(&action.sa_mask, SIGUSR2);
    for (int number = 1; number < 64; number++) {
        sigaction(number, NULL, &now);
        say("%d%s%x ", number, now.sa_handler == SIG_DFL ? "d" : now.sa_handler == SIG_IGN ? "i" : "h", now.sa_flags);
    }
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGSEGV, NULL, &now);
    say("\n%d %x %d\n", now.sa_handler == count, now.sa_flags & ~0x04000000, sigismember(&now.sa_mask, SIGUSR2));
    say("%d\n", signal(SIGSEGV, SIG_DFL) == count);
}

static void see_mask(int number)
{
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    say("%d:", number);
    for (int i = 1; i < 64; i++)
        if (sigismember(&now, i) == 1)
            say(" %d", i);
    say("\n");
    beat();
}

static void masks(void)
{
    struct sigaction action = {.sa_handler = see_mask};
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaddset(&action.sa_mask, SIGRTMIN + 5);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    raise(SIGUSR1);
    raise(SIGABRT);
    see_mask(0);
}

/* The kernel's own structure, and no library in between. */
static void set_by_system_call(void)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } action, old;
    handle(SIGUSR1, count, 0);
    memset(&action, 0, sizeof action);
    see("rt_sigaction", syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8));
    action.flags |= SA_NODEFER;
    see("rt_sigaction", syscall(SYS_rt_sigaction, SIGUSR2, &action, &old, 8));
    handle(SIGUSR2, count, 0);
    raise(SIGUSR1);
    raise(SIGUSR2);
    see("seen", seen);
}

static void then_inherited(void)
{
    struct sigaction now;
    for (int number = 1; number < 32; number++)
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
            say("%d is %s\n", number, now.sa_handler == SIG_IGN ? "ignored" : "handled");
    see_mask(0);
}

static void inherited(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGBUS);
    sigprocmask(SIG_BLOCK, &set, NULL);
    handle(SIGHUP, SIG_IGN, 0);
    handle(SIGSEGV, SIG_IGN, 0);
    handle(SIGFPE, count, 0);
    become("then_inherited");
}

/* ---- what was interrupted ---------------------------------------------------------------------- */

/* The first instruction of each may fault. */
long safe_fetch(const long *place, long otherwise);
long safe_fetch_leaving(const long *place, long otherwise);
extern char safe_fetch_fault[], safe_fetch_continue[], safe_fetch_leaving_fault[], safe_fetch_leaving_continue[];
__asm__(".text\n"
        ".globl safe_fetch, safe_fetch_fault, safe_fetch_continue\n"
        ".type safe_fetch, @function\n"
        "safe_fetch:\n"
        "safe_fetch_fault:\n"
        "    mov (%rdi), %rax\n"
        "    ret\n"
        "safe_fetch_continue:\n"
        "    mov %rsi, %rax\n"
        "    ret\n"
        ".size safe_fetch, . - safe_fetch\n"
        /* No leaf: it is left by a return that is waited for. */
        ".globl safe_fetch_leaving, safe_fetch_leaving_fault, safe_fetch_leaving_continue\n"
        ".type safe_fetch_leaving, @function\n"
        "safe_fetch_leaving:\n"
        "    .cfi_startproc\n"
        "safe_fetch_leaving_fault:\n"
        "    mov (%rdi), %rax\n"
        "    sub $24, %rsp\n"
        "    .cfi_def_cfa_offset 32\n"
        "    mov %rax, 8(%rsp)\n"
        "    call beat\n"
        "    mov 8(%rsp), %rax\n"
        "    add $24, %rsp\n"
        "    .cfi_def_cfa_offset 8\n"
        "    ret\n"
        "safe_fetch_leaving_continue:\n"
        "    mov %rsi, %rax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size safe_fetch_leaving, . - safe_fetch_leaving\n");

static void on_safe_fault(int number, siginfo_t *info, void *context)
{
    greg_t *counter = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)info;
    if (*counter == (greg_t)safe_fetch_fault)
        *counter = (greg_t)safe_fetch_continue;
    else if (*counter == (greg_t)safe_fetch_leaving_fault)
        *counter = (greg_t)safe_fetch_leaving_continue;
    else {
        say("a fault elsewhere\n");
        signal(number, SIG_DFL);
    }
}

static void safe_fetches(void)
{
    long value = 5, sum = 0;
    handle_with_info(SIGSEGV, on_safe_fault, 0);
    for (int i = 0; i < 1000; i++)
        sum += safe_fetch(&value, 1) + safe_fetch((long *)8, 70);
    see("safe_fetch", sum);
}

static void safe_fetches_leaving(void)
{
    long value = 5, sum = 0;
    handle_with_info(SIGSEGV, on_safe_fault, 0);
    for (int i = 0; i < 1000; i++)
        sum += safe_fetch_leaving(&value, 1) + safe_fetch_leaving((long *)8, 70);
    see("safe_fetch_leaving", sum);
}

/* Exported, so that its name is known. */
long load(const long *place);
long load(const long *place)
{
    return *place;
}

static void on_load(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    Dl_info where;
    const char *name = dladdr((void *)registers[REG_RIP], &where) && where.dli_sname ? where.dli_sname : "?";
    (void)number;
    if (seen++ == 0)
        say("a fault at %p in %s\n", info->si_addr, name);
    registers[REG_RDI] = (greg_t)&order[0];
}

/* The instruction runs again, with another register. */
static void changed_registers(void)
{
    long sum = 0;
    handle_with_info(SIGSEGV, on_load, 0);
    for (long i = 0; i < 100; i++)
        sum += load((long *)(16 + i));
    see("sum", sum);
    see("seen", seen);
}

long middle(const long *place);
long middle(const long *place)
{
    return safe_fetch_leaving(place, 1) + 1;
}

long outer(const long *place);
long outer(const long *place)
{
    return middle(place) + 1;
}

static void name_callers(int number, siginfo_t *info, void *context)
{
    greg_t *counter = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    void *frames[64];
    int count = backtrace(frames, 64), i = 0;
    Dl_info where;
    (void)number, (void)info;
    while (i < count && frames[i] != (void *)*counter)
        i++;
    for (int first = i; i < count; i++)
        if (dladdr((char *)frames[i] - (i > first), &where) && where.dli_sname)
            say("%s ", where.dli_sname);
    say("\n");
    *counter = (greg_t)safe_fetch_leaving_continue;
}

/* The fault is in the first instruction of a function. */
static void callers_of_a_fault(void)
{
    handle_with_info(SIGSEGV, name_callers, 0);
    for (int i = 0; i < 3; i++)
        see("outer", outer((long *)8));
}

long stops_at_once(long value);
__asm__(".text\n"
        ".globl stops_at_once\n"
        ".type stops_at_once, @function\n"
        "stops_at_once:\n"
        "    ud2\n"
        "    lea 1(%rdi), %rax\n"
        "    int3\n"
        "    ud2\n"
        "    ret\n"
        ".size stops_at_once, . - stops_at_once\n");

static void on_illegal(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    seen++;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void on_breakpoint(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    seen++;
}

/* Instructions that are emulated. */
static void stepped_over(void)
{
    handle_with_info(SIGILL, on_illegal, 0);
    handle_with_info(SIGTRAP, on_breakpoint, 0);
    for (int i = 0; i < 100; i++)
        if (stops_at_once(i) != i + 1)
            say("wrong\n");
    see("seen", seen);
}

long divide(long value, long by);
__asm__(".text\n"
        ".globl divide\n"
        ".type divide, @function\n"
        "divide:\n"
        "    mov %rdi, %rax\n"
        "    cqto\n"
        "    idiv %rsi\n"
        "    ret\n"
        ".size divide, . - divide\n");

static void on_division(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)number;
    if (seen++ == 0)
        say("code %d\n", info->si_code);
    registers[REG_RSI] = 2;
}

static void division_by_zero(void)
{
    handle_with_info(SIGFPE, on_division, 0);
    see("divided", divide(84, 0));
    see("seen", seen);
}

enum { PAGE = 4096, PAGES = 300 };
static char *guarded;

static void open_page(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
    mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
    seen++;
    beat();
}

static void touch(char *place)
{
    *place = (char)(*place + 1);
}

static void barriers_of_memory(void)
{
    handle_with_info(SIGSEGV, open_page, 0);
    guarded = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < PAGES; i++)
        touch(guarded + i * PAGE);
    see("seen", seen);
}

static void end_of_a_file(void)
{
    int file = open("short", O_RDWR | O_CREAT, 0600);
    see("ftruncate", ftruncate(file, PAGE));
    char *data = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    handle_with_info(SIGBUS, note_sender, (int)SA_RESETHAND);
    touch(data);
    touch(data + PAGE);
}

static void *serve_faults(void *file)
{
    struct uffd_msg message;
    while (read(*(int *)file, &message, sizeof message) == sizeof message) {
        struct uffdio_zeropage zero = {.range = {message.arg.pagefault.address & ~(PAGE - 1ul), PAGE}};
        ioctl(*(int *)file, UFFDIO_ZEROPAGE, &zero);
    }
    return NULL;
}

static void user_faults(void)
{
    pthread_t thread;
    struct uffdio_api api = {.api = UFFD_API};
    int file = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    if (file < 0 || ioctl(file, UFFDIO_API, &api) != 0) {
        say("not allowed\n");
        return;
    }
    guarded = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register all = {.range = {(uintptr_t)guarded, PAGES * PAGE}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    see("register", ioctl(file, UFFDIO_REGISTER, &all));
    pthread_create(&thread, NULL, serve_faults, &file);
    for (int i = 0; i < PAGES; i++)
        touch(guarded + i * PAGE);
    say("served\n");
}

/* ---- handlers that never come back, or end all ------------------------------------------------- */

static sigjmp_buf place;

static void leave(int number)
{
    beat();
    siglongjmp(place, number);
}

static void left_behind(void)
{
    handle(SIGSEGV, leave, 0);
    handle(SIGUSR1, leave, SA_NODEFER);
    for (int i = 0; i < 1000; i++)
        if (sigsetjmp(place, 1) == 0) {
            if (i % 2)
                see("never", load((long *)8));
            else
                raise(SIGUSR1);
        } else {
            seen++;
        }
    see("seen", seen);
}

static void end_at_once(int number)
{
    beat();
    exit(number);
}

static void exit_in_a_handler(void)
{
    handle(SIGUSR1, end_at_once, 0);
    raise(SIGUSR1);
}

static void abort_that_is_handled(void)
{
    handle(SIGABRT, count, 0);
    abort();
}

static void abort_that_is_blocked(void)
{
    sigset_t set;
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    toil();
    abort();
}

static void ignored_fault(void)
{
    handle(SIGSEGV, SIG_IGN, 0);
    raise(SIGSEGV);
    say("ignored\n");
    see("sum", load((long *)8));
}

static void fault_while_blocked(void)
{
    sigset_t set;
    sigfillset(&set);
    handle(SIGSEGV, count, 0);
    sigprocmask(SIG_BLOCK, &set, NULL);
    see("sum", load((long *)8));
}

static void broken_pipe(void)
{
    int ends[2];
    see("pipe", pipe(ends));
    close(ends[0]);
    toil();
    see("write", write(ends[1], "x", 1));
}

/* ---- timers, children -------------------------------------------------------------------------- */

static void on_expiry(union sigval value)
{
    beat();
    __atomic_add_fetch(value.sival_int == 9 ? &seen : &values, 1, __ATOMIC_SEQ_CST);
}

static void timer_threads(void)
{
    timer_t timer;
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 9, .sigev_notify_function = on_expiry};
    struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    see("timer_create", timer_create(CLOCK_MONOTONIC, &event, &timer));
    timer_settime(timer, 0, &often, NULL);
    while (seen < 20)
        beats(100);
    timer_delete(timer);
    say("expired\n");
}

static void reap(int number)
{
    int status;
    (void)number;
    while (waitpid(-1, &status, WNOHANG) > 0)
        seen += WEXITSTATUS(status);
    beat();
}

/* They end when all are there: not while another one is made, where what handlers call is not seen. */
static void children(void)
{
    int gate[2];
    char byte;
    handle(SIGCHLD, reap, SA_RESTART);
    if (pipe(gate) != 0)
        say("no pipe\n");
    for (int i = 0; i < 20; i++)
        if (fork() == 0) {
            close(gate[1]);
            _exit(read(gate[0], &byte, 1) == 0 ? 3 : 4);
        }
    close(gate[1]);
    while (seen < 60)
        usleep(1000);
    see("seen", seen);
}

static void stop_and_go_on(void)
{
    int status, child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        beats(100);
        raise(SIGTSTP);
        _exit(4);
    }
    for (int i = 0; i < 2; i++) {
        waitpid(child, &status, WUNTRACED);
        say("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status));
        kill(child, SIGCONT);
    }
    see_end("child", child);
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(storm),
                                              PROGRAM(timers_of_processor_time),
                                              PROGRAM(crossfire),
                                              PROGRAM(once),
                                              PROGRAM(nested),
                                              PROGRAM(queue_of_real_time),
                                              PROGRAM(sent_to_itself),
                                              PROGRAM(waited_for),
                                              PROGRAM(suspended),
                                              PROGRAM(interrupted_calls),
                                              PROGRAM(told),
                                              PROGRAM(masks),
                                              PROGRAM(set_by_system_call),
                                              PROGRAM(then_inherited),
                                              PROGRAM(inherited),
                                              PROGRAM(safe_fetches),
                                              PROGRAM(safe_fetches_leaving),
                                              PROGRAM(changed_registers),
                                              PROGRAM(callers_of_a_fault),
                                              PROGRAM(stepped_over),
                                              PROGRAM(division_by_zero),
                                              PROGRAM(barriers_of_memory),
                                              PROGRAM(end_of_a_file),
                                              PROGRAM(user_faults),
                                              PROGRAM(left_behind),
                                              PROGRAM(exit_in_a_handler),
                                              PROGRAM(abort_that_is_handled),
                                              PROGRAM(abort_that_is_blocked),
                                              PROGRAM(ignored_fault),
                                              PROGRAM(fault_while_blocked),
                                              PROGRAM(broken_pipe),
                                              PROGRAM(timer_threads),
                                              PROGRAM(children),
                                              PROGRAM(stop_and_go_on),
                                              {NULL, NULL}};
    return torture_main(argc, argv, programs);
}
