/* kind: openmp-barrier OpenMP
 * set: open
 * ranks: 0
 * flags: -fopenmp
 * 0 none ends ends: a barrier that all threads of the team come to
 * 1 error hangs|ends hangs|ends proves: a barrier that the first thread alone comes to
 * 2 none ends ends: a barrier in a branch that all threads take
 * 3 none ends ends: barriers in teams of different sizes, one after the other
 */
#include <omp.h>
#include <stdio.h>

static void sync_point(void)
{
#pragma omp barrier /* HERE */
}

static double relax(double *u, int n, int threads)
{
    double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())
            u[i] = 0.5 * i;
        if (VARIANT != 1 || omp_get_thread_num() == 0)
            sync_point(); /* HERE */
        for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())
            sum += u[n - 1 - i];
    }
    return sum;
}

int main(void)
{
    double u[100], sum = 0;
    for (int i = 0; i < 3; i++)
        sum += relax(u, 100, VARIANT == 3 ? 2 + i : 3);
    printf("%g\n", sum);
    return 0;
}
