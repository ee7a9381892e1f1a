/* A timer's handler that leaves by siglongjmp, whatever it interrupted; then some calls that must all be there. With an
 * argument the timer's signal is one of real time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEAPS = 3000, LAST = 20000 };

static sigjmp_buf back;
static volatile sig_atomic_t leaps;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned state = 1;

void on_timer(int number)
{
    (void)number;
    leaps++;
    siglongjmp(back, 1);
}

void set_timer(timer_t timer, int microseconds)
{
    struct itimerspec times = {{0, 1000 * microseconds}, {0, 1000 * microseconds}};
    timer_settime(timer, 0, &times, NULL);
}

int leaf(int n)
{
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop"); /* long enough for a hook */
    return n * 3;
}

int walk(int n)
{
    state = state * 1664525 + 1013904223;
    return n == 0 ? leaf(1) : (state >> 30 ? leaf(n) : 0) + walk(n - 1);
}

/* Nobody waits for the lock, and an errorcheck of it matters to nobody: it may stay locked. */
void lock_and_unlock(void)
{
    pthread_mutex_trylock(&free_lock);
    pthread_mutex_unlock(&free_lock);
}

/* Called by last() alone, so that its calls can be counted apart from all others. */
int last_leaf(int n)
{
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop");
    return n * 5;
}

void last(void)
{
    pthread_rwlock_t fresh = PTHREAD_RWLOCK_INITIALIZER;
    for (int i = 0; i < LAST; i++) {
        state += (unsigned)last_leaf(i);
        if (i % 100 == 0) {
            pthread_rwlock_rdlock(&fresh);
            pthread_rwlock_unlock(&fresh);
        }
    }
}

int main(int argc, char **argv)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = argc > 1 ? SIGRTMIN : SIGALRM};
    timer_t timer;
    (void)argv;
    signal(event.sigev_signo, on_timer);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    sigsetjmp(back, 1);
    set_timer(timer, 150);
    while (leaps < LEAPS) {
        walk(20);
        lock_and_unlock();
    }
    set_timer(timer, 0);
    last();
    printf("left %d times\n", leaps >= LEAPS);
    return 0;
}
