/*
 * Conjugate gradients: a sparse matrix in strips of rows, the vector's edges exchanged by persistent requests before
 * every product, dot products by MPI_Allreduce. At the end rank 0 gathers the history of everybody's residual.
 */
#include "fault.h"
#include <mpi.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(skip_exchange)                                                                                                   \
    X(extra_exchange)                                                                                                  \
    X(early_exit)                                                                                                      \
    X(endless)                                                                                                         \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(wrong_peer)                                                                                                      \
    X(wrong_tag)                                                                                                       \
    X(wrong_root)                                                                                                      \
    X(wrong_op)                                                                                                        \
    X(wrong_comm)                                                                                                      \
    X(long_count)                                                                                                      \
    X(skip_dot) X(extra_dot) X(mismatch) X(missing_wait) X(leak) X(corrupt) X(wrong_order)
FAULT_TABLE(FAULTS)

enum { WIDTH = 8, MAX_STEPS = 200, REPORT = 6 };

/* Rows in compressed form; columns count from the first of the upper neighbour's WIDTH last entries. */
typedef struct {
    int rows, entries, *first, *column;
    double *value;
} Matrix;

typedef struct {
    Fault fault;
    int rank, ranks, step, requests;
    MPI_Comm group;
    MPI_Request request[4];
    Matrix matrix;
    double *x, *r, *q, *p; /* p with WIDTH more entries on either side */
    double edge[2][WIDTH], history[MAX_STEPS], group_residual;
} Solver;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void add_entry(Matrix *matrix, int column, double value)
{
    matrix->column[matrix->entries] = column;
    matrix->value[matrix->entries++] = value;
}

static void add_row(Matrix *matrix, int row)
{
    int place = row % WIDTH;
    matrix->first[row] = matrix->entries;
    add_entry(matrix, row, -1);
    if (place > 0)
        add_entry(matrix, row + WIDTH - 1, -1);
    add_entry(matrix, row + WIDTH, 4.5);
    if (place < WIDTH - 1)
        add_entry(matrix, row + WIDTH + 1, -1);
    add_entry(matrix, row + 2 * WIDTH, -1);
}

static void build_matrix(Matrix *matrix, int rows)
{
    matrix->rows = rows;
    matrix->first = allocate((size_t)rows + 1, sizeof(int));
    matrix->column = allocate(5 * (size_t)rows, sizeof(int));
    matrix->value = allocate(5 * (size_t)rows, sizeof(double));
    for (int row = 0; row < rows; row++)
        add_row(matrix, row);
    matrix->first[rows] = matrix->entries;
}

static void allocate_vectors(Solver *solver)
{
    size_t rows = (size_t)solver->matrix.rows;
    solver->x = allocate(rows, sizeof(double));
    solver->r = allocate(rows, sizeof(double));
    solver->q = allocate(rows, sizeof(double));
    solver->p = allocate(rows + 2 * WIDTH, sizeof(double));
    for (size_t i = 0; i < rows; i++)
        solver->p[WIDTH + i] = solver->r[i] = 1 + (double)((i * 7 + (size_t)solver->rank * 3) % 5);
}

/* Side 0 is the neighbour above, side 1 the one below. */
static void plan_side(Solver *solver, int side)
{
    int peer = side ? solver->rank + 1 : solver->rank - 1, to = peer, tag = side, count = WIDTH;
    double *ghost = side ? solver->p + WIDTH + solver->matrix.rows : solver->p;
    if (peer < 0 || peer >= solver->ranks)
        return;
    if (fault_hits(&solver->fault, FAULT_wrong_peer, side))
        to = side ? solver->rank - 1 : solver->rank + 1;
    if (fault_hits(&solver->fault, FAULT_wrong_tag, side))
        tag = 1 - side;
    if (fault_hits(&solver->fault, FAULT_long_count, side))
        count = WIDTH + WIDTH / 2;
    MPI_Send_init(solver->edge[side], count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &solver->request[solver->requests++]);
    MPI_Recv_init(ghost, WIDTH, MPI_DOUBLE, peer, 1 - side, MPI_COMM_WORLD, &solver->request[solver->requests++]);
}

static void free_plan(Solver *solver)
{
    if (fault_mine(&solver->fault, FAULT_leak))
        solver->requests--;
    while (solver->requests > 0)
        MPI_Request_free(&solver->request[--solver->requests]);
}

static void pack_edges(Solver *solver)
{
    const double *own = solver->p + WIDTH;
    for (int i = 0; i < WIDTH; i++) {
        solver->edge[0][i] = own[i];
        solver->edge[1][i] = own[solver->matrix.rows - WIDTH + i];
    }
    if (fault_hits(&solver->fault, FAULT_corrupt, solver->step))
        solver->edge[0][WIDTH / 2] *= -1;
}

static void exchange_edges(Solver *solver)
{
    pack_edges(solver);
    MPI_Startall(solver->requests, solver->request);
    if (!fault_hits(&solver->fault, FAULT_missing_wait, solver->step))
        MPI_Waitall(solver->requests, solver->request, MPI_STATUSES_IGNORE);
}

static double multiply_row(const Solver *solver, int row)
{
    const Matrix *matrix = &solver->matrix;
    double sum = 0;
    for (int k = matrix->first[row]; k < matrix->first[row + 1]; k++)
        sum += matrix->value[k] * solver->p[matrix->column[k]];
    return sum;
}

