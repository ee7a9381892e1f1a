/* kind: comm-leak 6.4.3
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: each solver has a copy of the communicator, and frees it
 * 1 warning ends ends proves: none is freed
 * 2 none ends ends: they are kept in an array, and freed in one go
 * 3 warning ends ends proves: those of odd steps are not freed
 */
#include <mpi.h>
#include <stdio.h>

#define SOLVERS 4

static double solve(MPI_Comm comm, double value)
{
    double sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Comm copies[SOLVERS];
    double value = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < SOLVERS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]); /* HERE */
        value = solve(copies[i], value);
        if (VARIANT == 0 || (VARIANT == 3 && i % 2 == 0))
            MPI_Comm_free(&copies[i]);
    }
    for (int i = 0; VARIANT == 2 && i < SOLVERS; i++)
        MPI_Comm_free(&copies[i]);
    printf("%g\n", value);
    MPI_Finalize();
    return 0;
}
