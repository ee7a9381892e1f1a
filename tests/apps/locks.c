/* Locks of several kinds, one after the other; the second mutex is destroyed and made again, twice. One function of the
 * C library initialises and releases spin locks. */
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

static void spin(void)
{
    static pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++) {
        pthread_spin_lock(&lock);
        pthread_spin_unlock(&lock);
    }
    pthread_spin_destroy(&lock);
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
    spin();
    printf("%d\n", busy);
    return 0;
}
