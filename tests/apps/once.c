/* Handlers with SA_RESETHAND, which are called once:
 *
 *     once told: what sigaction() tells of them before, while and after they are called, and what the next signal does
 *     once children: the same signal in children of fork and vfork, and its parent
 *     once filtered: under a filter of system calls that kills who sets an action
 *     once race: eight threads send themselves the signal at the same time, and one handler is called
 *     once again: two threads set the handler again and again while others send the signal
 *     once locks: how often this program calls rt_sigprocmask when it locks a hundred times, and a hundred thousand
 * times
 *
 * All of it calls and locks, and could leave handlers by siglongjmp. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 2000, SETTINGS = 20000, FEW_LOCKS = 100, MANY_LOCKS = 100000 };

static sigjmp_buf back;
static atomic_int called, over, silent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned state = 1;

int step(int n)
{
    state = state * 1664525 + (unsigned)n;
    return (int)(state >> 31);
}

void work(int times)
{
    for (int i = 0; i < times; i++) {
        step(i);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

/* ---- what is told ------------------------------------------------------------------------------ */

static void on_signal(int number);

static void tell(const char *when, int number)
{
    struct sigaction action;
    sigset_t blocked;
    unsigned long mask;
    sigaction(number, NULL, &action);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    memcpy(&mask, &action.sa_mask, sizeof mask);
    printf("%s: handler %d, flags %x, mask %lx, blocked %d\n", when,
           action.sa_handler == SIG_DFL     ? 0
           : action.sa_handler == on_signal ? 1
                                            : 2,
           (unsigned)action.sa_flags, mask, sigismember(&blocked, number));
}

static void on_signal(int number)
{
    called++;
    step(number);
    if (!silent)
        tell("within", number);
}

static void set(int number, int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(number, &action, NULL);
}

static void print_end(const char *what, pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    printf("%s: exited %d with %d, signal %d\n", what, WIFEXITED(status), WIFEXITED(status) ? WEXITSTATUS(status) : 0,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void send_twice(int number)
{
    tell("before", number);
    raise(number);
    tell("after", number);
    raise(number);
    printf("called %d times\n", called);
}

static void in_child(int number, int flags)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (flags)
            set(number, flags);
        else
            sysv_signal(number, on_signal);
        send_twice(number);
        fflush(stdout);
        _exit(0);
    }
    print_end("child", child);
}

static void be_told(void)
{
    static const int numbers[] = {SIGURG, SIGUSR1, SIGSEGV, SIGABRT, SIGCHLD};
    static const int flags[] = {(int)SA_RESETHAND, (int)SA_RESETHAND | SA_NODEFER,
                                (int)SA_RESETHAND | SA_RESTART | SA_ONSTACK, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
            in_child(numbers[i], flags[f]);
    in_child(SIGRTMIN + 1, (int)SA_RESETHAND);
    set(SIGURG, (int)SA_RESETHAND);
    printf("was %d\n", signal(SIGURG, SIG_IGN) == on_signal);
    raise(SIGURG);
    printf("was %d\n", sysv_signal(SIGURG, on_signal) == SIG_IGN);
    raise(SIGURG);
    printf("was %d\n", sysv_signal(SIGURG, on_signal) == SIG_DFL);
    printf("was %d\n", sysv_signal(SIGURG, SIG_ERR) == SIG_ERR);
    printf("was %d\n", sysv_signal(SIGURG, SIG_DFL) == on_signal);
}

static void have_children(void)
{
    set(SIGURG, (int)SA_RESETHAND);
    set(SIGUSR1, (int)SA_RESETHAND);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        send_twice(SIGURG);
        fflush(stdout);
        _exit(3);
    }
    print_end("forked", child);
    silent = 1; /* a child of vfork is told what the kernel knows */
    child = vfork();
    if (child == 0) {
        raise(SIGURG);
        raise(SIGURG);
        raise(SIGUSR1);
        raise(SIGUSR1);
        _exit(4);
    }
    print_end("forked at once", child);
    silent = 0;
    tell("in the parent", SIGUSR1);
    raise(SIGUSR1);
    send_twice(SIGURG);
}

