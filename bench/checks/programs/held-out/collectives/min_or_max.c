/* kind: coll-op 5.9.1
 * set: held-out
 * ranks: 3
 * 0 none ends ends: the smallest time step of all
 * 1 error ends ends proves: one rank asks for the largest
 * 2 none ends ends: an operation of the program's, made on each rank
 */
#include <mpi.h>
#include <stdio.h>

static void smaller(void *in, void *out, int *count, MPI_Datatype *type)
{
    double *a = in, *b = out;
    for (int i = 0; i < *count; i++)
        b[i] = a[i] < b[i] ? a[i] : b[i];
    (void)type;
}

static double step_of_all(double mine, int rank)
{
    double all = 0;
    MPI_Op op = VARIANT == 1 && rank == 2 ? MPI_MAX : MPI_MIN;
#if VARIANT == 2
    MPI_Op_create(smaller, 1, &op);
#endif
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD); /* HERE */
    if (VARIANT == 2)
        MPI_Op_free(&op);
    return all;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        printf("%g\n", step_of_all(0.1 * (rank + 1), rank));
    MPI_Finalize();
    (void)smaller;
    return 0;
}
