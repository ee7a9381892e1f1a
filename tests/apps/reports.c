/* Terminating functions until they report something: then what they call is called by them. */
#include <stdio.h>
#include <stdlib.h>

static const int numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};

int check_leaf(int n, int limit)
{
    if (n >= limit)
        printf("too large: %d\n", n);
    return numbers[n & 7];
}

int twice_leaf(int n)
{
    if (n < 0) {
        printf("first %d\n", n);
        fprintf(stdout, "second %d\n", n);
    }
    return numbers[n & 7] * 3;
}

int leaf(int n)
{
    return n * 7 + 1;
}

/* Not terminating: it reports in a loop. */
int reports_all(int n)
{
    for (int i = 0; i < n; i++)
        puts("again");
    return n;
}

int caller(int n, int limit)
{
    int sum = check_leaf(n, limit);
    sum += leaf(sum);
    return sum + twice_leaf(n % 100 ? n : -n);
}

int main(int argc, char **argv)
{
    int sum = 0, count = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 1; i <= count; i++)
        sum += caller(i, i % 50 ? count + 1 : 0);
    check_leaf(1, 0);
    sum += reports_all(2);
    check_leaf(1, 0);
    printf("%d\n", sum);
    return 0;
}
