/* kind: request-buffer 3.7.2
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: two receives into the halves of one array
 * 1 error ends ends proves: two receives that are open at once share a cell
 * 2 none ends ends: two sends of the same data at once
 * 3 error ends ends proves: data is sent from where a receive is open
 */
#include <mpi.h>
#include <stdio.h>

#define HALF 8

int main(int argc, char **argv)
{
    double room[2 * HALF + 2] = {0}, data[2 * HALF] = {1, 2};
    MPI_Request requests[4];
    int rank, peer, count = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    MPI_Irecv(room, HALF, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[count++]); /* HERE */
    MPI_Irecv(room + (VARIANT == 1 ? HALF - 1 : HALF), HALF, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD,
              &requests[count++]); /* HERE */
    MPI_Isend(VARIANT == 3 ? room + 2 : data, HALF, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD,
              &requests[count++]); /* HERE 3 */
    MPI_Isend(VARIANT == 2 ? data : data + HALF, HALF, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    printf("%g\n", room[1]);
    MPI_Finalize();
    return 0;
}
