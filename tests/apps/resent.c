/* Two signals at a time, sent by another thread that waits for both handlers, while this one calls and locks. Nothing
 * may be lost, come twice, or come with another siginfo; afterwards no signal is blocked. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 4000 };

static sigjmp_buf back;
static atomic_int answered[2], wrong, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned state = 1;
static pthread_t receiver;

void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    atomic_int *mine = &answered[number == SIGUSR2];
    if (info->si_signo != number || info->si_code != SI_QUEUE || info->si_pid != getpid() ||
        info->si_value.sival_int != *mine + 1)
        wrong++;
    (*mine)++;
}

void *send(void *unused)
{
    (void)unused;
    for (int i = 1; i <= ROUNDS; i++) {
        union sigval value = {i};
        pthread_sigqueue(receiver, SIGUSR1, value);
        pthread_sigqueue(receiver, SIGUSR2, value);
        while (answered[0] < i || answered[1] < i)
            sched_yield();
    }
    done = 1;
    return NULL;
}

int step(int n)
{
    state = state * 1664525 + (unsigned)n;
    return (int)(state >> 31);
}

void work(void)
{
    for (int i = 0; i < 10; i++) {
        step(i);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigset_t blocked;
    pthread_t sender;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags |= SA_NODEFER;
    sigaction(SIGUSR2, &action, NULL);
    if (sigsetjmp(back, 1) == 0)
        siglongjmp(back, 1);
    receiver = pthread_self();
    pthread_create(&sender, NULL, send, NULL);
    while (!done)
        work();
    pthread_join(sender, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    printf("%d and %d answered, %d wrong, %s blocked\n", answered[0], answered[1], wrong,
           sigisemptyset(&blocked) ? "none" : "some");
    return 0;
}
