/* Jobs of which a comparison should say no more than it knows. The fault comes by the environment, so that all ranks of
 * the faulty run do something that no normal one does.
 *
 *     mpi-gate ring     ranks pass a number round; GATE_FAULT=crash: rank 2 reads at address 0 in the third round
 *     mpi-gate farm     rank 0 gives tasks to whoever comes first; GATE_FAULT=silent: rank 2 does not answer its third
 * task
 *     mpi-gate steps    ranks pass a number round and add up, many times; GATE_PAUSE: milliseconds of a step from the
 * tenth on, so that a time limit ends it while it gets on; GATE_FAULT=extra: rank 2 passes one to itself in the third
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

enum { ROUNDS = 20, STEPS = 200, SOON = 10, TASKS = 60, TASK = 11, STOP = 12, RESULT = 20, STRUCK = 2, WHEN = 3 };

static int rank, ranks;
static const char *fault = "none";

static void read_fault(const char *text)
{
    fault = text;
}

static int strikes(const char *kind, int round)
{
    return rank == STRUCK && round == WHEN && strcmp(fault, kind) == 0;
}

static int advance(int number, int round)
{
    const volatile int *place = strikes("crash", round) ? NULL : &number;
    return *place + 1;
}

static void ring(void)
{
    int number = 0, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int round = 1; round <= ROUNDS; round++) {
        int mine = advance(number, round);
        MPI_Sendrecv(&mine, 1, MPI_INT, next, RESULT, &number, 1, MPI_INT, before, RESULT, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void pass(int number, int to, int from)
{
    int other;
    MPI_Sendrecv(&number, 1, MPI_INT, to, RESULT, &other, 1, MPI_INT, from, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void steps(void)
{
    const char *pause = getenv("GATE_PAUSE");
    int sum, milliseconds = pause ? atoi(pause) : 0;
    for (int step = 1; step <= STEPS; step++) {
        pass(step, (rank + 1) % ranks, (rank + ranks - 1) % ranks);
        if (strikes("extra", step))
            pass(step, rank, rank);
        if (milliseconds > 0 && step >= SOON)
            usleep((useconds_t)milliseconds * 1000);
        MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void give(int worker, int task)
{
    MPI_Send(&task, 1, MPI_INT, worker, TASK, MPI_COMM_WORLD);
}

static void manage(void)
{
    int next = 0, open = 0, result;
    MPI_Status status;
    for (int worker = 1; worker < ranks; worker++, open++)
        give(worker, next++);
    while (open > 0) {
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        if (next < TASKS)
            give(status.MPI_SOURCE, next++);
        else
            open--;
    }
    for (int worker = 1; worker < ranks; worker++)
        MPI_Send(&next, 1, MPI_INT, worker, STOP, MPI_COMM_WORLD);
}

/* Takes a time that differs from run to run. */
static int compute(int task)
{
    usleep((useconds_t)(rand() % 800));
    return task * task;
}

static void work(void)
{
    int task;
    MPI_Status status;
    for (int done = 1;; done++) {
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        int result = compute(task);
        while (strikes("silent", done))
            pause();
        MPI_Send(&result, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    srand((unsigned)getpid());
    if (getenv("GATE_FAULT"))
        read_fault(getenv("GATE_FAULT"));
    if (argc > 1 && strcmp(argv[1], "ring") == 0)
        ring();
    else if (argc > 1 && strcmp(argv[1], "steps") == 0)
        steps();
    else if (rank == 0)
        manage();
    else
        work();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
