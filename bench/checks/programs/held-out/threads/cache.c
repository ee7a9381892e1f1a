/* kind: lock-order POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: readers' and writers' locks of table and log taken in one order
 * 1 warning ends ends proves: the log is locked before the table in one function, the table before the log in another
 * 2 none ends ends: in either order, but the one thread is joined before the other begins
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static int entries, lines;

static void insert(void)
{
    pthread_rwlock_wrlock(&table);
    pthread_mutex_lock(&journal); /* HERE */
    entries++, lines++;
    pthread_mutex_unlock(&journal);
    pthread_rwlock_unlock(&table);
}

static void flush(void)
{
    if (VARIANT != 0)
        pthread_mutex_lock(&journal);
    pthread_rwlock_rdlock(&table); /* HERE */
    if (VARIANT == 0)
        pthread_mutex_lock(&journal);
    lines += entries;
    pthread_mutex_unlock(&journal);
    pthread_rwlock_unlock(&table);
}

static void *writer(void *unused)
{
    for (int i = 0; i < 4; i++)
        insert();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (VARIANT == 2) {
        pthread_join(thread, NULL);
        insert();
        flush();
        printf("%d\n", lines);
        return 0;
    }
    usleep(VARIANT == 1 ? 300000 : 0);
    flush();
    pthread_join(thread, NULL);
    printf("%d\n", lines);
    return 0;
}
