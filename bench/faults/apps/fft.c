/*
 * A Fourier transform over 2^d ranks: butterflies within a rank, then d stages with the rank that differs in one bit.
 * Forward and back again, some times over; rank 0 gathers the spectrum's power.
 */
#include "fault.h"
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS(X)                                                                                                      \
    X(wrong_peer)                                                                                                      \
    X(skip_stage)                                                                                                      \
    X(extra_stage)                                                                                                     \
    X(swap)                                                                                                            \
    X(wrong_tag)                                                                                                       \
    X(long_count)                                                                                                      \
    X(early_exit)                                                                                                      \
    X(crash)                                                                                                           \
    X(abort) X(endless) X(stuck) X(wrong_call) X(skip_call) X(wrong_root) X(skip_collective) X(livelock) X(short_count)
FAULT_TABLE(FAULTS)

typedef struct {
    Fault fault;
    int rank, ranks, n, bits, round;
    double complex *own, *other, *memory;
    double power;
} Transform;

static int allocate_points(Transform *transform)
{
    transform->memory = calloc(2 * (size_t)transform->n + 4, sizeof(double complex));
    transform->own = transform->memory;
    transform->other = transform->memory + transform->n + 2;
    return transform->memory != NULL;
}

static void fill_points(Transform *transform)
{
    for (int i = 0; i < transform->n; i++)
        transform->own[i] = (i * 3 + transform->rank) % 7;
}

static int reverse_bits(int value, int bits)
{
    int reversed = 0;
    for (int bit = 0; bit < bits; bit++)
        reversed = 2 * reversed + (value >> bit & 1);
    return reversed;
}

static void reverse_order(Transform *transform)
{
    for (int i = 0; i < transform->n; i++) {
        int j = reverse_bits(i, 3);
        if (j > i && j < transform->n) {
            double complex swap = transform->own[i];
            transform->own[i] = transform->own[j];
            transform->own[j] = swap;
        }
    }
}

static double complex twiddle(int index, int points)
{
    return cexp(-2 * M_PI * I * index / points);
}

static double complex conjugate_twiddle(int index, int points)
{
    return conj(twiddle(index, points));
}

static void butterfly(double complex *a, double complex *b, double complex factor)
{
    double complex product = *b * factor;
    *b = 0.5 * (*a - product);
    *a = 0.5 * (*a + product);
}

static void transform_locally(Transform *transform, int forward)
{
    if (fault_hits(&transform->fault, FAULT_crash, transform->round))
        fault_crash();
    for (int span = 1; span < transform->n; span *= 2) {
        for (int i = 0; i + span < transform->n; i += 2 * span) {
            int direct = fault_hits(&transform->fault, FAULT_wrong_call, transform->round) ? !forward : forward;
            double complex factor = direct ? twiddle(i, transform->n) : conjugate_twiddle(i, transform->n);
            butterfly(&transform->own[i], &transform->own[i + span], factor);
            if (fault_pace(fault_hits(&transform->fault, FAULT_endless, transform->round)))
                i = -2 * span;
        }
    }
}

static void trade_points(Transform *transform, int partner, int stage)
{
    int count = transform->n, tag = 30 + stage, first = transform->rank < partner;
    if (fault_hits(&transform->fault, FAULT_wrong_tag, transform->round))
        tag = 30 + (stage + 1) % 2;
    if (fault_hits(&transform->fault, FAULT_long_count, transform->round))
        count += 2;
    if (fault_hits(&transform->fault, FAULT_short_count, transform->round))
        count -= 2;
    if (fault_hits(&transform->fault, FAULT_swap, transform->round))
        first = !first;
    if (first)
        MPI_Ssend(transform->own, count, MPI_C_DOUBLE_COMPLEX, partner, tag, MPI_COMM_WORLD);
    MPI_Recv(transform->other, transform->n, MPI_C_DOUBLE_COMPLEX, partner, 30 + stage, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (!first)
        MPI_Ssend(transform->own, count, MPI_C_DOUBLE_COMPLEX, partner, tag, MPI_COMM_WORLD);
}

static void combine_points(Transform *transform, int stage)
{
    int upper = transform->rank >> stage & 1;
    for (int i = 0; i < transform->n; i++) {
        double complex factor = twiddle(transform->rank % (1 << stage), 2 << stage);
        if (upper)
            butterfly(&transform->other[i], &transform->own[i], factor);
        else
            butterfly(&transform->own[i], &transform->other[i], factor);
    }
}

static void do_stage(Transform *transform, int stage)
{
    int partner = transform->rank ^ (1 << stage);
    if (fault_hits(&transform->fault, FAULT_wrong_peer, transform->round) && stage == 1)
        partner = transform->rank ^ 1;
    trade_points(transform, partner, stage);
    combine_points(transform, stage);
}

static void do_transform(Transform *transform, int forward)
{
    if (!fault_hits(&transform->fault, FAULT_skip_call, transform->round))
        reverse_order(transform);
    transform_locally(transform, forward);
    for (int stage = 0; stage < transform->bits; stage++) {
        if (fault_hits(&transform->fault, FAULT_skip_stage, transform->round) && stage == transform->bits - 1)
            break;
        do_stage(transform, stage);
    }
    if (fault_hits(&transform->fault, FAULT_extra_stage, transform->round))
        do_stage(transform, 0);
}

static int has_arrived(int partner)
{
    int there;
    MPI_Iprobe(partner, 99, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    return there;
}

/* The last of a ring of notes: everybody polls for its own. */
static void pass_note(Transform *transform)
{
    int note = transform->round, next = (transform->rank + 1) % transform->ranks;
    int previous = (transform->rank + transform->ranks - 1) % transform->ranks;
    MPI_Request request;
    MPI_Isend(&note, 1, MPI_INT, next, 99, MPI_COMM_WORLD, &request);
    while (!has_arrived(fault_pace(fault_hits(&transform->fault, FAULT_livelock, transform->round)) ? transform->rank
                                                                                                    : previous)) {
    }
    MPI_Recv(&note, 1, MPI_INT, previous, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void gather_power(Transform *transform)
{
    double power = 0;
    int root = fault_hits(&transform->fault, FAULT_wrong_root, transform->round) ? 1 : 0;
    for (int i = 0; i < transform->n; i++)
        power += creal(transform->own[i] * conj(transform->own[i]));
    if (fault_hits(&transform->fault, FAULT_abort, transform->round))
        MPI_Abort(MPI_COMM_WORLD, 11);
    if (!fault_hits(&transform->fault, FAULT_skip_collective, transform->round))
        MPI_Reduce(&power, &transform->power, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}

static void run_rounds(Transform *transform, int rounds)
{
    for (transform->round = 1; transform->round <= rounds; transform->round++) {
        if (fault_hits(&transform->fault, FAULT_early_exit, transform->round))
            break;
        if (fault_hits(&transform->fault, FAULT_stuck, transform->round))
            fault_hang();
        do_transform(transform, 1);
        do_transform(transform, 0);
        gather_power(transform);
        if (transform->round % 4 == 0)
            pass_note(transform);
    }
}

int main(int argc, char **argv)
{
    Transform transform = {0};
    if (!fault_read(&transform.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &transform.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &transform.ranks);
    transform.fault.own = transform.rank;
    transform.n = transform.fault.size > 0 ? transform.fault.size : 8;
    while (2 << transform.bits <= transform.ranks)
        transform.bits++;
    if (!allocate_points(&transform))
        MPI_Abort(MPI_COMM_WORLD, 1);
    fill_points(&transform);
    run_rounds(&transform, transform.fault.steps > 0 ? transform.fault.steps : 12);
    free(transform.memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
