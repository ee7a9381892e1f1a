/* kind: p2p-datatype 3.3.1
 * set: held-out
 * ranks: 2
 * 0 none ends ends: settings sent as bytes and received as bytes
 * 1 error ends ends proves: sent as bytes, received as doubles
 * 2 error ends ends proves: sent as longs, received as twice as many ints
 * 3 none ends ends: sent packed, received as what was packed
 */
#include <mpi.h>
#include <stdio.h>

struct settings {
    double step, tolerance, damping;
};

static void give(struct settings *all, int to)
{
#if VARIANT == 2
    long bits[2] = {(long)(1 / all->step), (long)(1 / all->tolerance)};
    MPI_Send(bits, 2, MPI_LONG, to, 4, MPI_COMM_WORLD); /* HERE 2 */
#elif VARIANT == 3
    char packet[100];
    int used = 0;
    MPI_Pack(&all->step, 1, MPI_DOUBLE, packet, sizeof packet, &used, MPI_COMM_WORLD);
    MPI_Pack(&all->tolerance, 2, MPI_DOUBLE, packet, sizeof packet, &used, MPI_COMM_WORLD);
    MPI_Send(packet, used, MPI_PACKED, to, 4, MPI_COMM_WORLD);
#else
    MPI_Send(all, sizeof *all, MPI_BYTE, to, 4, MPI_COMM_WORLD);              /* HERE 1 */
#endif
}

static void take(struct settings *all, int from)
{
#if VARIANT == 0
    MPI_Recv(all, sizeof *all, MPI_BYTE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif VARIANT == 2
    int halves[4];
    MPI_Recv(halves, 4, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 2 */
    all->step = 1.0 / halves[0];
#else
    MPI_Recv(all, 3, MPI_DOUBLE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE 1 */
#endif
}

int main(int argc, char **argv)
{
    struct settings all = {0.1, 1e-3, 0.9};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        give(&all, 1);
    else
        take(&all, 0);
    printf("%d: %g\n", rank, all.step);
    MPI_Finalize();
    return 0;
}
