/* Heat in a rod: neighbours exchange their ends without waiting, all sum up the change. */
#include "values.h"

enum { CELLS = 40, STEPS = 12 };

static double cell[CELLS + 2], next[CELLS + 2], ends[2];

static void exchange(int step)
{
    int left = own_rank > 0 ? own_rank - 1 : MPI_PROC_NULL, right = own_rank < ranks - 1 ? own_rank + 1 : MPI_PROC_NULL;
    double got[2] = {cell[0], cell[CELLS + 1]};
    MPI_Request requests[4];
    ends[0] = cell[1];
    ends[1] = cell[CELLS];
    MPI_Irecv(&got[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Issend(&ends[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Issend(&ends[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]);
    if (fault_now("early_reuse", step))
        ends[0] = ends[1] = 0;
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (!fault_from("stale_halo", step))
        cell[0] = got[0];
    cell[CELLS + 1] = got[1];
    if (own_rank == 0)
        cell[0] = 100;
    if (own_rank == ranks - 1)
        cell[CELLS + 1] = 0;
}

static double update(int step)
{
    double change = 0;
    for (int i = 1; i <= CELLS; i++) {
        double rate = fault_from("wrong_rate", step) && i == CELLS / 2 ? 0.2 : 0.25;
        next[i] = cell[i] + rate * (cell[i - 1] - 2 * cell[i] + cell[i + 1]);
        change += (next[i] - cell[i]) * (next[i] - cell[i]);
    }
    if (fault_now("unset_cell", step))
        next[CELLS] = garbage;
    memcpy(&cell[1], &next[1], CELLS * sizeof(double));
    return change;
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int i = 0; i < CELLS + 2; i++)
        cell[i] = 3 * own_rank + i % 7;
    for (int step = 0; step < STEPS; step++) {
        exchange(step);
        double change = update(step);
        MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum < 0;
}
