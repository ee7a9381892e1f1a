/* Signals that end programs, and everything that a program may do about them: fatal HOW. What it finds out goes to its
 * standard output. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static const int watched[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR1};
static char *page;
static int zero;
static sigjmp_buf back;
static volatile sig_atomic_t seen;
extern char **environ;

static void say(const char *text)
{
    if (write(1, text, strlen(text)) < 0)
        _exit(99);
}

/* ---- ways to die ------------------------------------------------------------------------------- */

void die_segv(void)
{
    *(volatile int *)(page + 64) = 1;
}

void die_in_a_copy(void)
{
    volatile size_t bytes = sizeof watched;
    memcpy(page + 64, watched, bytes);
    say("not dead\n");
}

void die_bus(void)
{
    FILE *file = tmpfile();
    volatile char *beyond = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    printf("%d\n", beyond[0]);
}

void die_fpe(void)
{
    printf("%d\n", 7 / *(volatile int *)&zero);
}

void die_ill(void)
{
    __asm__ volatile("ud2");
}

int overflow(int depth)
{
    volatile char room[512];
    room[depth % 512] = (char)depth;
    return depth < 0 ? 0 : overflow(depth + 1) + room[depth % 512];
}

static void die(const char *how)
{
    if (strcmp(how, "segv") == 0)
        die_segv();
    else if (strcmp(how, "copy") == 0)
        die_in_a_copy();
    else if (strcmp(how, "bus") == 0)
        die_bus();
    else if (strcmp(how, "fpe") == 0)
        die_fpe();
    else if (strcmp(how, "ill") == 0)
        die_ill();
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "raise") == 0)
        raise(SIGFPE);
    else if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGBUS);
    else if (strcmp(how, "sigqueue") == 0)
        sigqueue(getpid(), SIGILL, (union sigval){.sival_int = 5});
    else if (strcmp(how, "overflow") == 0)
        overflow(1);
    else if (strcmp(how, "wait") == 0)
        for (say("ready\n");;)
            pause();
}

/* ---- threads ----------------------------------------------------------------------------------- */

static pthread_barrier_t all_there;
static const char *thread_dies;

void *thread_main(void *argument)
{
    pthread_barrier_wait(&all_there);
    if ((intptr_t)argument == 2)
        die(thread_dies);
    for (;;)
        pause();
    return NULL;
}

void threads(const char *how)
{
    pthread_t thread;
    thread_dies = how;
    pthread_barrier_init(&all_there, NULL, 5);
    for (intptr_t i = 1; i <= 4; i++)
        pthread_create(&thread, NULL, thread_main, (void *)i);
    pthread_barrier_wait(&all_there);
    for (;;)
        pause();
}

/* ---- what the program sees --------------------------------------------------------------------- */

void on_signal(int number)
{
    seen = number;
}

void on_details(int number, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d code %d address %ld\n", number, info->si_code,
           number == SIGSEGV ? (long)((char *)info->si_addr - page) : 0);
    siglongjmp(back, 1);
}

static const char *handler_name(const struct sigaction *action)
{
    if (action->sa_handler == SIG_DFL)
        return "default";
    if (action->sa_handler == SIG_IGN)
        return "ignored";
    return action->sa_handler == on_signal      ? "on_signal"
           : action->sa_sigaction == on_details ? "on_details"
                                                : "strange";
}

static void print_action(int number, const struct sigaction *action)
{
    unsigned long mask;
    memcpy(&mask, &action->sa_mask, sizeof mask);
    printf("%d: %s flags %x mask %lx restorer %d\n", number, handler_name(action), (unsigned)action->sa_flags, mask,
           action->sa_restorer != NULL);
}

void query(void)
{
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        struct sigaction action;
        sigaction(watched[i], NULL, &action);
        print_action(watched[i], &action);
    }
    stack_t stack;
    sigaltstack(NULL, &stack);
    printf("stack %d flags %d size %zu\n", stack.ss_sp != NULL, stack.ss_flags, stack.ss_size);
}

/* Every way to set a handler, every answer. */
void settings(void)
{
    static const int flags[] = {0, SA_SIGINFO, SA_RESTART | SA_ONSTACK, SA_NODEFER | SA_RESETHAND,
                                SA_ONSTACK | SA_SIGINFO};
    query();
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        int number = watched[i];
        struct sigaction set = {.sa_handler = on_signal}, old;
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
            set.sa_flags = flags[f];
            if (flags[f] & SA_SIGINFO)
                set.sa_sigaction = on_details;
            else
                set.sa_handler = f % 2 ? SIG_DFL : on_signal;
            sigaddset(&set.sa_mask, SIGUSR2);
            printf("%d ", sigaction(number, &set, &old));
            print_action(number, &old);
        }
        printf("%d", signal(number, SIG_IGN) == (void *)on_details);
        printf("%d", signal(number, on_signal) == SIG_IGN);
        printf("%d", signal(number, SIG_DFL) == on_signal);
        printf("%d", signal(number, SIG_DFL) == SIG_DFL);
        printf("%d", sysv_signal(number, on_signal) == SIG_DFL);
        printf("%d", sigset(number, SIG_HOLD) == on_signal);
        printf("%d", sigset(number, SIG_DFL) == SIG_HOLD);
        printf("%d\n", signal(number, SIG_ERR) == SIG_ERR);
        siginterrupt(number, 1);
        sigaction(number, NULL, &old);
        print_action(number, &old);
    }
    printf("%d %d\n", sigaction(SIGKILL, &(struct sigaction){.sa_handler = on_signal}, NULL),
           sigaction(200, NULL, NULL));
    query();
}

