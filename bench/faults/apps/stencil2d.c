/*
 * Heat in a plate: a 2-D five-point stencil on a grid of ranks. Halos by Isend, Irecv and Waitall; every fourth step
 * the largest change is agreed on by MPI_Allreduce. Cells that change too much are limited, one call each.
 */
#include "fault.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(skip_exchange)                                                                                                   \
    X(skip_update)                                                                                                     \
    X(early_exit)                                                                                                      \
    X(endless)                                                                                                         \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(extra_update)                                                                                                    \
    X(missing_wait) X(skip_collective) X(wrong_tag) X(wrong_peer) X(wrong_op) X(leaked_request) X(corrupt_halo) X(slow)
FAULT_TABLE(FAULTS)

enum { WEST, EAST, SOUTH, NORTH, SIDES };

typedef struct {
    Fault fault;
    int rank, ranks, columns, rows, neighbour[SIDES];
    int n; /* cells per side */
    int step, requests;
    double *memory, *now, *next, *out[SIDES], *in[SIDES];
    MPI_Request request[2 * SIDES];
} Plate;

static double *cell(const Plate *plate, double *field, int i, int j)
{
    return &field[i * (plate->n + 2) + j];
}

static void find_neighbours(Plate *plate)
{
    plate->columns = (int)sqrt((double)plate->ranks);
    while (plate->ranks % plate->columns != 0)
        plate->columns--;
    plate->rows = plate->ranks / plate->columns;
    int column = plate->rank % plate->columns, row = plate->rank / plate->columns;
    plate->neighbour[WEST] = column > 0 ? plate->rank - 1 : -1;
    plate->neighbour[EAST] = column + 1 < plate->columns ? plate->rank + 1 : -1;
    plate->neighbour[SOUTH] = row > 0 ? plate->rank - plate->columns : -1;
    plate->neighbour[NORTH] = row + 1 < plate->rows ? plate->rank + plate->columns : -1;
}

static int allocate_fields(Plate *plate)
{
    size_t cells = (size_t)(plate->n + 2) * (size_t)(plate->n + 2);
    plate->memory = plate->now = calloc(2 * cells + 2 * SIDES * (size_t)plate->n, sizeof(double));
    if (plate->now == NULL)
        return 0;
    plate->next = plate->now + cells;
    for (int side = 0; side < SIDES; side++) {
        plate->out[side] = plate->next + cells + side * plate->n;
        plate->in[side] = plate->out[side] + SIDES * plate->n;
    }
    return 1;
}

static void set_initial_heat(Plate *plate)
{
    for (int i = 1; i <= plate->n; i++)
        for (int j = 1; j <= plate->n; j++)
            plate->now[i * (plate->n + 2) + j] = (plate->rank * 7 + i * 3 + j * 5) % 11;
}

static double *border(const Plate *plate, int side, int depth, int k)
{
    int first = 1 - depth, last = plate->n + depth;
    return side == WEST    ? cell(plate, plate->now, k, first)
           : side == EAST  ? cell(plate, plate->now, k, last)
           : side == SOUTH ? cell(plate, plate->now, first, k)
                           : cell(plate, plate->now, last, k);
}

static void pack_side(Plate *plate, int side)
{
    if (fault_hits(&plate->fault, FAULT_crash, plate->step))
        fault_crash();
    for (int k = 1; k <= plate->n; k++)
        plate->out[side][k - 1] = *border(plate, side, 0, k);
    if (fault_hits(&plate->fault, FAULT_corrupt_halo, plate->step))
        plate->out[side][0] = 1e6;
}

static void unpack_side(Plate *plate, int side)
{
    for (int k = 1; k <= plate->n; k++)
        *border(plate, side, 1, k) = plate->in[side][k - 1];
}

static void post_receives(Plate *plate)
{
    plate->requests = 0;
    for (int side = 0; side < SIDES; side++)
        if (plate->neighbour[side] >= 0)
            MPI_Irecv(plate->in[side], plate->n, MPI_DOUBLE, plate->neighbour[side], side ^ 1, MPI_COMM_WORLD,
                      &plate->request[plate->requests++]);
    if (fault_hits(&plate->fault, FAULT_leaked_request, plate->step)) {
        MPI_Request lost;
        MPI_Irecv(plate->in[0], plate->n, MPI_DOUBLE, plate->rank, 9, MPI_COMM_WORLD, &lost);
    }
}

