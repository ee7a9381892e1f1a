/* kind: p2p-datatype 4.2
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: packed by the sender, unpacked by the receiver
 * 1 none ends ends: packed by the sender, received as the types that were packed
 * 2 error ends ends proves: sent as bytes, received as integers
 * 3 error ends ends proves: sent as floats, received as integers of the same size
 */
#include <mpi.h>
#include <stdio.h>

#define VALUES 10

static void give(void)
{
    int values[VALUES] = {3, 1, 4};
    char room[256];
    int used = 0;
#if VARIANT == 2
    MPI_Send(values, sizeof values, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* HERE */
#elif VARIANT == 3
    float reals[VALUES] = {3, 1, 4};
    MPI_Send(reals, VALUES, MPI_FLOAT, 1, 0, MPI_COMM_WORLD); /* HERE */
#endif
    if (VARIANT < 2) {
        MPI_Pack(values, VALUES, MPI_INT, room, sizeof room, &used, MPI_COMM_WORLD);
        MPI_Send(room, used, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
    }
}

static void take(void)
{
    int values[VALUES], place = 0, count;
    char room[256];
    MPI_Status status;
    if (VARIANT == 0) {
        MPI_Recv(room, sizeof room, MPI_PACKED, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_PACKED, &count);
        MPI_Unpack(room, count, &place, values, VALUES, MPI_INT, MPI_COMM_WORLD);
    } else {
        MPI_Recv(values, VALUES, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 2 3 */
    }
    printf("%d\n", values[2]);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        give();
    else
        take();
    MPI_Finalize();
    return 0;
}
