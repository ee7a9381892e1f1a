/* Signals of real time, which come in the order in which they were sent, while the thread that gets them calls and
 * locks: of one number to the thread, in bursts; of another one to the process, from a child; and of a third one to the
 * thread, with SA_NODEFER, one at a time. With an argument the handlers of the first two leave by siglongjmp. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 3, VALUES = 20000, BURST = 20 };

static sigjmp_buf back;
static atomic_int answered[NUMBERS], wrong, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned state = 1;
static pthread_t receiver;
static int leaves;

int step(int n)
{
    state = state * 1664525 + (unsigned)n;
    return (int)(state >> 31);
}

void on_signal(int number, siginfo_t *info, void *context)
{
    int which = number - SIGRTMIN;
    (void)context;
    step(number);
    answered[which]++;
    if (info->si_signo != number || info->si_code != SI_QUEUE || info->si_errno != 0 ||
        info->si_value.sival_int != answered[which])
        wrong++;
    if (leaves && which < 2)
        siglongjmp(back, 1);
}

static void queue(int which, int value, pid_t process)
{
    union sigval queued = {value};
    int number = SIGRTMIN + which;
    while (process ? sigqueue(process, number, queued) != 0 : pthread_sigqueue(receiver, number, queued) != 0)
        sched_yield();
}

void *send_to_thread(void *unused)
{
    for (int i = 1; i <= VALUES; i++) {
        queue(0, i, 0);
        if (i % BURST == 0)
            queue(2, i / BURST, 0);
        while (i % BURST == 0 && (answered[0] < i || answered[2] < i / BURST))
            sched_yield();
    }
    done++;
    return unused;
}

static pid_t send_to_process(void)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    for (int i = 1; i <= VALUES; i++)
        queue(1, i, parent);
    _exit(0);
}

static void work(void)
{
    for (int i = 0; i < 10; i++) {
        step(i);
        pthread_mutex_trylock(&lock); /* who leaves does not unlock */
        pthread_mutex_unlock(&lock);
    }
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t all, blocked;
    pthread_t sender;
    (void)argv;
    leaves = argc > 1;
    if (leaves) /* none that has not been counted yet */
        sigfillset(&action.sa_mask);
    sigaction(SIGRTMIN, &action, NULL);
    sigaction(SIGRTMIN + 1, &action, NULL);
    action.sa_flags |= SA_NODEFER;
    sigaction(SIGRTMIN + 2, &action, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &blocked);
    receiver = pthread_self();
    pthread_create(&sender, NULL, send_to_thread, NULL);
    pid_t child = send_to_process();
    sigsetjmp(back, 0);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    while (!done || answered[1] < VALUES)
        work();
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_join(sender, NULL);
    waitpid(child, NULL, 0);
    printf("%d, %d and %d answered, %d wrong\n", answered[0], answered[1], answered[2], wrong);
    return 0;
}