static void post_sends(Plate *plate)
{
    for (int side = 0; side < SIDES; side++) {
        if (plate->neighbour[side] < 0)
            continue;
        pack_side(plate, side);
        int peer = plate->neighbour[side], tag = side;
        if (fault_hits(&plate->fault, FAULT_wrong_tag, plate->step))
            tag = side ^ 2;
        if (fault_hits(&plate->fault, FAULT_wrong_peer, plate->step))
            peer = plate->neighbour[side ^ 1] >= 0 ? plate->neighbour[side ^ 1] : peer;
        MPI_Isend(plate->out[side], plate->n, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD,
                  &plate->request[plate->requests++]);
    }
}

static void finish_halo(Plate *plate)
{
    if (!fault_hits(&plate->fault, FAULT_missing_wait, plate->step))
        MPI_Waitall(plate->requests, plate->request, MPI_STATUSES_IGNORE);
    for (int side = 0; side < SIDES; side++)
        if (plate->neighbour[side] >= 0)
            unpack_side(plate, side);
}

static void exchange_halo(Plate *plate)
{
    post_receives(plate);
    post_sends(plate);
    finish_halo(plate);
}

static double limit_cell(double before, double after)
{
    return before + copysign(4.0, after - before);
}

/* One row; the largest change in it. */
static double update_row(Plate *plate, int i)
{
    double largest = 0;
    int width = plate->n + 2;
    for (int j = 1; j <= plate->n; j++) {
        const double *at = &plate->now[i * width + j];
        double value = 0.5 * at[0] + 0.125 * (at[-1] + at[1] + at[-width] + at[width]);
        if (fabs(value - at[0]) > 4)
            value = limit_cell(at[0], value);
        plate->next[i * width + j] = value;
        largest = fmax(largest, fabs(value - at[0]));
    }
    return largest;
}

static double update_plate(Plate *plate)
{
    double largest = 0;
    for (int i = 1; i <= plate->n; i++) {
        largest = fmax(largest, update_row(plate, i));
        if (fault_pace(fault_hits(&plate->fault, FAULT_endless, plate->step)))
            i = 0;
    }
    double *swap = plate->now;
    plate->now = plate->next;
    plate->next = swap;
    return largest;
}

static int has_converged(Plate *plate, double change)
{
    double largest = change;
    if (fault_hits(&plate->fault, FAULT_abort, plate->step))
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (!fault_hits(&plate->fault, FAULT_skip_collective, plate->step))
        MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE,
                      fault_hits(&plate->fault, FAULT_wrong_op, plate->step) ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    return largest < 1e-9;
}

static void run_steps(Plate *plate, int steps)
{
    for (plate->step = 1; plate->step <= steps; plate->step++) {
        double change = 0;
        if (fault_hits(&plate->fault, FAULT_early_exit, plate->step))
            break;
        if (fault_hits(&plate->fault, FAULT_stuck, plate->step))
            fault_hang();
        if (fault_hits(&plate->fault, FAULT_slow, plate->step))
            fault_delay(300);
        if (!fault_hits(&plate->fault, FAULT_skip_exchange, plate->step))
            exchange_halo(plate);
        if (!fault_hits(&plate->fault, FAULT_skip_update, plate->step))
            change = update_plate(plate);
        if (fault_hits(&plate->fault, FAULT_extra_update, plate->step))
            change = update_plate(plate);
        if (plate->step % 4 == 0 && has_converged(plate, change))
            break;
    }
}

int main(int argc, char **argv)
{
    Plate plate = {0};
    if (!fault_read(&plate.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    plate.n = plate.fault.size > 0 ? plate.fault.size : 6;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &plate.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &plate.ranks);
    plate.fault.own = plate.rank;
    find_neighbours(&plate);
    if (!allocate_fields(&plate))
        MPI_Abort(MPI_COMM_WORLD, 1);
    set_initial_heat(&plate);
    run_steps(&plate, plate.fault.steps > 0 ? plate.fault.steps : 24);
    free(plate.memory);
    MPI_Finalize();
    return 0;
}
