/* kind: relock POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: a recursive mutex locked again by its owner
 * 1 error hangs hangs proves: a plain mutex locked again by its owner
 * 2 none ends ends: the inner function is told that the lock is held
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int items;

static void add(int held)
{
    if (!held)
        pthread_mutex_lock(&lock); /* HERE */
    items++;
    if (!held)
        pthread_mutex_unlock(&lock);
}

static void add_two(void)
{
    pthread_mutex_lock(&lock); /* HERE */
    add(VARIANT == 2);
    add(VARIANT == 2);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, VARIANT == 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&lock, &kind);
    add_two();
    printf("%d\n", items);
    return 0;
}
