/* kind: condition POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: the lock is held at the wait; it is not held at the signal, which is allowed
 * 1 error ends ends proves: the lock is not held at the wait
 * 2 error ends|hangs ends|hangs proves: a mutex is destroyed while it is locked
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *tell(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&changed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    pthread_create(&thread, NULL, tell, NULL);
    if (VARIANT != 1)
        pthread_mutex_lock(&lock);
    while (!ready) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&changed, &lock, &until); /* HERE 1 */
        if (VARIANT == 1)
            break;
    }
    if (VARIANT == 2)
        pthread_mutex_destroy(&lock); /* HERE 2 */
    if (VARIANT != 1)
        pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%d\n", ready);
    return 0;
}
