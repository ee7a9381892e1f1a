/* kind: lock-kept POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: the lock is given back on every way out
 * 1 error hangs hangs proves: the way out for an empty queue keeps it, and the next thread waits for ever
 * 2 error ends ends proves: the thread that keeps it is the last that needs it
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int queue = 5;

static int take(void)
{
    pthread_mutex_lock(&lock); /* HERE */
    if (queue == 0) {
        if (VARIANT == 0)
            pthread_mutex_unlock(&lock);
        return -1;
    }
    int item = queue--;
    pthread_mutex_unlock(&lock);
    return item;
}

static void *work(void *sum)
{
    for (int item = take(); item >= 0; item = take())
        *(int *)sum += item;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int sums[2] = {0}, count = VARIANT == 2 ? 1 : 2;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sums[0] + sums[1]);
    return 0;
}
