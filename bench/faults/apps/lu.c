/*
 * LU factorisation of a matrix that is dealt out block by block to a grid of processes (2-D block-cyclic), without
 * pivoting, as its diagonal dominates. In a step the diagonal block goes along its row and column by MPI_Bcast, the
 * panel of U down every column likewise; the panel of L goes around every row from neighbour to neighbour. OpenMP
 * threads update what is left of the matrix and note how much work that was and how large the elements got, under two
 * locks, always in the same order.
 *
 * In the end L (U w) must be what A w was.
 */
#include "fault.h"
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS(X)                                                                                                      \
    X(skip_update)                                                                                                     \
    X(extra_update)                                                                                                    \
    X(repeat_step)                                                                                                     \
    X(early_exit)                                                                                                      \
    X(endless)                                                                                                         \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(slow)                                                                                                            \
    X(wrong_peer)                                                                                                      \
    X(wrong_tag)                                                                                                       \
    X(wrong_root)                                                                                                      \
    X(wrong_op)                                                                                                        \
    X(wrong_comm)                                                                                                      \
    X(long_count)                                                                                                      \
    X(swap)                                                                                                            \
    X(skip_send)                                                                                                       \
    X(skip_collective)                                                                                                 \
    X(extra_collective)                                                                                                \
    X(wrong_collective) X(missing_lock) X(missing_unlock) X(lock_order) X(double_lock) X(corrupt) X(double_init)
FAULT_TABLE(FAULTS)

enum { WIDTH = 4, AREA = WIDTH * WIDTH, THREADS = 3, TAG_PANEL = 3 };

typedef enum { WHOLE, LOWER, UPPER } Part;

typedef struct {
    Fault fault;
    int blocks, k, step;            /* blocks along a side of the matrix; the one at work; its number from 1 */
    int sides[2], place[2], own[2]; /* of the grid of processes; in it; blocks of this process along the sides */
    MPI_Comm grid, row, column;
    double (*matrix)[AREA], (*l_panel)[AREA], (*u_panel)[AREA], diagonal[AREA];
    omp_lock_t work_lock, size_lock;
    long work;
    double largest, largest_of_all;
} Solver;

FAULT_INLINE int thread_hits(const Solver *solver, int id, int thread)
{
    return fault_hits(&solver->fault, id, solver->step) && thread == solver->fault.thread;
}

