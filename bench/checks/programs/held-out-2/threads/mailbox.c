/* kind: condition pthread_cond_wait
 * set: held-out-2
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: the reader waits until the box is full
 * 1 error hangs hangs proves: the reader waits for a signal that came before
 * 2 none ends ends: two readers, and all are woken
 * 3 error hangs hangs proves: two readers, and one is woken
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int full, waiting;

static void *read_box(void *unused)
{
    if (VARIANT == 1)
        usleep(200000);
    pthread_mutex_lock(&lock);
    waiting++;
    if (VARIANT == 1)
        pthread_cond_wait(&filled, &lock); /* HERE */
    while (!full)
        pthread_cond_wait(&filled, &lock); /* HERE */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void fill(int readers)
{
    for (int there = 0; VARIANT != 1 && there < readers;) {
        usleep(1000);
        pthread_mutex_lock(&lock);
        there = waiting;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    full = 1;
    if (VARIANT == 2)
        pthread_cond_broadcast(&filled);
    else
        pthread_cond_signal(&filled); /* HERE */
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t readers[2];
    int count = VARIANT >= 2 ? 2 : 1;
    for (int i = 0; i < count; i++)
        pthread_create(&readers[i], NULL, read_box, NULL);
    fill(count);
    for (int i = 0; i < count; i++)
        pthread_join(readers[i], NULL); /* HERE */
    printf("%d\n", full);
    return 0;
}
