/* Collectives by hand: a binomial tree up and down again, one by the highest bit, a dissemination, halving and
 * doubling. */
#include <mpi.h>
#include <stdlib.h>

enum { ROUNDS = 6, BLOCK = 16, MOST = 4096 };

typedef struct {
    int rank, ranks;
    double own[MOST], other[MOST];
} Work;

static void to(Work *work, int peer, int count, int tag)
{
    MPI_Send(work->own, count, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD);
}

static void from(Work *work, int peer, int count, int tag)
{
    MPI_Recv(work->other, count, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void reduce_low(Work *work)
{
    for (int bit = 1; bit < work->ranks; bit *= 2) {
        if (work->rank & bit) {
            to(work, work->rank - bit, BLOCK, 1);
            return;
        }
        if (work->rank + bit < work->ranks)
            from(work, work->rank + bit, BLOCK, 1);
    }
}

static void broadcast_low(Work *work)
{
    int bit = 1;
    while (bit < work->ranks && !(work->rank & bit))
        bit *= 2;
    if (bit < work->ranks)
        from(work, work->rank - bit, BLOCK, 2);
    for (bit /= 2; bit > 0; bit /= 2)
        if (work->rank + bit < work->ranks)
            to(work, work->rank + bit, BLOCK, 2);
}

/* Who has it gives it to the rank behind all who have it. */
static void scatter_top(Work *work)
{
    for (int bit = 1, stage = 0; bit < work->ranks; bit *= 2, stage++) {
        if (work->rank < bit && work->rank + bit < work->ranks)
            to(work, work->rank + bit, BLOCK * bit, 10 + stage);
        else if (work->rank >= bit && work->rank < 2 * bit)
            from(work, work->rank - bit, BLOCK * bit, 10 + stage);
    }
}

static void disseminate(Work *work)
{
    for (int bit = 1; bit < work->ranks; bit *= 2) {
        MPI_Request request;
        MPI_Irecv(work->other, 1, MPI_DOUBLE, (work->rank + work->ranks - bit) % work->ranks, 3, MPI_COMM_WORLD,
                  &request);
        to(work, (work->rank + bit) % work->ranks, 1, 3);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void halve(Work *work)
{
    for (int bit = work->ranks / 2, count = MOST / 2; bit > 0; bit /= 2, count /= 2)
        MPI_Sendrecv(work->own, count, MPI_DOUBLE, work->rank ^ bit, 4, work->other, count, MPI_DOUBLE,
                     work->rank ^ bit, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    Work *work = calloc(1, sizeof *work);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &work->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &work->ranks);
    for (int round = 0; round < ROUNDS; round++) {
        reduce_low(work);
        broadcast_low(work);
        scatter_top(work);
        disseminate(work);
        halve(work);
    }
    MPI_Finalize();
    free(work);
    return 0;
}
