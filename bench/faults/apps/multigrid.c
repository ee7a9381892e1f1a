/*
 * A multigrid on a grid of ranks with a communicator per row and one per column: V-cycles that exchange with the next
 * rank of the row and of the column on every level, a coarsest level solved within the row and handed down the column.
 * The smoother is a library of its own (smoother.c).
 */
#include "fault.h"
#include "smoother.h"
#include <mpi.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(wrong_comm)                                                                                                      \
    X(wrong_root)                                                                                                      \
    X(wrong_op)                                                                                                        \
    X(skip_smooth)                                                                                                     \
    X(extra_level)                                                                                                     \
    X(skip_collective)                                                                                                 \
    X(extra_collective)                                                                                                \
    X(wrong_collective) X(crash) X(early_exit) X(endless) X(double_init) X(corrupt_coarse) X(abort) X(swap) X(stuck)
FAULT_TABLE(FAULTS)

enum { LEVELS = 4, COARSEST = 4 };

typedef struct {
    int cells;
    double *values, *right;
} Level;

typedef struct {
    Fault fault;
    int rank, ranks, columns, cycle;
    MPI_Comm row, column;
    Level level[LEVELS + 1];
} Grid;

static void split_grid(Grid *grid)
{
    grid->columns = 1;
    while (4 * grid->columns * grid->columns <= grid->ranks && grid->ranks % (2 * grid->columns) == 0)
        grid->columns *= 2;
    MPI_Comm_split(MPI_COMM_WORLD, grid->rank / grid->columns, grid->rank, &grid->row);
    MPI_Comm_split(MPI_COMM_WORLD, grid->rank % grid->columns, grid->rank, &grid->column);
}

static void make_levels(Grid *grid)
{
    for (int i = 0; i <= LEVELS; i++) {
        Level *level = &grid->level[i];
        level->cells = COARSEST << (LEVELS - i);
        level->values = calloc(2 * (size_t)level->cells, sizeof(double));
        if (level->values == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
        level->right = level->values + level->cells;
    }
    for (int i = 0; i < grid->level[0].cells; i++)
        grid->level[0].right[i] = (double)((i + grid->rank * 3) % 5) - 2;
}

static void free_levels(Grid *grid)
{
    for (int i = 0; i <= LEVELS; i++)
        free(grid->level[i].values);
}

/* Ends are exchanged around the ring of a communicator. */
static void exchange_ring(Grid *grid, Level *level, MPI_Comm ring)
{
    int own, ranks;
    MPI_Comm_rank(ring, &own);
    MPI_Comm_size(ring, &ranks);
    int next = (own + 1) % ranks, previous = (own + ranks - 1) % ranks;
    double *ends = level->values;
    if (fault_hits(&grid->fault, FAULT_swap, grid->cycle) && level->cells == COARSEST) {
        MPI_Recv(&ends[0], 1, MPI_DOUBLE, previous, 0, ring, MPI_STATUS_IGNORE);
        MPI_Send(&ends[level->cells - 2], 1, MPI_DOUBLE, next, 0, ring);
    } else if (own % 2 == 0) {
        MPI_Send(&ends[level->cells - 2], 1, MPI_DOUBLE, next, 0, ring);
        MPI_Recv(&ends[0], 1, MPI_DOUBLE, previous, 0, ring, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&ends[0], 1, MPI_DOUBLE, previous, 0, ring, MPI_STATUS_IGNORE);
        MPI_Send(&ends[level->cells - 2], 1, MPI_DOUBLE, next, 0, ring);
    }
}

static void smooth_level(Grid *grid, Level *level)
{
    exchange_ring(grid, level, grid->row);
    exchange_ring(grid, level, grid->column);
    if (!fault_hits(&grid->fault, FAULT_skip_smooth, grid->cycle))
        smoother_relax(level->values, level->right, level->cells);
}

static void restrict_level(const Level *fine, Level *coarse)
{
    for (int i = 0; i < coarse->cells; i++) {
        coarse->values[i] = 0;
        coarse->right[i] = 0.5 * (fine->right[2 * i] + fine->right[2 * i + 1]);
    }
}

static void prolong_level(const Level *coarse, Level *fine)
{
    for (int i = 0; i < fine->cells; i++)
        fine->values[i] += 0.1 * coarse->values[i / 2];
}

static int refine_solution(double *value, double right)
{
    double before = *value;
    *value = 0.5 * (*value + right);
    return before - *value > 1e-6 || *value - before > 1e-6;
}

static void solve_coarsest(Grid *grid, Level *level)
{
    double own = smoother_norm(level->right, level->cells), sum = own;
    if (fault_hits(&grid->fault, FAULT_crash, grid->cycle))
        fault_crash();
    if (fault_hits(&grid->fault, FAULT_stuck, grid->cycle))
        fault_hang();
    if (fault_hits(&grid->fault, FAULT_wrong_collective, grid->cycle))
        MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, grid->row);
    else
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE,
                      fault_hits(&grid->fault, FAULT_wrong_op, grid->cycle) ? MPI_MAX : MPI_SUM,
                      fault_hits(&grid->fault, FAULT_wrong_comm, grid->cycle) ? grid->column : grid->row);
    if (fault_hits(&grid->fault, FAULT_corrupt_coarse, grid->cycle))
        sum = -1e9;
    while (refine_solution(&level->values[0], sum) ||
           fault_pace(fault_hits(&grid->fault, FAULT_endless, grid->cycle))) {
    }
}

static void hand_down(Grid *grid, Level *level)
{
    int root = fault_hits(&grid->fault, FAULT_wrong_root, grid->cycle) ? 1 : 0;
    if (!fault_hits(&grid->fault, FAULT_skip_collective, grid->cycle))
        MPI_Bcast(level->values, level->cells, MPI_DOUBLE, root, grid->column);
    if (fault_hits(&grid->fault, FAULT_extra_collective, grid->cycle))
        MPI_Bcast(level->values, level->cells, MPI_DOUBLE, root, grid->column);
}

static void v_cycle(Grid *grid, int depth, int levels)
{
    Level *level = &grid->level[depth];
    if (depth == levels) {
        solve_coarsest(grid, level);
        hand_down(grid, level);
        return;
    }
    smooth_level(grid, level);
    restrict_level(level, level + 1);
    v_cycle(grid, depth + 1, levels);
    prolong_level(level + 1, level);
    smooth_level(grid, level);
}

static double find_residual(Grid *grid)
{
    double own = smoother_norm(grid->level[0].values, grid->level[0].cells), largest;
    if (fault_hits(&grid->fault, FAULT_abort, grid->cycle))
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Allreduce(&own, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

static void run_cycles(Grid *grid, int cycles)
{
    int levels = LEVELS - 1;
    for (grid->cycle = 1; grid->cycle <= cycles; grid->cycle++) {
        if (fault_hits(&grid->fault, FAULT_early_exit, grid->cycle))
            break;
        v_cycle(grid, 0, levels + fault_hits(&grid->fault, FAULT_extra_level, grid->cycle));
        find_residual(grid);
    }
}

int main(int argc, char **argv)
{
    Grid grid = {0};
    if (!fault_read(&grid.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &grid.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &grid.ranks);
    grid.fault.own = grid.rank;
    split_grid(&grid);
    if (fault_mine(&grid.fault, FAULT_double_init))
        split_grid(&grid);
    make_levels(&grid);
    run_cycles(&grid, grid.fault.steps > 0 ? grid.fault.steps : 10);
    free_levels(&grid);
    MPI_Comm_free(&grid.row);
    MPI_Comm_free(&grid.column);
    MPI_Finalize();
    return 0;
}
