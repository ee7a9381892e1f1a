/* kind: condition POSIX
 * set: open
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: the condition is tested in a loop, under the lock
 * 1 error hangs hangs proves: the signal comes before the wait, and what it tells is not tested
 * 2 error hangs hangs proves: one of two who wait is signalled, where both should be
 * 3 none ends ends: a timed wait that runs out, and the condition found true after all
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_for_it(void *unused)
{
    struct timespec until;
    usleep(VARIANT == 1 ? 300000 : 0);
    pthread_mutex_lock(&lock);
    while (!ready || VARIANT == 1) {
        if (VARIANT == 3) {
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec++;
            pthread_cond_timedwait(&changed, &lock, &until);
        } else {
            pthread_cond_wait(&changed, &lock); /* HERE */
        }
        if (VARIANT == 1)
            break;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, wait_for_it, NULL);
    usleep(VARIANT == 2 ? 300000 : 0);
    pthread_mutex_lock(&lock);
    ready = 1;
    if (VARIANT == 2)
        pthread_cond_signal(&changed); /* HERE 2 */
    else if (VARIANT != 3)
        pthread_cond_broadcast(&changed); /* HERE 1 */
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
