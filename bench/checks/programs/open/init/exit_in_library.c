/* kind: finalize-missing 8.7
 * set: open
 * ranks: 3
 * 0 none ends ends: exit() after MPI_Finalize, from within a function
 * 1 error fails|ends fails|ends proves: exit() instead of MPI_Finalize
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void finish(double error)
{
    printf("%g\n", error);
    if (VARIANT == 0)
        MPI_Finalize();
    exit(0); /* HERE */
}

int main(int argc, char **argv)
{
    double error = 1;
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 100; step++) {
        MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        error /= 30;
        if (error < 1e-3)
            finish(error);
    }
    MPI_Finalize();
    return 0;
}
