/* kind: openmp-critical OpenMP
 * set: open
 * ranks: 0
 * flags: -fopenmp
 * 0 none ends ends: critical regions of different names, nested in one order
 * 1 error hangs hangs proves: a critical region entered within itself
 * 2 warning ends|hangs ends|hangs proves: critical regions of different names, nested in two orders, one after the
 * other
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static int total, calls;

static void note(void)
{
#if VARIANT == 1
#pragma omp critical(total) /* HERE 1 */
    calls++;
#else
#pragma omp critical(notes) /* HERE 2 */
    calls++;
#endif
}

static void add(int value)
{
#pragma omp critical(total) /* HERE 1 */
    {
        total += value;
        note(); /* HERE 1 */
    }
}

static void summary(void)
{
#pragma omp critical(notes)
    {
        calls++;
#pragma omp critical(total) /* HERE 2 */
        total++;
    }
}

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        add(omp_get_thread_num());
        usleep(omp_get_thread_num() * 200000);
        if (VARIANT == 2 && omp_get_thread_num() == 1)
            summary();
    }
    printf("%d %d\n", total, calls);
    (void)summary;
    return 0;
}
