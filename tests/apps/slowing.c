/* Functions that take long, short ones, and one that is short for its first 1000 calls only. Prints how often each was
 * called: "brief 60000", ... Argument: rounds (default: 2000). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile double sum;
static volatile long count;

/* Its only loop counts: it comes back whatever happens. */
void counting(int turns)
{
    for (int i = 0; i < turns; i++)
        count += i;
}

void brief(void)
{
    sum += 1;
    if (sum < 0)
        puts("never");
}

void lasting(void)
{
    for (int i = 0; i < 60000; i++)
        sum += i;
    if (sum < 0)
        puts("never");
}

void slowing(int round)
{
    for (int i = 0; i < (round > 1000 ? 120000 : 10); i++)
        sum += i;
    if (sum < 0)
        puts("never");
}

void enclosing(int round)
{
    for (int i = 0; i < 30; i++)
        brief();
    lasting();
    slowing(round);
    counting(100);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2000;
    for (int i = 1; i <= rounds; i++)
        enclosing(i);
    printf("brief %d\nlasting %d\nslowing %d\nenclosing %d\ncounting %d\nmain 1\n", 30 * rounds, rounds, rounds, rounds,
           rounds);
    return 0;
}
