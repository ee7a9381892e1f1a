/* Makes as many calls as one likes, for uftrace. */
#include <stdlib.h>

static volatile long sum;

__attribute__((noinline)) static void inner(long i)
{
    sum += i;
}

__attribute__((noinline)) static void outer(long i)
{
    inner(i);
    inner(i + 1);
}

int main(int argc, char **argv)
{
    const long calls = argc > 1 ? atol(argv[1]) : 3;
    for (long i = 0; i < calls; i += 3)
        outer(i);
    return 0;
}
