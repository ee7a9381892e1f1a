/*
 * Waves in a box: a 3-D halo exchange on a Cartesian communicator with persistent requests, one plan per dimension.
 * The time step is agreed on by MPI_Allreduce, planes report their energy over a sub-communicator.
 */
#include "fault.h"
#include <mpi.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(skip_dimension)                                                                                                  \
    X(wrong_peer)                                                                                                      \
    X(wrong_tag)                                                                                                       \
    X(short_count)                                                                                                     \
    X(long_count)                                                                                                      \
    X(crash)                                                                                                           \
    X(early_exit)                                                                                                      \
    X(extra_collective)                                                                                                \
    X(wrong_collective)                                                                                                \
    X(double_init) X(wrong_order) X(wrong_comm) X(abort) X(missing_wait) X(slow) X(extra_call) X(endless)
FAULT_TABLE(FAULTS)

typedef struct {
    double *out[2], *in[2];
    int cells;
    MPI_Request request[4];
} Plan;

typedef struct {
    Fault fault;
    MPI_Comm box, plane;
    int rank, ranks, n, step;
    double *wave, *speed, time, energy;
    Plan plan[3];
} Box;

static void make_communicators(Box *box)
{
    int sides[3] = {0, 0, 0}, periodic[3] = {1, 1, 1}, keep[3] = {0, 1, 1};
    MPI_Dims_create(box->ranks, 3, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 3, sides, periodic, 0, &box->box);
    MPI_Cart_sub(box->box, keep, &box->plane);
}

static void allocate_box(Box *box)
{
    size_t cells = (size_t)(box->n * box->n * box->n);
    box->wave = malloc(2 * cells * sizeof(double));
    if (box->wave == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    box->speed = box->wave + cells;
    for (size_t i = 0; i < cells; i++) {
        box->wave[i] = (double)((i * 31 + (size_t)box->rank * 17) % 13);
        box->speed[i] = 0;
    }
}

static void init_plan(Box *box, int dimension)
{
    Plan *plan = &box->plan[dimension];
    int peer[2], cells = box->n * box->n;
    plan->cells = cells;
    double *memory = calloc(4 * (size_t)cells + 4, sizeof(double));
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Cart_shift(box->box, dimension, 1, &peer[0], &peer[1]);
    for (int side = 0; side < 2; side++) {
        int to = peer[side], tag = 2 * dimension + side, count = cells;
        plan->out[side] = memory + side * (cells + 1);
        plan->in[side] = memory + (2 + side) * (cells + 1);
        if (fault_hits(&box->fault, FAULT_wrong_peer, dimension))
            to = peer[side] == 0 ? 1 : peer[side] - 1;
        if (fault_hits(&box->fault, FAULT_wrong_tag, dimension))
            tag += 6;
        if (fault_hits(&box->fault, FAULT_short_count, dimension))
            count = cells - 1;
        if (fault_hits(&box->fault, FAULT_long_count, dimension))
            count = cells + 1;
        MPI_Send_init(plan->out[side], count, MPI_DOUBLE, to, tag, box->box, &plan->request[side]);
        MPI_Recv_init(plan->in[side], cells, MPI_DOUBLE, peer[side], 2 * dimension + (side ^ 1), box->box,
                      &plan->request[2 + side]);
    }
}

static void init_plans(Box *box)
{
    for (int dimension = 0; dimension < 3; dimension++)
        init_plan(box, dimension);
}

static void free_plans(Box *box)
{
    for (int dimension = 0; dimension < 3; dimension++) {
        for (int i = 0; i < 4; i++)
            MPI_Request_free(&box->plan[dimension].request[i]);
        free(box->plan[dimension].out[0]);
    }
}

static double *face_cell(const Box *box, int dimension, int side, int k)
{
    int n = box->n, a = k / n, b = k % n, last = side ? n - 1 : 0;
    return dimension == 0   ? &box->wave[(last * n + a) * n + b]
           : dimension == 1 ? &box->wave[(a * n + last) * n + b]
                            : &box->wave[(a * n + b) * n + last];
}

static void copy_faces(Box *box, int dimension)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < box->plan[dimension].cells; k += 4)
            box->plan[dimension].out[side][k] = *face_cell(box, dimension, side, k);
}

