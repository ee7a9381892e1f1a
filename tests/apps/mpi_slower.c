/*
 * mpi_slower STEPS [KIND PERCENT [RANK [AT]]]: steps of work and of talk, and a fault that is more of the same work:
 *   one    `force` takes PERCENT more on RANK, in every step
 *   all    the same on all ranks
 *   since  on RANK from step AT on (from 1)
 *   once   on RANK in step AT alone
 *   loop   on RANK in `relax`, which is inlined into `solve`, which is called once, from step AT on
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART   __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))
enum { FORCE = 1000, RELAX = 600, NEIGHBOURS = 150, UNIT = 1500 };
enum kind { NONE, ONE, ALL, SINCE, ONCE, LOOP, KINDS };

static const char *const names[KINDS] = {"none", "one", "all", "since", "once", "loop"};
static struct {
    enum kind kind;
    int percent, rank, at;
} fault = {NONE, 0, 1, 1};
static int rank, ranks, steps;
static volatile double sink;

/* So many thousandths of some milliseconds. */
INLINED void work(int thousandths)
{
    double x = sink + 1;
    for (int i = 0; i < thousandths * UNIT; i++)
        x = x * 0.999999 + 1e-6;
    sink = x;
}

INLINED int of_force(int step)
{
    const int here = rank == fault.rank;
    const int faulty = fault.kind == ALL || (here && fault.kind == ONE) ||
                       (here && fault.kind == SINCE && step >= fault.at) ||
                       (here && fault.kind == ONCE && step == fault.at);
    return faulty ? FORCE + FORCE * fault.percent / 100 : FORCE;
}

INLINED int of_relax(int step)
{
    const int faulty = fault.kind == LOOP && rank == fault.rank && step >= fault.at;
    return faulty ? RELAX + RELAX * fault.percent / 100 : RELAX;
}

APART static void force(int step)
{
    work(of_force(step));
}

APART static void neighbours(void)
{
    work(NEIGHBOURS);
}

APART static void exchange(void)
{
    double out[64] = {0}, in[64];
    MPI_Sendrecv(out, 64, MPI_DOUBLE, (rank + 1) % ranks, 1, in, 64, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

APART static void solve(void)
{
    double energy = 1, sum;
    for (int step = 1; step <= steps; step++) {
        force(step);
        neighbours();
        exchange();
        work(of_relax(step));
        MPI_Allreduce(&energy, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    enum { ARGUMENTS = 6 };
    const char *arguments[ARGUMENTS] = {"", "20", "none", "0", "1", "1"}; /* the same calls, whatever is given */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc && i < ARGUMENTS; i++)
        arguments[i] = argv[i];
    steps = atoi(arguments[1]);
    for (int kind = NONE; kind < KINDS; kind++)
        fault.kind = strcmp(arguments[2], names[kind]) == 0 ? (enum kind)kind : fault.kind;
    fault.percent = atoi(arguments[3]);
    fault.rank = atoi(arguments[4]);
    fault.at = atoi(arguments[5]);
    solve();
    MPI_Finalize();
    return 0;
}
