/* Two threads take two mutexes, each in its own order; once both have their first, neither goes on. With an argument:
 * spin locks, of which each thread makes its first. */
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spins[2];
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

static void *spin(void *mine)
{
    pthread_spinlock_t *one = mine, *other = &spins[one == spins];
    pthread_spin_init(one, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(one);
    pthread_barrier_wait(&both);
    pthread_spin_lock(other);
    return mine;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&threads[0], NULL, argc > 1 ? spin : forwards, (void *)&spins[0]);
    pthread_create(&threads[1], NULL, argc > 1 ? spin : backwards, (void *)&spins[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