/* ---- handlers at work --------------------------------------------------------------------------- */

static void set(int number, void *handler, int flags)
{
    struct sigaction action = {.sa_flags = flags};
    action.sa_handler = (void (*)(int))handler;
    sigaction(number, &action, NULL);
}

void repair(int number, siginfo_t *info, void *context)
{
    (void)context;
    seen++;
    printf("repairs %d at %ld\n", number, (long)((char *)info->si_addr - page));
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

/* Back from faults again and again, by return and by siglongjmp. */
void recover(void)
{
    set(SIGSEGV, repair, SA_SIGINFO);
    for (int i = 0; i < 50; i++) {
        die_segv();
        mprotect(page, 4096, PROT_NONE);
    }
    set(SIGSEGV, on_details, SA_SIGINFO | SA_NODEFER);
    set(SIGFPE, on_details, SA_SIGINFO);
    for (volatile int i = 0; i < 50; i++)
        if (sigsetjmp(back, 1) == 0)
            (i % 2 ? die_segv : die_fpe)();
    printf("seen %d\n", seen);
}

void where(int number)
{
    volatile char here;
    uintptr_t low = (uintptr_t)page + 8192, at = (uintptr_t)&here;
    printf("signal %d on %s\n", number, at - low < 65536 ? "its stack" : "the thread's stack");
    fflush(stdout);
}

/* SA_ONSTACK means something only from sigaltstack() on. */
void alternate(void)
{
    set(SIGUSR1, where, SA_ONSTACK);
    set(SIGABRT, where, SA_ONSTACK | SA_NODEFER);
    raise(SIGUSR1);
    raise(SIGABRT);
    stack_t stack = {.ss_sp = page + 8192, .ss_size = 65536}, old;
    printf("%d", sigaltstack(&stack, &old));
    printf(" old %d %zu\n", old.ss_flags, old.ss_size);
    raise(SIGUSR1);
    raise(SIGABRT);
    set(SIGUSR1, where, 0);
    raise(SIGUSR1);
    query();
    stack.ss_flags = SS_DISABLE;
    printf("%d", sigaltstack(&stack, &old));
    printf(" old %d %zu\n", old.ss_flags, old.ss_size);
    raise(SIGABRT);
}

void leave(int number)
{
    seen = number;
    siglongjmp(back, 1);
}

/* The program's own way to survive the overflow of its stack. */
void survive(void)
{
    stack_t stack = {.ss_sp = page + 8192, .ss_size = 65536};
    sigaltstack(&stack, NULL);
    set(SIGSEGV, leave, SA_ONSTACK);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0)
            overflow(1);
    printf("survived %d\n", seen);
    set(SIGSEGV, SIG_DFL, 0);
    fflush(stdout);
    overflow(1);
}

void complain(int number)
{
    say(number == SIGSEGV ? "complains of SIGSEGV\n" : "complains\n");
}

/* As MPIs and runtimes of languages do: once, then the default action. */
void once(const char *how)
{
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        set(watched[i], complain, SA_RESETHAND);
    threads(how);
}

static void complain_and_end(int number)
{
    say("complains and ends\n");
    signal(number, SIG_DFL);
    raise(number);
}

/* As Open MPI does: the handler sends the signal once more, which comes when it has returned, or, with SA_NODEFER, at
 * once. */
void again(const char *how, int flags)
{
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        set(watched[i], complain_and_end, flags);
    die(how);
}

/* ---- processes ------------------------------------------------------------------------------------ */

static void print_end(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    printf("exited %d %d signalled %d %d core %d\n", WIFEXITED(status), WEXITSTATUS(status), WIFSIGNALED(status),
           WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFSIGNALED(status) && WCOREDUMP(status));
    fflush(stdout);
}

void children(char *self)
{
    static const char *const how[] = {"segv", "bus", "fpe", "ill", "abort", "raise", "kill", "sigqueue", "overflow"};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            die(how[i]);
        print_end(child);
    }
    signal(SIGBUS, SIG_IGN);
    set(SIGSEGV, on_signal, 0);
    fflush(stdout);
    pid_t child = vfork();
    if (child == 0) {
        signal(SIGFPE, SIG_IGN);
        signal(SIGSEGV, SIG_DFL);
        execl(self, self, "query", NULL);
        _exit(9);
    }
    print_end(child);
    char *arguments[] = {self, "query", NULL};
    posix_spawn(&child, self, NULL, NULL, arguments, environ);
    print_end(child);
    child = vfork();
    if (child == 0)
        die_fpe();
    print_end(child);
    query();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "query";
    page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page, 4096, PROT_NONE);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(how, "threads") == 0)
        threads(argv[2]);
    else if (strcmp(how, "once") == 0)
        once(argv[2]);
    else if (strcmp(how, "again") == 0)
        again(argv[2], 0);
    else if (strcmp(how, "again-at-once") == 0)
        again(argv[2], SA_NODEFER);
    else if (strcmp(how, "query") == 0)
        query();
    else if (strcmp(how, "settings") == 0)
        settings();
    else if (strcmp(how, "recover") == 0)
        recover();
    else if (strcmp(how, "alternate") == 0)
        alternate();
    else if (strcmp(how, "survive") == 0)
        survive();
    else if (strcmp(how, "children") == 0)
        children(argv[0]);
    else
        die(how);
    return 0;
}
