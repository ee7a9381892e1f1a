/* kind: datatype-leak 4.1.9
 * set: held-out
 * ranks: 2
 * 0 none ends ends: a subarray type made, used and freed in each step
 * 1 warning ends ends proves: the type is made in each step and never freed
 * 2 none ends ends: freed while a send with it is under way, and parts of a larger type freed when that is made
 */
#include <mpi.h>
#include <stdio.h>

#define N 8

static void exchange(double *grid, int other, int step)
{
    MPI_Datatype edge, both;
    int whole[2] = {N, N}, part[2] = {N, 1}, start[2] = {0, step % N};
    MPI_Request request;
    MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &edge); /* HERE */
    MPI_Type_commit(&edge);
#if VARIANT == 2
    MPI_Type_contiguous(1, edge, &both);
    MPI_Type_free(&edge);
    MPI_Type_commit(&both);
#else
    both = edge;
#endif
    MPI_Isend(grid, 1, both, other, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(grid + N * N, N, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (VARIANT == 2)
        MPI_Type_free(&both);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (VARIANT == 0)
        MPI_Type_free(&edge);
}

int main(int argc, char **argv)
{
    double grid[N * N + N] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 5; step++)
        exchange(grid, 1 - rank, step);
    printf("%g\n", grid[N * N]);
    MPI_Finalize();
    return 0;
}
