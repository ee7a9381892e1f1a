/* kind: coll-mixed 5.12
 * set: held-out
 * ranks: 3
 * 0 none ends ends: a nonblocking broadcast on every rank
 * 1 error hangs hangs proves: the root calls MPI_Bcast, the others MPI_Ibcast
 * 2 none ends ends: MPI_Ibcast of one communicator under way while MPI_Bcast of another is called
 */
#include <mpi.h>
#include <stdio.h>

static void spread(double *data, int count, int rank, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (VARIANT == 1 && rank == 0)
        MPI_Bcast(data, count, MPI_DOUBLE, 0, comm); /* HERE */
    else
        MPI_Ibcast(data, count, MPI_DOUBLE, 0, comm, &request); /* HERE */
    if (VARIANT == 2)
        MPI_Bcast(&data[count], 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static double data[1001];
    MPI_Comm twin;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    for (int i = 0; i < 3; i++)
        spread(data, 1000, rank, twin);
    MPI_Comm_free(&twin);
    printf("%g\n", data[0]);
    MPI_Finalize();
    return 0;
}
