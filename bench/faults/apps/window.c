/*
 * A cellular automaton with one-sided communication: every rank puts its edge cells into its neighbours' window between
 * two fences. A counter at rank 0 is raised under a lock, and a histogram there is filled by MPI_Accumulate.
 */
#include "fault.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS(X)                                                                                                      \
    X(skip_fence)                                                                                                      \
    X(extra_fence)                                                                                                     \
    X(skip_put)                                                                                                        \
    X(wrong_peer)                                                                                                      \
    X(wrong_place)                                                                                                     \
    X(missing_unlock)                                                                                                  \
    X(crash)                                                                                                           \
    X(early_exit)                                                                                                      \
    X(abort) X(endless) X(stuck) X(wrong_op) X(wrong_order) X(double_init) X(slow) X(corrupt_edge) X(short_count)
FAULT_TABLE(FAULTS)

enum { BINS = 4, EDGE = 2 };

typedef struct {
    Fault fault;
    int rank, ranks, n, step;
    int *cells, *next; /* n cells and EDGE more on each side */
    int *edges;        /* the window: what the neighbours have put */
    int *counter;      /* the other one, used at rank 0: a counter and BINS numbers */
    MPI_Win edge_window, counter_window;
} Ring;

static void fill_cells(Ring *ring)
{
    for (int i = 0; i < ring->n; i++)
        ring->cells[EDGE + i] = (i * 5 + ring->rank * 3) % 7 < 3;
}

static void allocate_cells(Ring *ring)
{
    size_t width = (size_t)ring->n + 2 * EDGE;
    ring->cells = calloc(2 * width + 2 * EDGE + 1 + BINS, sizeof(int));
    if (ring->cells == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    ring->next = ring->cells + width;
    ring->edges = ring->next + width;
    ring->counter = ring->edges + 2 * EDGE;
}

static void create_windows(Ring *ring)
{
    MPI_Win_create(ring->edges, 2 * EDGE * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &ring->edge_window);
    MPI_Win_create(ring->counter, (1 + BINS) * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &ring->counter_window);
}

static void free_windows(Ring *ring)
{
    MPI_Win_free(&ring->edge_window);
    MPI_Win_free(&ring->counter_window);
}

static void put_edge(Ring *ring, int neighbour, const int *cells, int place)
{
    int count = EDGE;
    if (fault_hits(&ring->fault, FAULT_wrong_peer, ring->step))
        neighbour = (neighbour + 1) % ring->ranks;
    if (fault_hits(&ring->fault, FAULT_wrong_place, ring->step))
        place = place == 0 ? EDGE : 0;
    if (fault_hits(&ring->fault, FAULT_short_count, ring->step))
        count--;
    MPI_Put(cells, count, MPI_INT, neighbour, place, count, MPI_INT, ring->edge_window);
}

static void put_edges(Ring *ring)
{
    int left = (ring->rank + ring->ranks - 1) % ring->ranks, right = (ring->rank + 1) % ring->ranks;
    if (fault_hits(&ring->fault, FAULT_corrupt_edge, ring->step))
        ring->cells[ring->n] = 64;
    put_edge(ring, left, &ring->cells[EDGE], EDGE);
    if (!fault_hits(&ring->fault, FAULT_skip_put, ring->step))
        put_edge(ring, right, &ring->cells[ring->n], 0);
}

static void exchange_edges(Ring *ring)
{
    MPI_Win_fence(0, ring->edge_window);
    put_edges(ring);
    if (!fault_hits(&ring->fault, FAULT_skip_fence, ring->step))
        MPI_Win_fence(0, ring->edge_window);
    if (fault_hits(&ring->fault, FAULT_extra_fence, ring->step))
        MPI_Win_fence(0, ring->edge_window);
    memcpy(ring->cells, ring->edges, EDGE * sizeof(int));
    memcpy(&ring->cells[ring->n + EDGE], ring->edges + EDGE, EDGE * sizeof(int));
}

static int count_alive(const int *cell)
{
    return cell[-2] + cell[-1] + cell[1] + cell[2];
}

static int split_cell(int value)
{
    return value / 2;
}

static int update_cell(Ring *ring, int i)
{
    int alive = count_alive(&ring->cells[i]);
    while (alive > 4 || fault_pace(fault_hits(&ring->fault, FAULT_endless, ring->step)))
        alive = split_cell(alive);
    return alive == 2 || (alive == 3 && ring->cells[i]);
}

static int update_cells(Ring *ring)
{
    int alive = 0;
    if (fault_hits(&ring->fault, FAULT_crash, ring->step))
        fault_crash();
    for (int i = EDGE; i < ring->n + EDGE; i++)
        alive += ring->next[i] = update_cell(ring, i);
    memcpy(&ring->cells[EDGE], &ring->next[EDGE], (size_t)ring->n * sizeof(int));
    return alive;
}

static void report_alive(Ring *ring, int alive)
{
    MPI_Op operation = fault_hits(&ring->fault, FAULT_wrong_op, ring->step) ? MPI_REPLACE : MPI_SUM;
    int one = 1, before;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, ring->counter_window);
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, ring->counter_window);
    MPI_Accumulate(&alive, 1, MPI_INT, 0, 1 + ring->step % BINS, 1, MPI_INT, operation, ring->counter_window);
    if (!fault_hits(&ring->fault, FAULT_missing_unlock, ring->step))
        MPI_Win_unlock(0, ring->counter_window);
}

static void do_step(Ring *ring)
{
    int alive;
    if (fault_hits(&ring->fault, FAULT_stuck, ring->step))
        fault_hang();
    if (fault_hits(&ring->fault, FAULT_abort, ring->step))
        abort();
    if (fault_hits(&ring->fault, FAULT_slow, ring->step))
        fault_delay(300);
    if (fault_hits(&ring->fault, FAULT_wrong_order, ring->step)) {
        alive = update_cells(ring);
        exchange_edges(ring);
    } else {
        exchange_edges(ring);
        alive = update_cells(ring);
    }
    if (ring->step % 4 == 0)
        report_alive(ring, alive);
}

int main(int argc, char **argv)
{
    Ring ring = {0};
    if (!fault_read(&ring.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ring.ranks);
    ring.fault.own = ring.rank;
    ring.n = ring.fault.size > 0 ? ring.fault.size : 12;
    allocate_cells(&ring);
    fill_cells(&ring);
    create_windows(&ring);
    if (fault_mine(&ring.fault, FAULT_double_init))
        create_windows(&ring);
    int steps = ring.fault.steps > 0 ? ring.fault.steps : 20;
    for (ring.step = 1; ring.step <= steps; ring.step++) {
        if (fault_hits(&ring.fault, FAULT_early_exit, ring.step))
            break;
        do_step(&ring);
    }
    free_windows(&ring);
    free(ring.cells);
    MPI_Finalize();
    return 0;
}
