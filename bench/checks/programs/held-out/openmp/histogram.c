/* kind: openmp-lock OpenMP
 * set: held-out
 * ranks: 0
 * flags: -fopenmp
 * 0 none ends ends: a lock for each bin, set and unset
 * 1 error hangs hangs proves: bin 3 is set and never unset
 * 2 error hangs hangs proves: two bins are locked, and they may be the same
 * 3 none ends ends: nestable locks, set again by their owner
 */
#include <omp.h>
#include <stdio.h>

#define BINS 4

static omp_lock_t locks[BINS];
static omp_nest_lock_t whole;
static int bins[BINS];

static void count(int value)
{
    int bin = value % BINS, next = (bin + value % 3) % BINS;
    omp_set_lock(&locks[bin]); /* HERE 1 2 */
    bins[bin]++;
    if (VARIANT == 2) {
        omp_set_lock(&locks[next]); /* HERE 2 */
        bins[next]++;
        omp_unset_lock(&locks[next]);
    }
    if (VARIANT == 3) {
        omp_set_nest_lock(&whole);
        omp_set_nest_lock(&whole);
        omp_unset_nest_lock(&whole);
        omp_unset_nest_lock(&whole);
    }
    if (VARIANT == 1 && bin == 3)
        return;
    omp_unset_lock(&locks[bin]);
}

int main(void)
{
    for (int i = 0; i < BINS; i++)
        omp_init_lock(&locks[i]);
    omp_init_nest_lock(&whole);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 20; i++)
        count(i);
    for (int i = 0; i < BINS; i++)
        omp_destroy_lock(&locks[i]);
    omp_destroy_nest_lock(&whole);
    printf("%d\n", bins[1]);
    return 0;
}
