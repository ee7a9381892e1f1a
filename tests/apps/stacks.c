/* Calls with frame pointers, and enough work in the innermost one for a profiler to see it. */
static volatile unsigned long sink;

static void spin(long rounds)
{
    for (long i = 0; i < rounds; i++)
        sink += (unsigned long)i;
}

static void middle(long rounds)
{
    spin(rounds);
    sink++;
}

static void outer(long rounds)
{
    for (int i = 0; i < 100; i++)
        middle(rounds);
}

int main(void)
{
    outer(1000000);
    return 0;
}
