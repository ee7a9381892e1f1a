/* kind: thread-barrier POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: two barriers by turns, by all threads in one order
 * 1 error hangs hangs proves: one thread has the two barriers in the other order
 */
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t read_done, write_done;
static int cell;

static void *work(void *number)
{
    int me = *(int *)number, sum = 0;
    pthread_barrier_t *first = &read_done, *second = &write_done;
    if (VARIANT == 1 && me == 1) {
        first = &write_done;
        second = &read_done;
    }
    for (int i = 0; i < 3; i++) {
        sum += cell;
        pthread_barrier_wait(first); /* HERE */
        if (me == 0)
            cell = i;
        pthread_barrier_wait(second);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    pthread_barrier_init(&read_done, NULL, 2);
    pthread_barrier_init(&write_done, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", cell);
    return 0;
}
