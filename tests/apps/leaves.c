/* Terminating functions, called in every way there is; functions that look like them and are none. */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static jmp_buf back;
static volatile int sum;

void leaf(void)
{
    sum++;
}

int choosing_leaf(int n)
{
    return n > 2 ? n * 3 : n - sum;
}

/* Terminating, as its loop counts. */
int counting_leaf(int n)
{
    int all = n * 1000003;
    __asm__ volatile("1: add %1, %0\n\tdec %1\n\tjne 1b" : "+r"(all), "+r"(n) : : "cc");
    return all;
}

/* Terminating, unless it fails. */
int checking_leaf(int n)
{
    assert(n < 9);
    return n + sum;
}

/* Not terminating: it may stay. */
int loop(int n)
{
    int all = 0;
    for (volatile int i = 0; i < n; i++)
        all += i;
    return all;
}

/* Not terminating: it goes on elsewhere. */
int to_leaf(int n)
{
    return choosing_leaf(n + 1);
}

int to_tail(int n)
{
    return to_leaf(n + 1);
}

void away(int depth)
{
    leaf();
    if (depth == 0)
        longjmp(back, 1);
    away(depth - 1);
    leaf();
}

void on_signal(int number)
{
    sum += number;
    leaf();
}

/* A thread whose first function is a terminating one. */
void *thread_leaf(void *argument)
{
    return argument;
}

double cbrt(double value);

/* By the library that has a cbrt() of its own (hiding.c). */
void called_back(void)
{
    sum += 2;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1)
        return checking_leaf(3) + checking_leaf((int)strlen(argv[1]));
    char text[20];
    void (*volatile pointer)(void) = leaf;
    leaf();
    pointer();
    printf("%d %d %d\n", choosing_leaf(1), choosing_leaf(5), to_tail(3));
    printf("%d\n", loop(3));
    printf("%d\n", counting_leaf(4));
    printf("%d\n", checking_leaf(5));
    if (setjmp(back) == 0)
        away(1);
    leaf();
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    pthread_create(&thread, NULL, thread_leaf, NULL);
    pthread_join(thread, NULL);
    sum += (int)cbrt(sum);
    strcpy(text, "text");
    printf("%zu %d\n", strlen(text), sum);
    return 0;
}
