/* Two threads take two mutexes, each in its own order; once both have their first, neither goes on. */
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void take_both(pthread_mutex_t *one, pthread_mutex_t *other)
{
    pthread_mutex_lock(one);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *forwards(void *unused)
{
    take_both(&first, &second);
    return unused;
}

static void *backwards(void *unused)
{
    take_both(&second, &first);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&threads[0], NULL, forwards, NULL);
    pthread_create(&threads[1], NULL, backwards, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
