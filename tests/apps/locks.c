/* Locks of several kinds, one after the other; the second mutex is destroyed and made again, twice. */
#include <pthread.h>
#include <stdio.h>

/* The same calls from the same places. */
static void take(pthread_mutex_t *mutex)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
}

int main(void)
{
    static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
    static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    int busy = pthread_mutex_trylock(&first);
    pthread_mutex_unlock(&first);
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_unlock(&shared);
    pthread_cond_signal(&condition);
    pthread_mutex_destroy(&second);
    pthread_mutex_init(&second, NULL);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    take(&first);
    take(&second);
    take(&first);
    pthread_mutex_destroy(&second);
    pthread_mutex_init(&second, NULL);
    take(&second);
    printf("%d\n", busy);
    return 0;
}
