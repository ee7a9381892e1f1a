/* kind: relock POSIX
 * set: open
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: the reader's lock is given back before the writer's is asked for
 * 1 error hangs|ends hangs|ends proves: the writer's lock is asked for while the reader's is held
 * 2 none ends ends: the reader's lock is taken twice by one thread
 */
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static int once(void)
{
    pthread_rwlock_rdlock(&lock); /* HERE */
    int missing = value == 0;
    if (VARIANT == 2) {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
    }
    if (VARIANT != 1)
        pthread_rwlock_unlock(&lock);
    if (missing) {
        pthread_rwlock_wrlock(&lock); /* HERE */
        value = 7;
        pthread_rwlock_unlock(&lock);
    }
    return value;
}

int main(void)
{
    printf("%d\n", once());
    return 0;
}
