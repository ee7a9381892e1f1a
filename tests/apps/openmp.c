/* OpenMP: reductions, tasks, critical sections, nested regions, on whatever runtime the compiler brings. */
#include <omp.h>
#include <stdio.h>

int weigh(int number)
{
    return number % 17;
}

int fibonacci(int n)
{
    int left, right;
    if (n < 2)
        return n;
#pragma omp task shared(left)
    left = fibonacci(n - 1);
#pragma omp task shared(right)
    right = fibonacci(n - 2);
#pragma omp taskwait
    return left + right;
}

int main(void)
{
    long sum = 0;
    int inside = 0, last = 0, teams = 0;
    omp_set_num_threads(4);
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : sum)
    for (int i = 0; i < 5000; i++)
        sum += weigh(i);
#pragma omp parallel
    {
#pragma omp critical
        inside++;
#pragma omp barrier
#pragma omp single
        last = fibonacci(14);
#pragma omp atomic
        teams++;
    }
    printf("%ld %d %d %d\n", sum, inside, last, teams);
    return 0;
}
