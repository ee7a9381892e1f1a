/* Functions that end with a call of another one, which ends with a call, and so on. */
#include <pthread.h>
#include <stdio.h>

#define LINK(number, next)                                                                                             \
    int link##number(int count)                                                                                        \
    {                                                                                                                  \
        sum += number;                                                                                                 \
        return next(count + 1);                                                                                        \
    }

volatile int sum;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int last(int count)
{
    return count;
}

LINK(20, last)
LINK(19, link20)
LINK(18, link19)
LINK(17, link18)
LINK(16, link17)
LINK(15, link16)
LINK(14, link15)
LINK(13, link14)
LINK(12, link13)
LINK(11, link12)
LINK(10, link11)
LINK(9, link10)
LINK(8, link9)
LINK(7, link8)
LINK(6, link7)
LINK(5, link6)
LINK(4, link5)
LINK(3, link4)
LINK(2, link3)
LINK(1, link2)

int take(void)
{
    sum++;
    return pthread_mutex_lock(&mutex);
}

int ask_to_take(void)
{
    sum++;
    return take();
}

int drop(void)
{
    sum++;
    return pthread_mutex_unlock(&mutex);
}

int ask_to_drop(void)
{
    sum++;
    return drop();
}

int main(void)
{
    int length = link4(0);
    for (int i = 0; i < 1000; i++)
        length += link19(0);
    length += link1(0);
    for (int i = 0; i < 100; i++)
        length += ask_to_take() + ask_to_drop();
    printf("%d %d\n", length, sum);
    return 0;
}