static void multiply(Solver *solver)
{
    for (int row = 0; row < solver->matrix.rows; row++) {
        solver->q[row] = multiply_row(solver, row);
        if (fault_hits(&solver->fault, FAULT_crash, solver->step) && row == solver->matrix.rows / 2)
            fault_crash();
        if (fault_pace(fault_hits(&solver->fault, FAULT_endless, solver->step)))
            row = 0;
    }
}

static void apply_matrix(Solver *solver)
{
    if (fault_hits(&solver->fault, FAULT_wrong_order, solver->step)) {
        multiply(solver);
        exchange_edges(solver);
        return;
    }
    if (!fault_hits(&solver->fault, FAULT_skip_exchange, solver->step))
        exchange_edges(solver);
    if (fault_hits(&solver->fault, FAULT_extra_exchange, solver->step))
        exchange_edges(solver);
    multiply(solver);
}

static double sum_products(const Solver *solver, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < solver->matrix.rows; i++)
        sum += a[i] * b[i];
    return sum;
}

static double dot(const Solver *solver, const double *a, const double *b)
{
    double own = sum_products(solver, a, b), all = own;
    MPI_Comm comm = fault_hits(&solver->fault, FAULT_wrong_comm, solver->step) ? solver->group : MPI_COMM_WORLD;
    if (fault_hits(&solver->fault, FAULT_mismatch, solver->step))
        MPI_Bcast(&all, 1, MPI_DOUBLE, 0, comm);
    else
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    return all;
}

static void add_scaled(double *to, double factor, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += factor * from[i];
}

static void turn_direction(Solver *solver, double beta)
{
    for (int i = 0; i < solver->matrix.rows; i++)
        solver->p[WIDTH + i] = solver->r[i] + beta * solver->p[WIDTH + i];
    if (fault_hits(&solver->fault, FAULT_stuck, solver->step))
        fault_hang();
}

/* Every rank notes its part of the residual, and the first of a group now and then its largest. */
static void note_residual(Solver *solver)
{
    double own = sum_products(solver, solver->r, solver->r);
    int wrong = fault_hits(&solver->fault, FAULT_wrong_op, solver->step);
    solver->history[solver->step - 1] = own;
    if (own != own || fault_hits(&solver->fault, FAULT_abort, solver->step))
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (solver->step % REPORT == 0)
        MPI_Allreduce(&own, &solver->group_residual, 1, MPI_DOUBLE, wrong ? MPI_MIN : MPI_MAX, solver->group);
}

static double iterate(Solver *solver, double residual)
{
    apply_matrix(solver);
    double curvature = 1;
    if (!fault_hits(&solver->fault, FAULT_skip_dot, solver->step))
        curvature = dot(solver, solver->p + WIDTH, solver->q);
    double alpha = residual / curvature;
    add_scaled(solver->x, alpha, solver->p + WIDTH, solver->matrix.rows);
    add_scaled(solver->r, -alpha, solver->q, solver->matrix.rows);
    double next = dot(solver, solver->r, solver->r);
    if (fault_hits(&solver->fault, FAULT_extra_dot, solver->step))
        next = dot(solver, solver->r, solver->r);
    turn_direction(solver, next / residual);
    note_residual(solver);
    return next;
}

static int solve(Solver *solver, int steps)
{
    double residual = dot(solver, solver->r, solver->r);
    for (solver->step = 1; solver->step <= steps && residual > 1e-30; solver->step++) {
        if (fault_hits(&solver->fault, FAULT_early_exit, solver->step))
            break;
        residual = iterate(solver, residual);
    }
    return solver->step - 1;
}

static void gather_history(Solver *solver, int own)
{
    int *count = allocate(2 * (size_t)solver->ranks, sizeof(int)), *offset = count + solver->ranks;
    int root = fault_mine(&solver->fault, FAULT_wrong_root) ? solver->fault.at : 0;
    double *all = NULL;
    MPI_Gather(&own, 1, MPI_INT, count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 1; i < solver->ranks; i++)
        offset[i] = offset[i - 1] + count[i - 1];
    if (solver->rank == 0)
        all = allocate((size_t)(offset[solver->ranks - 1] + count[solver->ranks - 1]), sizeof(double));
    MPI_Gatherv(solver->history, own, MPI_DOUBLE, all, count, offset, MPI_DOUBLE, root, MPI_COMM_WORLD);
    free(all);
    free(count);
}

int main(int argc, char **argv)
{
    Solver solver = {0};
    if (!fault_read(&solver.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &solver.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &solver.ranks);
    solver.fault.own = solver.rank;
    int lines = solver.fault.size > 0 ? solver.fault.size : 5;
    int steps = solver.fault.steps > 0 && solver.fault.steps <= MAX_STEPS ? solver.fault.steps : 20;
    MPI_Comm_split(MPI_COMM_WORLD, solver.rank / 4, solver.rank, &solver.group);
    build_matrix(&solver.matrix, lines * WIDTH);
    allocate_vectors(&solver);
    plan_side(&solver, 0);
    plan_side(&solver, 1);
    gather_history(&solver, solve(&solver, steps));
    free_plan(&solver);
    MPI_Comm_free(&solver.group);
    MPI_Finalize();
    return 0;
}
