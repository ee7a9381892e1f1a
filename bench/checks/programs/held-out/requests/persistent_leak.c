/* kind: request-leaked 3.9
 * set: held-out
 * ranks: 2
 * 0 none ends ends: persistent requests, completed and freed
 * 1 warning ends ends proves: persistent requests, completed and never freed
 * 2 none ends ends: persistent requests freed while inactive, one of them never started
 */
#include <mpi.h>
#include <stdio.h>

static int out, in;

static void open_channel(MPI_Request *channel, int other)
{
    MPI_Send_init(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &channel[0]); /* HERE */
    MPI_Recv_init(&in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &channel[1]);  /* HERE */
}

static void close_channel(MPI_Request *channel)
{
    MPI_Request_free(&channel[0]);
    MPI_Request_free(&channel[1]);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Request channel[2], unused[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    open_channel(channel, 1 - rank);
    for (out = 0; out < 3; out++) {
        MPI_Startall(2, channel);
        MPI_Waitall(2, channel, MPI_STATUSES_IGNORE);
    }
    if (VARIANT != 1)
        close_channel(channel);
    if (VARIANT == 2) {
        open_channel(unused, 1 - rank);
        close_channel(unused);
    }
    printf("%d\n", in);
    MPI_Finalize();
    return 0;
}
