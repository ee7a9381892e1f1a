/* kind: lock-order POSIX
 * set: open
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: the last one takes the right fork first
 * 1 warning ends|hangs ends|hangs proves: everybody takes the left fork first; they come one after the other
 * 2 none ends ends: everybody takes the left fork first, under a lock that lets one take forks at a time
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define N 3

static pthread_mutex_t forks[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t waiter = PTHREAD_MUTEX_INITIALIZER;
static int meals;

static void *philosopher(void *number)
{
    int left = *(int *)number, right = (left + 1) % N;
    if (VARIANT == 0 && left > right) {
        left = right;
        right = *(int *)number;
    }
    for (int i = 0; i < 3; i++) {
        if (VARIANT == 2)
            pthread_mutex_lock(&waiter);
        pthread_mutex_lock(&forks[left]);
        pthread_mutex_lock(&forks[right]); /* HERE */
        if (VARIANT == 2)
            pthread_mutex_unlock(&waiter);
        __atomic_fetch_add(&meals, 1, __ATOMIC_SEQ_CST);
        pthread_mutex_unlock(&forks[right]);
        pthread_mutex_unlock(&forks[left]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int numbers[N] = {0, 1, 2};
    for (int i = 0; i < N; i++) {
        pthread_create(&threads[i], NULL, philosopher, &numbers[i]);
        if (VARIANT == 1)
            usleep(100000);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", meals);
    return 0;
}