static void *allocate(int count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void open_grid(Solver *solver)
{
    int ranks, periodic[2] = {1, 1}, along_row[2] = {0, 1}, along_column[2] = {1, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, solver->sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, solver->sides, periodic, 0, &solver->grid);
    MPI_Cart_coords(solver->grid, solver->fault.own, 2, solver->place);
    MPI_Cart_sub(solver->grid, along_row, &solver->row);
    MPI_Cart_sub(solver->grid, along_column, &solver->column);
    for (int axis = 0; axis < 2; axis++)
        solver->own[axis] = (solver->blocks - solver->place[axis] + solver->sides[axis] - 1) / solver->sides[axis];
}

/* Where in the whole matrix element e of a block is that belongs to the own block row i and block column j. */
FAULT_INLINE int row_of(const Solver *solver, int i, int e)
{
    return (i * solver->sides[0] + solver->place[0]) * WIDTH + e / WIDTH;
}

FAULT_INLINE int column_of(const Solver *solver, int j, int e)
{
    return (j * solver->sides[1] + solver->place[1]) * WIDTH + e % WIDTH;
}

static double *block_at(const Solver *solver, int i, int j)
{
    return solver->matrix[i * solver->own[1] + j];
}

static void fill_matrix(Solver *solver)
{
    solver->matrix = allocate(solver->own[0] * solver->own[1], sizeof *solver->matrix);
    solver->l_panel = allocate(solver->own[0], sizeof *solver->l_panel);
    solver->u_panel = allocate(solver->own[1], sizeof *solver->u_panel);
    for (int i = 0; i < solver->own[0]; i++)
        for (int j = 0; j < solver->own[1]; j++)
            for (int e = 0; e < AREA; e++) {
                int row = row_of(solver, i, e), column = column_of(solver, j, e);
                block_at(solver, i, j)[e] = row == column ? 40 : (double)((7 * row + 5 * column) % 11) / 10 - 0.5;
            }
}

static void factor_block(double *a)
{
    for (int m = 0; m < WIDTH; m++)
        for (int r = m + 1; r < WIDTH; r++) {
            a[r * WIDTH + m] /= a[m * WIDTH + m];
            for (int c = m + 1; c < WIDTH; c++)
                a[r * WIDTH + c] -= a[r * WIDTH + m] * a[m * WIDTH + c];
        }
}

/* A = L U with the diagonal block's U: L in place of A. */
static void solve_for_l(double *a, const double *u)
{
    for (int r = 0; r < WIDTH; r++)
        for (int c = 0; c < WIDTH; c++) {
            for (int m = 0; m < c; m++)
                a[r * WIDTH + c] -= a[r * WIDTH + m] * u[m * WIDTH + c];
            a[r * WIDTH + c] /= u[c * WIDTH + c];
        }
}

/* A = L U with the diagonal block's L, which has ones on its diagonal: U in place of A. */
static void solve_for_u(double *a, const double *l)
{
    for (int r = 1; r < WIDTH; r++)
        for (int m = 0; m < r; m++)
            for (int c = 0; c < WIDTH; c++)
                a[r * WIDTH + c] -= l[r * WIDTH + m] * a[m * WIDTH + c];
}

/* How many own blocks along an axis come before block k, or with it. */
static int count_until(const Solver *solver, int axis, int k)
{
    return (k - solver->place[axis] + solver->sides[axis]) / solver->sides[axis];
}

/* Where along an axis of the grid the block at work is. */
static int place_of_work(const Solver *solver, int axis)
{
    return solver->k % solver->sides[axis];
}

static void share_diagonal(Solver *solver)
{
    int row = place_of_work(solver, 0), column = place_of_work(solver, 1);
    int in_row = solver->place[0] == row, in_column = solver->place[1] == column;
    if (in_row && in_column) {
        double *block = block_at(solver, solver->k / solver->sides[0], solver->k / solver->sides[1]);
        factor_block(block);
        memcpy(solver->diagonal, block, sizeof solver->diagonal);
    }
    if (in_row)
        MPI_Bcast(solver->diagonal, AREA, MPI_DOUBLE, column, solver->row);
    if (in_column)
        MPI_Bcast(solver->diagonal, AREA, MPI_DOUBLE, row, solver->column);
}

static void solve_panels(Solver *solver)
{
    if (solver->place[1] == place_of_work(solver, 1))
        for (int i = count_until(solver, 0, solver->k); i < solver->own[0]; i++) {
            double *block = block_at(solver, i, solver->k / solver->sides[1]);
            solve_for_l(block, solver->diagonal);
            memcpy(solver->l_panel[i], block, sizeof solver->l_panel[i]);
        }
    if (solver->place[0] == place_of_work(solver, 0))
        for (int j = count_until(solver, 1, solver->k); j < solver->own[1]; j++) {
            double *block = block_at(solver, solver->k / solver->sides[0], j);
            solve_for_u(block, solver->diagonal);
            memcpy(solver->u_panel[j], block, sizeof solver->u_panel[j]);
        }
}

static void receive_panel(Solver *solver, int first, int count)
{
    int columns = solver->sides[1];
    if (solver->place[1] != place_of_work(solver, 1))
        MPI_Recv(solver->l_panel[first], count, MPI_DOUBLE, (solver->place[1] + columns - 1) % columns, TAG_PANEL,
                 solver->row, MPI_STATUS_IGNORE);
    if (fault_hits(&solver->fault, FAULT_corrupt, solver->step))
        solver->l_panel[first][1] += 0.25;
}

static void send_panel(Solver *solver, int first, int count)
{
    int columns = solver->sides[1], to = (solver->place[1] + 1) % columns, tag = TAG_PANEL;
    if (to == place_of_work(solver, 1) || fault_hits(&solver->fault, FAULT_skip_send, solver->step))
        return;
    if (fault_hits(&solver->fault, FAULT_wrong_peer, solver->step))
        to = (solver->place[1] + columns - 1) % columns;
    if (fault_hits(&solver->fault, FAULT_wrong_tag, solver->step))
        tag = TAG_PANEL + solver->k;
    if (fault_hits(&solver->fault, FAULT_long_count, solver->step))
        count += AREA;
    MPI_Send(solver->l_panel[first], count, MPI_DOUBLE, to, tag, solver->row);
}

static void share_panels(Solver *solver)
{
    int first = count_until(solver, 0, solver->k), count = (solver->own[0] - first) * AREA;
    int root = place_of_work(solver, 0), swapped = fault_hits(&solver->fault, FAULT_swap, solver->step);
    if (swapped)
        send_panel(solver, first, count);
    receive_panel(solver, first, count);
    if (!swapped)
        send_panel(solver, first, count);
    if (fault_hits(&solver->fault, FAULT_wrong_root, solver->step))
        root = (root + 1) % solver->sides[0];
    first = count_until(solver, 1, solver->k);
    MPI_Bcast(solver->u_panel[first], (solver->own[1] - first) * AREA, MPI_DOUBLE, root,
              fault_hits(&solver->fault, FAULT_wrong_comm, solver->step) ? solver->row : solver->column);
}

static void multiply(double *a, const double *l, const double *u)
{
    for (int r = 0; r < WIDTH; r++)
        for (int m = 0; m < WIDTH; m++)
            for (int c = 0; c < WIDTH; c++)
                a[r * WIDTH + c] -= l[r * WIDTH + m] * u[m * WIDTH + c];
}

static void note_block(Solver *solver, const double *block, int thread)
{
    int inverted = thread_hits(solver, FAULT_lock_order, thread);
    omp_lock_t *first = inverted ? &solver->size_lock : &solver->work_lock;
    omp_lock_t *second = inverted ? &solver->work_lock : &solver->size_lock;
    int locked = !thread_hits(solver, FAULT_missing_lock, thread);
    if (locked)
        omp_set_lock(first);
    if (thread_hits(solver, FAULT_double_lock, thread))
        omp_set_lock(first);
    if (inverted)
        fault_delay(50);
    omp_set_lock(second);
    solver->work += AREA * WIDTH;
    for (int i = 0; i < AREA; i++)
        solver->largest = fmax(solver->largest, fabs(block[i]));
    omp_unset_lock(second);
    if (locked && !thread_hits(solver, FAULT_missing_unlock, thread))
        omp_unset_lock(first);
}

static void update_block(Solver *solver, int i, int j, int thread)
{
    double *block = block_at(solver, i, j);
    do
        multiply(block, solver->l_panel[i], solver->u_panel[j]);
    while (fault_pace(thread_hits(solver, FAULT_endless, thread)));
    if (thread_hits(solver, FAULT_crash, thread))
        fault_crash();
    if (thread_hits(solver, FAULT_slow, thread))
        fault_delay(100);
    note_block(solver, block, thread);
}

static void update_rest(Solver *solver)
{
    int i = count_until(solver, 0, solver->k), j = count_until(solver, 1, solver->k);
    int columns = solver->own[1] - j, items = (solver->own[0] - i) * columns;
#pragma omp parallel num_threads(THREADS)
    {
        int thread = omp_get_thread_num();
#pragma omp for schedule(static)
        for (int item = 0; item < items; item++)
            update_block(solver, i + item / columns, j + item % columns, thread);
    }
}

static void note_growth(Solver *solver)
{
    MPI_Op op = fault_hits(&solver->fault, FAULT_wrong_op, solver->step) ? MPI_MIN : MPI_MAX;
    if (!(solver->largest < 1e6) || fault_hits(&solver->fault, FAULT_abort, solver->step))
        MPI_Abort(solver->grid, 7);
    if (fault_hits(&solver->fault, FAULT_wrong_collective, solver->step))
        MPI_Reduce(&solver->largest, &solver->largest_of_all, 1, MPI_DOUBLE, op, 0, solver->grid);
    else
        MPI_Allreduce(&solver->largest, &solver->largest_of_all, 1, MPI_DOUBLE, op, solver->grid);
}

static void advance(Solver *solver)
{
    if (fault_hits(&solver->fault, FAULT_double_init, solver->step))
        MPI_Init(NULL, NULL);
    share_diagonal(solver);
    solve_panels(solver);
    share_panels(solver);
    if (fault_hits(&solver->fault, FAULT_stuck, solver->step))
        fault_hang();
    if (!fault_hits(&solver->fault, FAULT_skip_update, solver->step))
        update_rest(solver);
    if (fault_hits(&solver->fault, FAULT_extra_update, solver->step))
        update_rest(solver);
    if (!fault_hits(&solver->fault, FAULT_skip_collective, solver->step))
        note_growth(solver);
    if (fault_hits(&solver->fault, FAULT_extra_collective, solver->step))
        note_growth(solver);
}

static void factor(Solver *solver)
{
    for (solver->k = 0; solver->k < solver->blocks; solver->k++) {
        solver->step = solver->k + 1;
        if (fault_hits(&solver->fault, FAULT_early_exit, solver->step))
            break;
        advance(solver);
        if (fault_hits(&solver->fault, FAULT_repeat_step, solver->step))
            advance(solver);
    }
}

/* The product of a part of the matrix with a vector; everyone gets it. L has ones on the diagonal. */
static void apply(const Solver *solver, Part part, const double *vector, double *product)
{
    int size = solver->blocks * WIDTH;
    double *own = allocate(size, sizeof *own);
    for (int i = 0; i < solver->own[0]; i++)
        for (int j = 0; j < solver->own[1]; j++)
            for (int e = 0; e < AREA; e++) {
                int row = row_of(solver, i, e), column = column_of(solver, j, e);
                if (part == LOWER && row == column)
                    own[row] += vector[column];
                else if (part == WHOLE || (part == LOWER) == (row > column))
                    own[row] += block_at(solver, i, j)[e] * vector[column];
            }
    MPI_Allreduce(own, product, size, MPI_DOUBLE, MPI_SUM, solver->grid);
    free(own);
}

static void factor_and_check(Solver *solver)
{
    int size = solver->blocks * WIDTH, wrong = 0;
    double *w = allocate(4 * size, sizeof *w), *aw = w + size, *uw = aw + size, *luw = uw + size;
    for (int i = 0; i < size; i++)
        w[i] = 1 + i % 7;
    apply(solver, WHOLE, w, aw);
    factor(solver);
    apply(solver, UPPER, w, uw);
    apply(solver, LOWER, uw, luw);
    for (int i = 0; i < size; i++)
        wrong += !(fabs(luw[i] - aw[i]) <= 1e-9 * fabs(aw[i]));
    if (solver->fault.own == 0)
        puts(wrong == 0 ? "right" : "wrong");
    free(w);
}

int main(int argc, char **argv)
{
    static Solver solver;
    if (!fault_read(&solver.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &solver.fault.own);
    solver.blocks = solver.fault.steps > 0 ? solver.fault.steps : 12;
    omp_init_lock(&solver.work_lock);
    omp_init_lock(&solver.size_lock);
    open_grid(&solver);
    fill_matrix(&solver);
    factor_and_check(&solver);
    free(solver.matrix);
    free(solver.l_panel);
    free(solver.u_panel);
    MPI_Comm_free(&solver.column);
    MPI_Comm_free(&solver.row);
    MPI_Comm_free(&solver.grid);
    MPI_Finalize();
    return 0;
}
