/*
 * A pipeline of filters: rank 0 produces blocks, every rank filters them and passes them on, the last one adds them up.
 * A few receives are open at once and taken by MPI_Waitany; the receiver returns a credit for every block.
 */
#include "fault.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS(X)                                                                                                      \
    X(skip_item)                                                                                                       \
    X(early_exit)                                                                                                      \
    X(crash)                                                                                                           \
    X(stuck)                                                                                                           \
    X(endless)                                                                                                         \
    X(missing_wait)                                                                                                    \
    X(wrong_tag)                                                                                                       \
    X(wrong_peer) X(extra_send) X(leaked_request) X(lost_credit) X(abort) X(slow) X(wrong_order) X(skip_filter)
FAULT_TABLE(FAULTS)

enum { WINDOW = 3, LENGTH = 16, TAG_BLOCK = 100, TAG_CREDIT = 500 };

typedef struct {
    Fault fault;
    int rank, ranks, items;
    int credits; /* blocks that the next one can still take */
    double open[WINDOW][LENGTH], block[LENGTH], sent[LENGTH];
    MPI_Request request[WINDOW], sending;
    int expected[WINDOW]; /* the item that is to come into each slot */
    double total;
} Stage;

static void open_receive(Stage *stage, int slot)
{
    MPI_Irecv(stage->open[slot], LENGTH, MPI_DOUBLE, stage->rank - 1, TAG_BLOCK + slot, MPI_COMM_WORLD,
              &stage->request[slot]);
}

static void open_window(Stage *stage)
{
    for (int slot = 0; slot < WINDOW; slot++) {
        stage->request[slot] = MPI_REQUEST_NULL;
        stage->expected[slot] = slot;
        if (slot < stage->items)
            open_receive(stage, slot);
    }
}

static void return_credit(const Stage *stage, int item)
{
    int credit = item;
    if (!fault_hits(&stage->fault, FAULT_lost_credit, item))
        MPI_Send(&credit, 1, MPI_INT, stage->rank - 1, TAG_CREDIT, MPI_COMM_WORLD);
}

static void await_credit(Stage *stage)
{
    int credit;
    MPI_Recv(&credit, 1, MPI_INT, stage->rank + 1, TAG_CREDIT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    stage->credits++;
}

static void produce_block(Stage *stage, int item)
{
    for (int i = 0; i < LENGTH; i++)
        stage->block[i] = (double)((item * 7 + i * 3) % 10);
}

static void take_block(Stage *stage, int item)
{
    int slot;
    MPI_Waitany(WINDOW, stage->request, &slot, MPI_STATUS_IGNORE);
    if (slot == MPI_UNDEFINED)
        MPI_Abort(MPI_COMM_WORLD, 5);
    memcpy(stage->block, stage->open[slot], sizeof stage->block);
    stage->expected[slot] += WINDOW;
    if (stage->expected[slot] < stage->items)
        open_receive(stage, slot);
    return_credit(stage, item);
}

static void scale_block(Stage *stage)
{
    for (int i = 0; i < LENGTH; i++)
        stage->block[i] = 0.5 * stage->block[i] + 1;
}

static void smooth_block(Stage *stage)
{
    for (int i = 1; i < LENGTH; i++)
        stage->block[i] = 0.5 * (stage->block[i] + stage->block[i - 1]);
}

static void filter_block(Stage *stage, int item)
{
    if (fault_hits(&stage->fault, FAULT_wrong_order, item)) {
        smooth_block(stage);
        scale_block(stage);
        return;
    }
    scale_block(stage);
    do
        smooth_block(stage);
    while (fault_pace(fault_hits(&stage->fault, FAULT_endless, item)));
}

static void finish_send(Stage *stage)
{
    MPI_Wait(&stage->sending, MPI_STATUS_IGNORE);
}

static void pass_block(Stage *stage, int item)
{
    int peer = stage->rank + 1, tag = TAG_BLOCK + item % WINDOW;
    if (fault_hits(&stage->fault, FAULT_wrong_tag, item))
        tag = TAG_BLOCK + WINDOW;
    if (fault_hits(&stage->fault, FAULT_wrong_peer, item))
        peer = (stage->rank + 2) % stage->ranks;
    if (stage->credits == 0)
        await_credit(stage);
    memcpy(stage->sent, stage->block, sizeof stage->sent);
    MPI_Isend(stage->sent, LENGTH, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, &stage->sending);
    stage->credits--;
    if (fault_hits(&stage->fault, FAULT_leaked_request, item))
        MPI_Irecv(stage->open[0], LENGTH, MPI_DOUBLE, stage->rank, 9, MPI_COMM_WORLD, &stage->sending);
    if (!fault_hits(&stage->fault, FAULT_missing_wait, item) && !fault_hits(&stage->fault, FAULT_leaked_request, item))
        finish_send(stage);
}

static void consume_block(Stage *stage)
{
    for (int i = 0; i < LENGTH; i++)
        stage->total += stage->block[i];
}

static void handle_item(Stage *stage, int item)
{
    if (stage->rank == 0)
        produce_block(stage, item);
    else
        take_block(stage, item);
    if (fault_hits(&stage->fault, FAULT_crash, item))
        fault_crash();
    if (fault_hits(&stage->fault, FAULT_stuck, item))
        fault_hang();
    if (fault_hits(&stage->fault, FAULT_abort, item))
        MPI_Abort(MPI_COMM_WORLD, 6);
    if (fault_hits(&stage->fault, FAULT_slow, item))
        fault_delay(300);
    if (!fault_hits(&stage->fault, FAULT_skip_filter, item))
        filter_block(stage, item);
    if (fault_hits(&stage->fault, FAULT_skip_item, item))
        return;
    if (stage->rank + 1 == stage->ranks)
        consume_block(stage);
    else
        pass_block(stage, item);
    if (fault_hits(&stage->fault, FAULT_extra_send, item) && stage->rank + 1 < stage->ranks)
        pass_block(stage, item);
}

/* The credits that are still on their way. */
static void drain_credits(Stage *stage)
{
    while (stage->credits < WINDOW)
        await_credit(stage);
}

static void run_stage(Stage *stage)
{
    if (stage->rank > 0)
        open_window(stage);
    for (int item = 0; item < stage->items; item++) {
        if (fault_hits(&stage->fault, FAULT_early_exit, item))
            break;
        handle_item(stage, item);
    }
    if (stage->rank + 1 < stage->ranks)
        drain_credits(stage);
}

int main(int argc, char **argv)
{
    Stage stage = {0};
    if (!fault_read(&stage.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &stage.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &stage.ranks);
    stage.fault.own = stage.rank;
    stage.items = stage.fault.steps > 0 ? stage.fault.steps : 18;
    stage.credits = WINDOW;
    run_stage(&stage);
    MPI_Bcast(&stage.total, 1, MPI_DOUBLE, stage.ranks - 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
