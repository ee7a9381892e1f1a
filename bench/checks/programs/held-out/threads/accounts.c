/* kind: lock-order POSIX
 * set: held-out
 * ranks: 0
 * flags: -pthread
 * 0 none ends ends: two accounts locked in the order of their numbers
 * 1 warning ends|hangs ends|hangs proves: locked in the order of the transfer; two transfers cross, one after the other
 * 2 none ends ends: the second lock is tried, and both are given back if it is not free
 * 3 error hangs hangs proves: two transfers cross at the same time
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct account {
    pthread_mutex_t lock;
    int money;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 10}, {PTHREAD_MUTEX_INITIALIZER, 10}};

static void lock_both(struct account *from, struct account *to)
{
    struct account *first = from, *second = to;
    if (VARIANT == 0 && first > second)
        first = to, second = from;
    for (;;) {
        pthread_mutex_lock(&first->lock); /* HERE */
        if (VARIANT == 3)
            usleep(300000);
        if (VARIANT != 2) {
            pthread_mutex_lock(&second->lock); /* HERE */
            return;
        }
        if (pthread_mutex_trylock(&second->lock) == 0)
            return;
        pthread_mutex_unlock(&first->lock);
        usleep(1000);
    }
}

static void *transfer(void *number)
{
    struct account *from = &accounts[*(int *)number], *to = &accounts[1 - *(int *)number];
    if (VARIANT == 1)
        usleep(*(int *)number ? 200000 : 0);
    lock_both(from, to);
    from->money--, to->money++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, transfer, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", accounts[0].money, accounts[1].money);
    return 0;
}
