/* kind: request-buffer 3.7.2
 * set: held-out
 * ranks: 3
 * 0 none ends ends: even and odd elements of one array received at once through vector types
 * 1 error ends ends proves: both receives take the even elements
 * 2 none ends ends: one array sent to two ranks at once
 * 3 error ends ends proves: the array is received into while it is being sent
 */
#include <mpi.h>
#include <stdio.h>

#define N 8

static void root(double *a)
{
    MPI_Request requests[2];
    MPI_Datatype every_other;
    MPI_Type_vector(N / 2, 1, 2, MPI_DOUBLE, &every_other);
    MPI_Type_commit(&every_other);
#if VARIANT == 2 || VARIANT == 3
    for (int i = 0; i < 2; i++) {
        MPI_Isend(a, 1, every_other, 1 + i, 1, MPI_COMM_WORLD, &requests[i]); /* HERE 3 */
        if (VARIANT == 3)
            MPI_Recv(a, N / 2, MPI_DOUBLE, 1 + i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 3 */
    }
    double got[N];
    for (int i = 0; VARIANT == 2 && i < 2; i++)
        MPI_Recv(got, N / 2, MPI_DOUBLE, 1 + i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#else
    for (int i = 0; i < 2; i++)
        MPI_Irecv(VARIANT == 1 ? a : a + i, 1, every_other, 1 + i, 0, MPI_COMM_WORLD, &requests[i]); /* HERE 1 */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Send(a, N / 2, MPI_DOUBLE, 1 + i, 1, MPI_COMM_WORLD);
#endif
    MPI_Type_free(&every_other);
}

int main(int argc, char **argv)
{
    double a[N] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        root(a);
        printf("%g\n", a[1]);
    } else {
        a[0] = rank;
        MPI_Send(a, N / 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(a, N / 2, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
