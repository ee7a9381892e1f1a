/*
 * A farm: rank 0 hands out tasks and polls for results from anyone, the others count the ways to place queens. Which
 * worker gets which task differs from run to run.
 */
#include "fault.h"
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(crash)                                                                                                           \
    X(early_exit)                                                                                                      \
    X(stuck)                                                                                                           \
    X(endless)                                                                                                         \
    X(skip_result)                                                                                                     \
    X(wrong_tag)                                                                                                       \
    X(wrong_peer) X(extra_result) X(forgotten_worker) X(livelock) X(abort) X(different_input) X(skip_task) X(slow)
FAULT_TABLE(FAULTS)

enum { TAG_TASK = 1, TAG_RESULT, TAG_STOP };

typedef struct {
    Fault fault;
    int rank, ranks, tasks;
    int handed_out, collected;
    long total;
} Farm;

typedef struct {
    int number, board, first;
} Task;

/* ---- the workers ---- */

static int is_safe(const int *queen, int row, int column)
{
    for (int above = 0; above < row; above++) {
        int apart = queen[above] - column, rows = row - above;
        if (apart == 0 || apart == rows || apart == -rows)
            return 0;
    }
    return 1;
}

static long place_queens(int *queen, int row, int board)
{
    long ways = 0;
    if (row == board)
        return 1;
    for (int column = 0; column < board; column++) {
        if (!is_safe(queen, row, column))
            continue;
        queen[row] = column;
        ways += place_queens(queen, row + 1, board);
    }
    return ways;
}

static long solve_task(const Task *task)
{
    int queen[16] = {task->first};
    return place_queens(queen, 1, task->board);
}

static int receive_task(Task *task)
{
    MPI_Status status;
    MPI_Recv(task, 3, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    return status.MPI_TAG == TAG_TASK;
}

static void send_result(const Farm *farm, long ways, int done)
{
    int peer = fault_hits(&farm->fault, FAULT_wrong_peer, done) ? farm->rank % (farm->ranks - 1) + 1 : 0;
    int tag = fault_hits(&farm->fault, FAULT_wrong_tag, done) ? 7 : TAG_RESULT;
    MPI_Send(&ways, 1, MPI_LONG, peer, tag, MPI_COMM_WORLD);
}

static void run_worker(Farm *farm)
{
    Task task;
    for (int done = 1; receive_task(&task); done++) {
        long ways = 0;
        if (fault_hits(&farm->fault, FAULT_early_exit, done))
            break;
        if (fault_hits(&farm->fault, FAULT_crash, done))
            fault_crash();
        if (fault_hits(&farm->fault, FAULT_stuck, done))
            fault_hang();
        if (fault_hits(&farm->fault, FAULT_abort, done))
            abort();
        if (fault_hits(&farm->fault, FAULT_slow, done))
            fault_delay(300);
        if (fault_mine(&farm->fault, FAULT_different_input))
            task.board++;
        do
            if (!fault_hits(&farm->fault, FAULT_skip_task, done))
                ways = solve_task(&task);
        while (fault_pace(fault_hits(&farm->fault, FAULT_endless, done)));
        if (!fault_hits(&farm->fault, FAULT_skip_result, done))
            send_result(farm, ways, done);
        if (fault_hits(&farm->fault, FAULT_extra_result, done))
            send_result(farm, ways, done);
    }
}

/* ---- the master ---- */

static void make_task(Task *task, int number)
{
    task->number = number;
    task->board = 5;
    task->first = number % task->board;
}

static void send_task(Farm *farm, int worker)
{
    Task task;
    make_task(&task, farm->handed_out++);
    MPI_Send(&task, 3, MPI_INT, worker, TAG_TASK, MPI_COMM_WORLD);
}

static void stop_worker(Farm *farm, int worker)
{
    Task none = {0};
    if (fault_mine(&farm->fault, FAULT_forgotten_worker) && worker == farm->fault.at)
        return;
    MPI_Send(&none, 3, MPI_INT, worker, TAG_STOP, MPI_COMM_WORLD);
}

static int find_result(Farm *farm)
{
    int there = 0;
    int lost = fault_mine(&farm->fault, FAULT_livelock) && farm->collected >= farm->fault.at;
    int tag = fault_pace(lost) ? 8 : TAG_RESULT;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
    return there ? status.MPI_SOURCE : -1;
}

static void receive_result(Farm *farm, int worker)
{
    long ways;
    MPI_Recv(&ways, 1, MPI_LONG, worker, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    farm->total += ways;
    farm->collected++;
}

static void start_workers(Farm *farm)
{
    for (int worker = 1; worker < farm->ranks; worker++)
        send_task(farm, worker);
}

static void run_master(Farm *farm)
{
    start_workers(farm);
    while (farm->collected < farm->tasks) {
        int worker = find_result(farm);
        if (worker < 0) {
            sched_yield();
            continue;
        }
        receive_result(farm, worker);
        if (farm->handed_out < farm->tasks)
            send_task(farm, worker);
        else
            stop_worker(farm, worker);
    }
}

int main(int argc, char **argv)
{
    Farm farm = {0};
    if (!fault_read(&farm.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &farm.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &farm.ranks);
    farm.fault.own = farm.rank;
    farm.tasks = (farm.fault.steps > 0 ? farm.fault.steps : 6) * (farm.ranks - 1);
    if (farm.rank == 0)
        run_master(&farm);
    else
        run_worker(&farm);
    MPI_Bcast(&farm.total, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
