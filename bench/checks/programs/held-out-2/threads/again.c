/* kind: relock pthread_mutex_lock
 * set: held-out-2
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: the lock is a recursive one
 * 1 error hangs hangs proves: a function that locks calls another that does, too
 * 2 error/lock-owner ends ends proves: the lock is given back by another thread
 * 3 none ends ends: given back before the other function is called
 * 4 error/lock-kept ends ends proves: the thread ends with the lock
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int total;

static void add(int value)
{
    pthread_mutex_lock(&lock); /* HERE 1 */
    total += value;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    for (int i = 0; i < 5; i++)
        add(i);
    pthread_mutex_lock(&lock); /* HERE 1 4 */
    if (VARIANT == 3)
        pthread_mutex_unlock(&lock);
    if (VARIANT == 0 || VARIANT == 1 || VARIANT == 3)
        add(1);
    if (VARIANT == 0 || VARIANT == 1)
        pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (VARIANT == 0)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL); /* HERE 1 */
    if (VARIANT == 2)
        pthread_mutex_unlock(&lock); /* HERE 2 */
    printf("%d\n", total);
    return 0;
}
