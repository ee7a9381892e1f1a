/* kind: thread-barrier POSIX
 * set: open
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: a barrier for as many threads as there are
 * 1 error hangs hangs proves: the barrier counts the main thread, which does not come
 * 2 error hangs hangs proves: one thread leaves the loop before the barrier of the last step
 * 3 none ends ends: the main thread comes to the barrier, too
 */
#include <pthread.h>
#include <stdio.h>

#define N 3

static pthread_barrier_t barrier;
static int field[N];

static void *work(void *number)
{
    int me = *(int *)number;
    for (int step = 0; step < 4; step++) {
        field[me] += step;
        if (VARIANT == 2 && me == N - 1 && step == 3)
            break;
        pthread_barrier_wait(&barrier); /* HERE */
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int numbers[N] = {0, 1, 2};
    pthread_barrier_init(&barrier, NULL, VARIANT == 1 || VARIANT == 3 ? N + 1 : N); /* HERE 1 */
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; VARIANT == 3 && i < 4; i++)
        pthread_barrier_wait(&barrier);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    printf("%d\n", field[0]);
    return 0;
}
