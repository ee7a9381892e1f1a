/*
 * Sample sort, several rounds: every rank sorts its keys, rank 0 chooses splitters from samples of all, the keys go to
 * their ranks by MPI_Alltoallv. Neighbours show each other their last keys, and the whole is verified.
 */
#include "fault.h"
#include <mpi.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(skip_call)                                                                                                       \
    X(extra_call)                                                                                                      \
    X(early_exit)                                                                                                      \
    X(endless)                                                                                                         \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(wrong_peer)                                                                                                      \
    X(wrong_tag)                                                                                                       \
    X(wrong_root)                                                                                                      \
    X(wrong_op)                                                                                                        \
    X(long_count)                                                                                                      \
    X(skip_collective)                                                                                                 \
    X(extra_collective)                                                                                                \
    X(wrong_collective) X(mismatch) X(swap) X(livelock) X(corrupt) X(wrong_order) X(different_input)
FAULT_TABLE(FAULTS)

enum { SAMPLES = 4, SHOWN = 5, TAG_EDGE = 7 };

typedef struct {
    Fault fault;
    int rank, ranks, round, keys, received;
    unsigned seed;
    int *key, *sorted; /* before and after the exchange */
    int *sample, *splitter;
    int *send_count, *send_offset, *recv_count, *recv_offset;
    int edge[SHOWN], edges, first_position;
} Sorter;

