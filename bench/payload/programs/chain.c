/* A chain of filters: blocks go from rank to rank, each adds its own state; a running sum is scanned, and a random
 * ticket, other in each run, goes along. */
#include "values.h"

enum { BLOCK = 24, BLOCKS = 14 };

static double state;

static void filter(double *block, int number)
{
    for (int i = 0; i < BLOCK; i++) {
        double weight = fault_from("wrong_weight", number) && i == 9 ? 0.61 : 0.6;
        state = weight * state + (1 - weight) * block[i];
        block[i] = fault_now("stale_state", number) && i == 0 ? block[i] : 0.5 * (block[i] + state);
    }
    if (fault_now("unset_tail", number))
        block[BLOCK - 1] = garbage;
}

int main(int argc, char **argv)
{
    double block[BLOCK], total = 0, scanned = 0;
    int ticket = 0;
    begin(&argc, &argv);
    state = own_rank;
    srand((unsigned)getpid());
    for (int number = 0; number < BLOCKS; number++) {
        if (own_rank == 0) {
            ticket = rand();
            for (int i = 0; i < BLOCK; i++)
                block[i] = (number * 5 + i * i) % 13;
        } else {
            MPI_Recv(&ticket, 1, MPI_INT, own_rank - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(block, BLOCK, MPI_DOUBLE, own_rank - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        filter(block, number);
        total += block[3];
        if (own_rank < ranks - 1) {
            MPI_Send(&ticket, 1, MPI_INT, own_rank + 1, 8, MPI_COMM_WORLD);
            MPI_Send(block, BLOCK, MPI_DOUBLE, own_rank + 1, 9, MPI_COMM_WORLD);
        }
    }
    double given = fault_now("wrong_sum", 0) ? total - state : total;
    MPI_Scan(&given, &scanned, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
