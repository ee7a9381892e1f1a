/* kind: comm-leak 6.4.3
 * set: open
 * ranks: 4
 * 0 none ends ends: each step splits the world and frees the part
 * 1 warning ends ends proves: each step splits the world and frees nothing
 * 2 none ends ends: the communicator is freed while a receive in it is pending, and the receive completed after
 */
#include <mpi.h>
#include <stdio.h>

static double row_sum(double value, int rank)
{
    MPI_Comm row;
    double sum = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row); /* HERE */
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
    if (VARIANT == 2) {
        MPI_Request requests[2];
        double other;
        int in_row;
        MPI_Comm_rank(row, &in_row);
        MPI_Irecv(&other, 1, MPI_DOUBLE, 1 - in_row, 0, row, &requests[0]);
        MPI_Isend(&value, 1, MPI_DOUBLE, 1 - in_row, 0, row, &requests[1]);
        MPI_Comm_free(&row);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (VARIANT == 0) {
        MPI_Comm_free(&row);
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank;
    double x = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++)
        x = 0.5 * row_sum(x, rank);
    printf("%g\n", x);
    MPI_Finalize();
    return 0;
}