static void add_faces(Box *box, int dimension)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < box->plan[dimension].cells; k += 4)
            *face_cell(box, dimension, side, k) += 0.01 * box->plan[dimension].in[side][k];
}

static void exchange_dimension(Box *box, int dimension)
{
    copy_faces(box, dimension);
    if (fault_hits(&box->fault, FAULT_crash, box->step))
        fault_crash();
    MPI_Startall(4, box->plan[dimension].request);
    if (!(fault_hits(&box->fault, FAULT_missing_wait, box->step) && dimension == 2))
        MPI_Waitall(4, box->plan[dimension].request, MPI_STATUSES_IGNORE);
    add_faces(box, dimension);
}

static void exchange_faces(Box *box)
{
    for (int dimension = 0; dimension < 3; dimension++)
        if (!(fault_hits(&box->fault, FAULT_skip_dimension, box->step) && dimension == 1))
            exchange_dimension(box, dimension);
}

static void move_layer(Box *box, int layer, double dt)
{
    for (int i = 0, cells = box->n * box->n; i < cells; i++) {
        box->speed[layer * cells + i] -= dt * box->wave[layer * cells + i];
        box->wave[layer * cells + i] += dt * box->speed[layer * cells + i];
    }
}

static void move_wave(Box *box, double dt)
{
    for (int layer = 0; layer < box->n; layer++) {
        move_layer(box, layer, dt);
        if (fault_pace(fault_hits(&box->fault, FAULT_endless, box->step)))
            layer = 0;
    }
}

static double choose_time_step(Box *box)
{
    double own = 0.001 * (1 + box->rank % 3), dt = own;
    if (fault_hits(&box->fault, FAULT_wrong_collective, box->step))
        MPI_Reduce(&own, &dt, 1, MPI_DOUBLE, MPI_MIN, 0, box->box);
    else
        MPI_Allreduce(&own, &dt, 1, MPI_DOUBLE, MPI_MIN,
                      fault_hits(&box->fault, FAULT_wrong_comm, box->step) ? box->plane : box->box);
    return dt;
}

static void sum_energy(Box *box)
{
    double own = box->wave[0] * box->wave[0];
    MPI_Reduce(&own, &box->energy, 1, MPI_DOUBLE, MPI_SUM, 0, box->plane);
}

static int is_bad(const Box *box)
{
    return box->wave[0] != box->wave[0] || fault_hits(&box->fault, FAULT_abort, box->step);
}

static void check_wave(const Box *box)
{
    if (is_bad(box))
        abort();
}

static void do_step(Box *box)
{
    double dt = choose_time_step(box);
    if (fault_hits(&box->fault, FAULT_slow, box->step))
        fault_delay(300);
    if (fault_hits(&box->fault, FAULT_wrong_order, box->step)) {
        move_wave(box, dt);
        exchange_faces(box);
    } else {
        exchange_faces(box);
        move_wave(box, dt);
    }
    if (fault_hits(&box->fault, FAULT_extra_call, box->step))
        move_wave(box, dt);
    check_wave(box);
    if (box->step % 5 == 0)
        sum_energy(box);
    if (fault_hits(&box->fault, FAULT_extra_collective, box->step))
        dt = choose_time_step(box);
    box->time += dt;
}

int main(int argc, char **argv)
{
    Box box = {0};
    if (!fault_read(&box.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &box.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &box.ranks);
    box.fault.own = box.rank;
    box.n = box.fault.size > 0 ? box.fault.size : 6;
    make_communicators(&box);
    allocate_box(&box);
    init_plans(&box);
    if (fault_mine(&box.fault, FAULT_double_init))
        init_plans(&box);
    int steps = box.fault.steps > 0 ? box.fault.steps : 20;
    for (box.step = 1; box.step <= steps; box.step++) {
        if (fault_hits(&box.fault, FAULT_early_exit, box.step))
            break;
        do_step(&box);
    }
    free_plans(&box);
    free(box.wave);
    MPI_Finalize();
    return 0;
}
