/* kind: lock-owner POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: each lock has its unlock
 * 1 error ends ends proves: a mutex unlocked twice
 * 2 error ends ends proves: an error-checking mutex unlocked without being locked; it tells so, and nobody looks
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;

static int add(int *total, int value)
{
    pthread_mutex_lock(&lock);
    *total += value;
    if (VARIANT != 2)
        pthread_mutex_unlock(&lock);
    return *total;
}

int main(void)
{
    pthread_mutexattr_t kind;
    int total = 0;
    pthread_mutexattr_init(&kind);
    if (VARIANT == 2)
        pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &kind);
    for (int i = 0; i < 3; i++) {
        add(&total, i);
        if (VARIANT == 2)
            pthread_mutex_unlock(&lock);
        if (VARIANT != 0 && i == 1)
            pthread_mutex_unlock(&lock); /* HERE */
    }
    printf("%d\n", total);
    return 0;
}
