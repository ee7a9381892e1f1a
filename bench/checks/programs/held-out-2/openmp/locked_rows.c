/* kind: openmp-lock omp_set_lock
 * set: held-out-2
 * ranks: 0
 * flags: -fopenmp
 * 0 none ends ends: each row has a lock
 * 1 error hangs hangs proves: a thread takes a row's lock twice
 * 2 error hangs hangs proves: a lock is not given back where the row is empty
 * 3 none ends ends: nested locks may be taken twice
 */
#include <omp.h>
#include <stdio.h>

#define ROWS 4

static omp_lock_t locks[ROWS];
static omp_nest_lock_t nested[ROWS];
static int sums[ROWS];

static void add(int row, int value)
{
    if (VARIANT == 3) {
        omp_set_nest_lock(&nested[row]);
        omp_set_nest_lock(&nested[row]);
        sums[row] += value;
        omp_unset_nest_lock(&nested[row]);
        omp_unset_nest_lock(&nested[row]);
        return;
    }
    omp_set_lock(&locks[row]); /* HERE */
    if (VARIANT == 1 && value == 3)
        omp_set_lock(&locks[row]); /* HERE 1 */
    sums[row] += value;
    if (!(VARIANT == 2 && value == 0))
        omp_unset_lock(&locks[row]);
}

int main(void)
{
    for (int row = 0; row < ROWS; row++) {
        omp_init_lock(&locks[row]);
        omp_init_nest_lock(&nested[row]);
    }
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        add(i % ROWS, i % 7);
    printf("%d\n", sums[1]);
    return 0;
}
