/* kind: rma-datatype 11.3.4
 * set: held-out
 * ranks: 2
 * 0 none ends ends: MPI_MAX and MPI_SUM of a predefined type, in epochs of their own
 * 1 error fails fails proves: an operation of the program's own
 * 2 error ends|fails ends|fails proves: ints at the origin, floats at the target
 */
#include <mpi.h>
#include <stdio.h>

static void larger(void *in, void *out, int *count, MPI_Datatype *type)
{
    int *a = in, *b = out;
    for (int i = 0; i < *count; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
    (void)type;
}

int main(int argc, char **argv)
{
    int *best, mine, rank;
    MPI_Win win;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = rank + 3;
    MPI_Op_create(larger, 1, &op);
    MPI_Win_allocate(sizeof *best, sizeof *best, MPI_INFO_NULL, MPI_COMM_WORLD, &best, &win);
    *best = 0;
    MPI_Win_fence(0, win);
#if VARIANT == 1
    MPI_Accumulate(&mine, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, op, win); /* HERE 1 */
#elif VARIANT == 2
    MPI_Accumulate(&mine, 1, MPI_INT, 1 - rank, 0, 1, MPI_FLOAT, MPI_SUM, win); /* HERE 2 */
#else
    MPI_Accumulate(&mine, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_MAX, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&mine, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_SUM, win);
#endif
    MPI_Win_fence(0, win);
    printf("%d\n", *best);
    MPI_Win_free(&win);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
