/* kind: data-race POSIX
 * set: open
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: a total under a lock
 * 1 error ends ends nothing: one thread adds without the lock (no call tells so)
 * 2 none ends ends: a total by atomic operations
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *add(void *number)
{
    for (int i = 0; i < 1000; i++) {
        if (VARIANT == 2) {
            __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
            continue;
        }
        if (VARIANT == 0 || *(int *)number == 0)
            pthread_mutex_lock(&lock);
        total++; /* HERE */
        if (VARIANT == 0 || *(int *)number == 0)
            pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    return 0;
}
