/* kind: data-race POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: readers and the writer of a list use the same lock
 * 1 error ends ends nothing: each thread protects the list by a lock of its own (no call tells what it protects)
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int list[1000], length;

static void *append(void *number)
{
    int me = *(int *)number;
    pthread_mutex_t *lock = &locks[VARIANT == 1 ? me : 0];
    for (int i = 0; i < 400; i++) {
        pthread_mutex_lock(lock);
        list[length++] = me; /* HERE */
        pthread_mutex_unlock(lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, append, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", length);
    return 0;
}
