/* kind: openmp-barrier OpenMP
 * set: held-out
 * ranks: 0
 * flags: -fopenmp
 * 0 none ends ends: all threads meet the worksharing loop
 * 1 error hangs|ends hangs|ends proves: a thread skips the worksharing loop, whose end is a barrier
 * 2 none ends ends: a loop with nowait, and a master region, which has no barrier
 */
#include <omp.h>
#include <stdio.h>

#define N 64

static void fill(int *a, int skip)
{
    if (skip && omp_get_thread_num() == 2)
        return;
#pragma omp for                 /* HERE */
    for (int i = 0; i < N; i++) /* HERE */
        a[i] = i;
}

int main(void)
{
    int a[N] = {0}, sum = 0;
#pragma omp parallel num_threads(3)
    {
        fill(a, VARIANT == 1); /* HERE */
#if VARIANT == 2
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i]++;
#pragma omp master
        a[0] = 5;
#endif
    }
    for (int i = 0; i < N; i++)
        sum += a[i];
    printf("%d\n", sum);
    return 0;
}
