/* kind: p2p-lost 3.8.2
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: each block is probed, then received with the room that it needs
 * 1 error ends ends proves: the last block is probed and matched, and never received
 * 2 none ends ends: blocks come from anybody, each received by the message that was matched
 * 3 error/p2p-truncation fails fails proves: a block is received into less room than its count says
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 5

static void send_blocks(int rank)
{
    int data[64];
    for (int i = 0; i < 64; i++)
        data[i] = rank * 100 + i;
    for (int block = 0; block < BLOCKS; block++)
        MPI_Send(data, 8 + 4 * block, MPI_INT, 0, 30 + block, MPI_COMM_WORLD); /* HERE 1 3 */
}

static int take_block(int from, int tag, int last)
{
    MPI_Message message;
    MPI_Status status;
    int count, sum = 0;
    MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, &status); /* HERE 1 */
    MPI_Get_count(&status, MPI_INT, &count);
    int *room = malloc((size_t)count * sizeof *room);
    if (VARIANT == 1 && last) {
        free(room);
        return 0;
    }
    if (VARIANT == 3 && last)
        count -= 4;
    MPI_Mrecv(room, count, MPI_INT, &message, MPI_STATUS_IGNORE); /* HERE 3 */
    for (int i = 0; i < count; i++)
        sum += room[i];
    free(room);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        send_blocks(rank);
    for (int block = 0; rank == 0 && block < BLOCKS; block++)
        for (int from = 1; from < size; from++)
            sum +=
                take_block(VARIANT == 2 ? MPI_ANY_SOURCE : from, 30 + block, block == BLOCKS - 1 && from == size - 1);
    if (rank == 0)
        printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
