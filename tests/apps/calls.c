/* Direct calls: recursion, mutual recursion, tail calls, loops; its counts are known to callgrind. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long checksum;

int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

int is_odd(unsigned n);

int is_even(unsigned n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

int is_odd(unsigned n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

void note(unsigned long value)
{
    checksum = checksum * 31 + value;
}

double average(int count, double first, double second, double third, double fourth, double fifth, double sixth,
               double seventh, double eighth, double ninth, long a, long b, long c, long d, long e, long f, long g)
{
    return (first + second + third + fourth + fifth + sixth + seventh + eighth + ninth +
            (double)(a + b + c + d + e + f + g)) /
           count;
}

struct big {
    long values[20];
};

struct big shift(struct big before, long by)
{
    for (int i = 0; i < 20; i++)
        before.values[i] += by;
    return before;
}

void empty(void)
{
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 18;
    struct big big = {{0}};
    for (int i = 0; i < 200; i++) {
        note((unsigned long)fib(i % 10));
        big = shift(big, i);
        empty();
        note((unsigned long)average(16, i, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7));
    }
    note((unsigned long)fib(n));
    note((unsigned long)ackermann(2, 6));
    note((unsigned long)is_even(500));
    note((unsigned long)big.values[19]);
    printf("%lu\n", checksum);
    return 0;
}
