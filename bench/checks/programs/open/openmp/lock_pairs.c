/* kind: openmp-lock OpenMP
 * set: open
 * ranks: 0
 * flags: -fopenmp
 * 0 none ends ends: two locks set in one order, unset in either
 * 1 warning ends|hangs ends|hangs proves: set in different orders by two threads, one after the other
 * 2 error ends ends proves: unset by a thread that does not own it
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static omp_lock_t left, right;
static int sum;

static void use(omp_lock_t *first, omp_lock_t *second)
{
    omp_set_lock(first);
    omp_set_lock(second); /* HERE 1 */
    sum++;
    omp_unset_lock(first);
    omp_unset_lock(second);
}

static void ordered_use(int thread)
{
    if (VARIANT == 1 && thread == 1)
        use(&right, &left);
    else
        use(&left, &right);
}

int main(void)
{
    omp_init_lock(&left);
    omp_init_lock(&right);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            ordered_use(0);
#if VARIANT == 1
        usleep(omp_get_thread_num() * 200000);
#else
#pragma omp barrier
#endif
        if (omp_get_thread_num() == 1)
            ordered_use(1);
#pragma omp barrier
        if (VARIANT == 2 && omp_get_thread_num() == 0)
            omp_set_lock(&left);
#pragma omp barrier
        if (VARIANT == 2 && omp_get_thread_num() == 1)
            omp_unset_lock(&left); /* HERE 2 */
    }
    omp_destroy_lock(&left);
    omp_destroy_lock(&right);
    printf("%d\n", sum);
    return 0;
}