static void filter_actions(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    printf("filter %d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

static void be_filtered(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        silent = 1;
        set(SIGUSR1, (int)SA_RESETHAND);
        set(SIGURG, (int)SA_RESETHAND);
        raise(SIGURG);
        filter_actions();
        raise(SIGURG);
        raise(SIGUSR1);
        printf("called %d times\n", called);
        fflush(stdout);
        raise(SIGUSR1);
        _exit(0);
    }
    print_end("filtered", child);
}

/* ---- threads ----------------------------------------------------------------------------------- */

static pthread_barrier_t all_there;

static void count(int number)
{
    called++;
    step(number);
}

static void count_once(int number)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
    sigaction(number, &action, NULL);
}

static void *send_in_rounds(void *first)
{
    static int wrong;
    for (int i = 0; i < ROUNDS; i++) {
        if (first) {
            called = 0;
            count_once(SIGURG);
        }
        pthread_barrier_wait(&all_there);
        raise(SIGURG);
        work(5);
        raise(SIGURG);
        pthread_barrier_wait(&all_there);
        if (first)
            wrong += called != 1;
    }
    if (first)
        printf("%d of %d rounds wrong\n", wrong, ROUNDS);
    return NULL;
}

static void *set_again(void *unused)
{
    for (int i = 0; i < SETTINGS; i++) {
        count_once(SIGURG);
        work(1);
    }
    over++;
    return unused;
}

static void *send_often(void *unused)
{
    while (over < 2) {
        work(1);
        raise(SIGURG);
    }
    return unused;
}

static void run(void *(*one)(void *), void *(*others)(void *))
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i < 2 ? one : others, i == 0 ? &called : NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void set_and_send(void)
{
    struct sigaction action;
    run(set_again, send_often);
    raise(SIGURG);
    raise(SIGURG);
    int before = called;
    raise(SIGURG);
    sigaction(SIGURG, NULL, &action);
    printf("called %d, %d too often, handler %d\n", called > 0, called > 2 * SETTINGS || called != before,
           action.sa_handler != SIG_DFL);
}

/* ---- system calls ------------------------------------------------------------------------------ */

/* Of a child that locks as often; -1: it cannot be looked at. */
static long calls_of_sigprocmask(int locks)
{
    long calls = 0;
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(1);
        kill(getpid(), SIGSTOP);
        work(locks);
        _exit(0);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        struct user_regs_struct registers;
        /* At its entry a call's answer is -ENOSYS. */
        if (WSTOPSIG(status) == SIGTRAP && ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0)
            calls += registers.orig_rax == SYS_rt_sigprocmask && (long)registers.rax == -38;
        ptrace(PTRACE_SYSCALL, child, NULL, NULL);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? calls : -1;
}

static void count_calls(void)
{
    set(SIGTERM, (int)SA_RESETHAND);
    signal(SIGRTMIN, count);
    work(FEW_LOCKS);
    long few = calls_of_sigprocmask(FEW_LOCKS);
    printf("%ld %ld\n", few, calls_of_sigprocmask(MANY_LOCKS));
}

int main(int argc, char **argv)
{
    const char *how = argc == 2 ? argv[1] : "";
    if (sigsetjmp(back, 1) == 0)
        siglongjmp(back, 1);
    if (strcmp(how, "told") == 0)
        be_told();
    else if (strcmp(how, "children") == 0)
        have_children();
    else if (strcmp(how, "filtered") == 0)
        be_filtered();
    else if (strcmp(how, "race") == 0)
        run(send_in_rounds, send_in_rounds);
    else if (strcmp(how, "again") == 0)
        set_and_send();
    else
        count_calls();
    return 0;
}
