/* kind: lock-order pthread_mutex_lock
 * set: held-out-2
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: accounts are locked in the order of their numbers
 * 1 error hangs hangs proves: each locks its own account first
 * 2 none ends ends: the second lock is tried, and both are given back if it is taken
 * 3 none ends ends: in two orders, by threads of which one has ended before the other begins
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t both;
static int money[2] = {100, 100};

static void transfer(int from, int to)
{
    int first = from, second = to;
    if (VARIANT == 0 && first > second)
        first = to, second = from;
    for (;;) {
        pthread_mutex_lock(&locks[first]); /* HERE */
        if (VARIANT == 1)
            pthread_barrier_wait(&both);
        if (VARIANT != 2)
            pthread_mutex_lock(&locks[second]); /* HERE */
        else if (pthread_mutex_trylock(&locks[second]) != 0) {
            pthread_mutex_unlock(&locks[first]);
            usleep(100);
            continue;
        }
        break;
    }
    money[from] -= 10, money[to] += 10;
    pthread_mutex_unlock(&locks[second]);
    pthread_mutex_unlock(&locks[first]);
}

static void *clerk(void *own)
{
    int from = *(int *)own;
    for (int i = 0; i < 20; i++)
        transfer(from, 1 - from);
    return NULL;
}

int main(void)
{
    pthread_t clerks[2];
    int own[2] = {0, 1};
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++) {
        pthread_create(&clerks[i], NULL, clerk, &own[i]);
        if (VARIANT == 3)
            pthread_join(clerks[i], NULL);
    }
    for (int i = 0; VARIANT != 3 && i < 2; i++)
        pthread_join(clerks[i], NULL);
    printf("%d %d\n", money[0], money[1]);
    return 0;
}
