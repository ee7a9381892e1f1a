/* kind: thread-join POSIX
 * set: open
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: every thread is joined
 * 1 warning ends ends proves: the last thread is neither joined nor detached
 * 2 none ends ends: a thread that is detached, and waited for by a condition
 * 3 error ends|crashes ends|crashes proves: a thread is joined twice
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static int done;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void wait_for(int count)
{
    pthread_mutex_lock(&lock);
    while (done < count)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL); /* HERE 1 */
    if (VARIANT == 2)
        pthread_detach(threads[2]);
    wait_for(3);
    for (int i = 0; i < (VARIANT == 0 || VARIANT == 3 ? 3 : 2); i++)
        pthread_join(threads[i], NULL); /* HERE 3 */
    if (VARIANT == 3)
        pthread_join(threads[2], NULL); /* HERE 3 */
    printf("%d\n", done);
    return 0;
}
