/* kind: coll-order 5.13
 * set: held-out
 * ranks: 3
 * 0 none ends ends: everybody broadcasts, then sums
 * 1 error hangs hangs proves: rank 0 sums first, the others broadcast first
 * 2 none ends ends: different order in two communicators by ranks that are in one of them only
 */
#include <mpi.h>
#include <stdio.h>

static void by_all(double *start, double *sum, int rank)
{
    double mine = rank;
    if (VARIANT == 1 && rank == 0)
        MPI_Reduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* HERE 1 */
    MPI_Bcast(start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);                    /* HERE 1 */
    if (VARIANT != 1 || rank != 0)
        MPI_Reduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* HERE 1 */
}

static void by_parts(MPI_Comm part, int rank)
{
    int value = rank, sum = 0;
    if (rank < 2) {
        MPI_Bcast(&value, 1, MPI_INT, 0, part);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, part);
    } else {
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, part);
        MPI_Bcast(&value, 1, MPI_INT, 0, part);
    }
}

int main(int argc, char **argv)
{
    double start = 1, sum = 0;
    MPI_Comm part;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    by_all(&start, &sum, rank);
    if (VARIANT == 2) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &part);
        by_parts(part, rank);
        MPI_Comm_free(&part);
    }
    printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
