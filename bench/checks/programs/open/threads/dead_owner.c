/* kind: lock-kept POSIX
 * set: open
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: a cleanup handler gives the lock back when the thread ends
 * 1 error ends ends proves: the thread ends with the lock, and nobody gets it any more
 * 2 none ends ends: a robust lock, whose next owner makes it consistent
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock;

static void give_back(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&lock);
}

static void *job(void *unused)
{
    pthread_mutex_lock(&lock); /* HERE */
    if (VARIANT == 0) {
        pthread_cleanup_push(give_back, NULL);
        pthread_exit(unused);
        pthread_cleanup_pop(1);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t kind;
    struct timespec until;
    pthread_mutexattr_init(&kind);
    if (VARIANT == 2)
        pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &kind);
    pthread_create(&thread, NULL, job, NULL);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    int failed = pthread_mutex_timedlock(&lock, &until);
    if (failed == EOWNERDEAD) {
        pthread_mutex_consistent(&lock);
        failed = 0;
    }
    if (!failed)
        pthread_mutex_unlock(&lock);
    printf("%d\n", failed);
    return 0;
}
