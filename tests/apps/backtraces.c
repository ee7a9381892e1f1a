/* backtrace() tells the program's own frames: from deep calls, from a callback of qsort, from a signal's handler; and
 * from a timer's handler, whatever instruction it interrupts, it always reaches main.
 *
 *     backtraces steps: only that, from the handler of a trap after every instruction. The handler is not to be traced:
 * it would overwrite, every time, what a stub has not quite finished. One backtrace at such a place is right, of two in
 * a row the second may not be: they are taken in sixteen passes, of each instruction in one of these. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

enum { MOST = 64, ALARMS = 1500, PASSES = 16, TRAP_FLAG = 0x100 };
static const uint64_t HASH = 0x9e3779b97f4a7c15;

static volatile sig_atomic_t alarms, pass, stepping, traps, looked_at, incomplete;
static volatile int work;
static int told;

int main(int argc, char **argv);

static const char *name_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) && info.dli_sname ? info.dli_sname : "?";
}

__attribute__((noinline)) void tell(const char *when)
{
    void *frames[MOST];
    int count = backtrace(frames, MOST);
    printf("%s:", when);
    for (int i = 1; i < count; i++)
        printf(" %s", name_of((char *)frames[i] - 1));
    printf("\n");
}

void descend(int depth)
{
    if (depth)
        descend(depth - 1);
    else
        tell("deep");
    work++;
}

int compare(const void *a, const void *b)
{
    if (told++ == 3)
        tell("callback");
    return *(const int *)a - *(const int *)b;
}

void on_usr1(int number)
{
    (void)number;
    tell("handler");
}

void leaf(void)
{
    work++;
}

/* Known calls of an API have stubs of their own. */
void lock(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        pthread_mutex_trylock(&mutex); /* its result is looked at */
        pthread_mutex_unlock(&mutex);
    }
}

/* Functions that begin with a call, at once and with one instruction before it: these are relocated. */
void calls_at_once(void);
void calls_soon(void);
__asm__(".text\n"
        ".globl calls_at_once, calls_soon\n"
        ".type calls_at_once, @function\n"
        "calls_at_once: .cfi_startproc\n"
        "    call calls_soon\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size calls_at_once, . - calls_at_once\n"
        ".type calls_soon, @function\n"
        "calls_soon: .cfi_startproc\n"
        "    push $0\n"
        "    .cfi_def_cfa_offset 16\n"
        "    call leaf\n"
        "    add $8, %rsp\n"
        "    .cfi_def_cfa_offset 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size calls_soon, . - calls_soon\n");

/* Code goes to the second instruction of one that is too short before it for a jump: that is put into the padding. */
void goes_between(void);
void too_short(void);
__asm__(".text\n"
        ".globl goes_between, too_short\n"
        ".p2align 5\n"
        ".type goes_between, @function\n"
        "goes_between: .cfi_startproc\n"
        "    mov %rdi, %rax\n"
        "    add %rsi, %rax\n"
        "    jmp 1f\n"
        "    .cfi_endproc\n"
        ".size goes_between, . - goes_between\n"
        ".p2align 4\n"
        ".type too_short, @function\n"
        "too_short: .cfi_startproc\n"
        "    mov %rdi, %rax\n"
        "1:  add $1, %rax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size too_short, . - too_short\n");

void churn(int depth)
{
    if (depth)
        churn(depth - 1);
    else
        lock();
    leaf();
    if (!depth) {
        calls_at_once();
        goes_between();
        too_short();
    }
}

static int reaches_main(void *const *frames, int count)
{
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr((char *)frames[i] - 1, &info) && info.dli_saddr == (void *)main)
            return 1;
    }
    return 0;
}

void on_alarm(int number)
{
    void *frames[MOST];
    (void)number;
    if (!reaches_main(frames, backtrace(frames, MOST)))
        incomplete++;
    alarms++;
}

void on_trap(int number, siginfo_t *info, void *context)
{
    void *frames[MOST];
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs, *flags = &registers[REG_EFL];
    (void)number, (void)info;
    traps++;
    if ((uint64_t)registers[REG_RIP] * HASH >> 60 == (uint64_t)pass && traps - looked_at >= PASSES) {
        looked_at = traps;
        incomplete += !reaches_main(frames, backtrace(frames, MOST));
    }
    *flags = stepping ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
}

/* What is called first is not stepped through: the tracer blocks signals where it gives functions their ids. And so few
 * calls are made that no batch is due, in which signals are blocked, too. */
static void step(void)
{
    const struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    churn(1);
    for (pass = 0; pass < PASSES; pass++) {
        stepping = 1;
        traps = 0;
        looked_at = -PASSES;
        raise(SIGTRAP);
        churn(1);
        stepping = 0;
    }
}

int main(int argc, char **argv)
{
    int numbers[] = {5, 3, 8, 1, 9, 2};
    void *frames[4];
    backtrace(frames, 4); /* loads the unwinder */
    if (argc > 1 && strcmp(argv[1], "steps") == 0) {
        step();
        printf("%d backtraces without main, %s steps\n", (int)incomplete, traps < 200 ? "few" : "many");
        return 0;
    }
    descend(4);
    qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare);
    signal(SIGUSR1, on_usr1);
    raise(SIGUSR1);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval interval = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &interval, NULL);
    while (alarms < ALARMS)
        churn(8);
    setitimer(ITIMER_REAL, &none, NULL);
    printf("%d backtraces without main\n", (int)incomplete);
    return 0;
}
