/* kind: thread-join POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: the pool is told to stop and joined
 * 1 warning ends ends proves: the pool is told to stop, and main returns without joining it
 * 2 error hangs hangs proves: the pool is joined and never told to stop
 * 3 none ends ends: main ends by pthread_exit, and the pool goes on till its end
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#define N 2

static sem_t work_there;
static int left = 4, stop;

static void *serve(void *unused)
{
    for (;;) {
        sem_wait(&work_there); /* HERE 2 */
        if (__atomic_load_n(&stop, __ATOMIC_SEQ_CST))
            break;
        __atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    sem_init(&work_there, 0, 0);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, serve, NULL); /* HERE 1 */
    for (int i = 0; i < 4; i++)
        sem_post(&work_there);
    while (__atomic_load_n(&left, __ATOMIC_SEQ_CST) > 0)
        usleep(1000);
    __atomic_store_n(&stop, VARIANT != 2, __ATOMIC_SEQ_CST);
    for (int i = 0; VARIANT != 2 && i < N; i++)
        sem_post(&work_there);
    if (VARIANT == 3)
        pthread_exit(NULL);
    for (int i = 0; VARIANT != 1 && i < N; i++)
        pthread_join(threads[i], NULL); /* HERE 2 */
    puts("done");
    return 0;
}