static int *allocate(int count)
{
    int *memory = calloc((size_t)count + 1, sizeof(int));
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void allocate_sorter(Sorter *sorter)
{
    int ranks = sorter->ranks;
    sorter->key = allocate(sorter->keys);
    sorter->sample = allocate(SAMPLES * ranks);
    sorter->splitter = allocate(ranks);
    sorter->send_count = allocate(4 * ranks);
    sorter->send_offset = sorter->send_count + ranks;
    sorter->recv_count = sorter->send_offset + ranks;
    sorter->recv_offset = sorter->recv_count + ranks;
}

static void free_sorter(Sorter *sorter)
{
    free(sorter->key);
    free(sorter->sample);
    free(sorter->splitter);
    free(sorter->send_count);
}

static int draw_key(Sorter *sorter)
{
    sorter->seed = sorter->seed * 1103515245u + 12345u;
    return (int)(sorter->seed >> 8 & 0xffff);
}

static void draw_keys(Sorter *sorter)
{
    for (int i = 0; i < sorter->keys; i++)
        sorter->key[i] = draw_key(sorter);
}

static void merge(const int *key, int *to, int middle, int count)
{
    for (int i = 0, a = 0, b = middle; i < count; i++)
        to[i] = b == count || (a < middle && key[a] <= key[b]) ? key[a++] : key[b++];
}

static void merge_sort(int *key, int *spare, int count)
{
    if (count < 2)
        return;
    merge_sort(key, spare, count / 2);
    merge_sort(key + count / 2, spare, count - count / 2);
    merge(key, spare, count / 2, count);
    for (int i = 0; i < count; i++)
        key[i] = spare[i];
}

static void sort_keys(Sorter *sorter, int *key, int count)
{
    int *spare = allocate(count);
    do
        merge_sort(key, spare, count);
    while (fault_pace(fault_hits(&sorter->fault, FAULT_endless, sorter->round)));
    if (fault_hits(&sorter->fault, FAULT_crash, sorter->round))
        fault_crash();
    free(spare);
}

static void choose_splitters(Sorter *sorter)
{
    int own[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        own[i] = sorter->key[(2 * i + 1) * sorter->keys / (2 * SAMPLES)];
    int root = fault_hits(&sorter->fault, FAULT_wrong_root, sorter->round) ? sorter->rank : 0;
    MPI_Gather(own, SAMPLES, MPI_INT, sorter->sample, SAMPLES, MPI_INT, root, MPI_COMM_WORLD);
    if (sorter->rank == 0) {
        sort_keys(sorter, sorter->sample, SAMPLES * sorter->ranks);
        for (int i = 1; i < sorter->ranks; i++)
            sorter->splitter[i - 1] = sorter->sample[SAMPLES * i];
    }
    if (fault_hits(&sorter->fault, FAULT_mismatch, sorter->round))
        MPI_Barrier(MPI_COMM_WORLD);
    else if (!fault_hits(&sorter->fault, FAULT_skip_collective, sorter->round))
        MPI_Bcast(sorter->splitter, sorter->ranks - 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (fault_hits(&sorter->fault, FAULT_corrupt, sorter->round))
        sorter->splitter[sorter->ranks / 2] = 0;
}

static int find_bucket(const Sorter *sorter, int key)
{
    int low = 0, high = sorter->ranks - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (key < sorter->splitter[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void count_keys(Sorter *sorter)
{
    for (int i = 0; i < sorter->ranks; i++)
        sorter->send_count[i] = 0;
    for (int i = 0; i < sorter->keys; i++)
        sorter->send_count[find_bucket(sorter, sorter->key[i])]++;
    MPI_Alltoall(sorter->send_count, 1, MPI_INT, sorter->recv_count, 1, MPI_INT, MPI_COMM_WORLD);
    if (fault_hits(&sorter->fault, FAULT_extra_collective, sorter->round))
        MPI_Alltoall(sorter->send_count, 1, MPI_INT, sorter->recv_count, 1, MPI_INT, MPI_COMM_WORLD);
}

static int sum_up(const int *count, int *offset, int ranks)
{
    int sum = 0;
    for (int i = 0; i < ranks; i++) {
        offset[i] = sum;
        sum += count[i];
    }
    return sum;
}

static void exchange_keys(Sorter *sorter)
{
    sum_up(sorter->send_count, sorter->send_offset, sorter->ranks);
    sorter->received = sum_up(sorter->recv_count, sorter->recv_offset, sorter->ranks);
    sorter->sorted = allocate(sorter->received);
    if (fault_hits(&sorter->fault, FAULT_long_count, sorter->round)) {
        sorter->send_offset[0] = 0;
        sorter->send_count[0] = sorter->keys;
    }
    MPI_Alltoallv(sorter->key, sorter->send_count, sorter->send_offset, MPI_INT, sorter->sorted, sorter->recv_count,
                  sorter->recv_offset, MPI_INT, MPI_COMM_WORLD);
}

static void send_edge(Sorter *sorter)
{
    int count = sorter->received < SHOWN ? sorter->received : SHOWN, to = sorter->rank + 1, tag = TAG_EDGE;
    if (to == sorter->ranks)
        to = MPI_PROC_NULL;
    if (fault_hits(&sorter->fault, FAULT_wrong_peer, sorter->round))
        to = sorter->rank - 1;
    if (fault_hits(&sorter->fault, FAULT_wrong_tag, sorter->round))
        tag = sorter->round;
    MPI_Send(sorter->sorted + sorter->received - count, count, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static int wait_for_edge(Sorter *sorter)
{
    MPI_Status status;
    int count, there;
    while (fault_pace(fault_hits(&sorter->fault, FAULT_livelock, sorter->round)))
        MPI_Iprobe(sorter->rank - 1, TAG_EDGE + 1, MPI_COMM_WORLD, &there, &status);
    MPI_Probe(sorter->rank - 1, TAG_EDGE, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    return count;
}

static void receive_edge(Sorter *sorter)
{
    sorter->edges = 0;
    if (sorter->rank == 0)
        return;
    sorter->edges = wait_for_edge(sorter);
    MPI_Recv(sorter->edge, sorter->edges, MPI_INT, sorter->rank - 1, TAG_EDGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Even ranks send first, odd ones receive first. */
static void exchange_edges(Sorter *sorter)
{
    int first = sorter->rank % 2 == 0;
    if (fault_hits(&sorter->fault, FAULT_swap, sorter->round))
        first = !first;
    if (first)
        send_edge(sorter);
    receive_edge(sorter);
    if (!first)
        send_edge(sorter);
}

static int count_inversions(const Sorter *sorter)
{
    int inversions = 0;
    for (int i = 1; i < sorter->received; i++)
        inversions += sorter->sorted[i - 1] > sorter->sorted[i];
    if (sorter->received > 0 && sorter->edges > 0)
        inversions += sorter->edge[sorter->edges - 1] > sorter->sorted[0];
    return inversions;
}

static void verify(Sorter *sorter)
{
    int inversions = count_inversions(sorter), all = 0;
    int wrong_op = fault_hits(&sorter->fault, FAULT_wrong_op, sorter->round);
    if (fault_hits(&sorter->fault, FAULT_abort, sorter->round))
        abort();
    if (fault_hits(&sorter->fault, FAULT_wrong_collective, sorter->round))
        MPI_Exscan(&sorter->received, &sorter->first_position, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Scan(&sorter->received, &sorter->first_position, 1, MPI_INT, wrong_op ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    sorter->first_position -= sorter->received;
    MPI_Reduce(&inversions, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void sort_round(Sorter *sorter)
{
    draw_keys(sorter);
    if (!fault_hits(&sorter->fault, FAULT_skip_call, sorter->round))
        sort_keys(sorter, sorter->key, sorter->keys);
    choose_splitters(sorter);
    count_keys(sorter);
    exchange_keys(sorter);
    if (fault_hits(&sorter->fault, FAULT_stuck, sorter->round))
        fault_hang();
    if (fault_hits(&sorter->fault, FAULT_wrong_order, sorter->round)) {
        exchange_edges(sorter);
        sort_keys(sorter, sorter->sorted, sorter->received);
    } else {
        sort_keys(sorter, sorter->sorted, sorter->received);
        exchange_edges(sorter);
    }
    if (fault_hits(&sorter->fault, FAULT_extra_call, sorter->round))
        exchange_edges(sorter);
    verify(sorter);
    free(sorter->sorted);
}

int main(int argc, char **argv)
{
    Sorter sorter = {0};
    if (!fault_read(&sorter.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &sorter.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &sorter.ranks);
    sorter.fault.own = sorter.rank;
    sorter.seed = 17u + 101u * (unsigned)sorter.rank;
    sorter.keys = sorter.fault.size > 0 ? sorter.fault.size : 32;
    if (fault_mine(&sorter.fault, FAULT_different_input))
        sorter.keys *= 2;
    allocate_sorter(&sorter);
    int rounds = sorter.fault.steps > 0 ? sorter.fault.steps : 10;
    for (sorter.round = 1; sorter.round <= rounds; sorter.round++) {
        if (fault_hits(&sorter.fault, FAULT_early_exit, sorter.round))
            break;
        sort_round(&sorter);
    }
    free_sorter(&sorter);
    MPI_Finalize();
    return 0;
}
