/* kind: use-after-free 4.1.9
 * set: held-out
 * ranks: 2
 * 0 none ends ends: a type made of a freed type is used
 * 1 error fails|crashes|ends fails proves: a copy of a freed type's handle is used
 * 2 error fails fails proves: the handle of a freed type is used, which is MPI_DATATYPE_NULL
 */
#include <mpi.h>
#include <stdio.h>

static double send_row(double *row, MPI_Datatype type, int rank)
{
    if (rank == 0)
        MPI_Send(row, 1, type, 1, 0, MPI_COMM_WORLD); /* HERE */
    else
        MPI_Recv(row, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return row[3];
}

int main(int argc, char **argv)
{
    double row[4] = {1, 2, 3, 4};
    MPI_Datatype two, four, copy;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_DOUBLE, &two);
    MPI_Type_contiguous(2, two, &four);
    MPI_Type_commit(&four);
    MPI_Type_free(&two);
    copy = four;
    if (VARIANT != 0)
        MPI_Type_free(&four);
    printf("%g\n", send_row(row, VARIANT == 2 ? four : copy, rank));
    if (VARIANT == 0)
        MPI_Type_free(&four);
    MPI_Finalize();
    return 0;
}
