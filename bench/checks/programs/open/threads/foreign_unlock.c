/* kind: lock-owner POSIX
 * set: open
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: a semaphore raised by another thread than the one that waited
 * 1 error ends ends proves: a mutex unlocked by another thread than its owner
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#if VARIANT == 1
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
#else
static sem_t ready;
#endif

static void *opener(void *unused)
{
#if VARIANT == 1
    pthread_mutex_unlock(&gate); /* HERE */
#else
    sem_post(&ready);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
#if VARIANT == 1
    pthread_mutex_lock(&gate);
#else
    sem_init(&ready, 0, 1);
    sem_wait(&ready);
#endif
    pthread_create(&thread, NULL, opener, NULL);
#if VARIANT == 1
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
#else
    sem_wait(&ready);
#endif
    pthread_join(thread, NULL);
    puts("open");
    return 0;
}
