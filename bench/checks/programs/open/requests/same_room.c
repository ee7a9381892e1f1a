/* kind: request-buffer 3.7.2
 * set: open
 * ranks: 3
 * 0 none ends ends: two receives at once, each with its own half of the room
 * 1 error ends ends proves: both receives at once into the same room
 * 2 error ends ends proves: the second receive begins one element too early
 * 3 none ends ends: one room for two receives, one after the other has completed
 */
#include <mpi.h>
#include <stdio.h>

#define PART 10

static double merge(void)
{
    double room[2 * PART] = {0};
    MPI_Request requests[2];
    int shift = VARIANT == 1 ? 0 : VARIANT == 2 ? PART - 1 : PART;
#if VARIANT == 3
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(room, PART, MPI_DOUBLE, 1 + i, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    return room[shift - 1];
#else
    for (int i = 0; i < 2; i++)
        MPI_Irecv(room + i * shift, PART, MPI_DOUBLE, 1 + i, 0, MPI_COMM_WORLD, &requests[i]); /* HERE */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return room[shift];
#endif
}

int main(int argc, char **argv)
{
    double part[PART];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < PART; i++)
        part[i] = rank;
    if (rank == 0)
        printf("%g\n", merge());
    else
        MPI_Send(part, PART, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
