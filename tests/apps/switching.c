/*
 * Switched on and off while it runs.
 *
 *     switching           before, first, during (with a marker), last, after
 *     switching signals   the same, SIGUSR2 in the place of first and last
 */
#include <difftrace/marker.h>
#include <signal.h>
#include <stdio.h>

static volatile int calls;

void leaf(void)
{
    calls += 3;
}

void before(void)
{
    leaf();
}

void first(void)
{
    leaf();
}

void during(void)
{
    leaf();
    DIFFTRACE_MARK("halfway");
    leaf();
}

void last(void)
{
    leaf();
}

void after(void)
{
    leaf();
}

void inside(int signals)
{
    before();
    if (signals)
        raise(SIGUSR2);
    else
        first();
    during();
    if (signals)
        raise(SIGUSR2);
    else
        last();
    after();
}

int main(int argc, char **argv)
{
    (void)argv;
    inside(argc > 1);
    inside(argc > 1);
    puts("done");
    return 0;
}
