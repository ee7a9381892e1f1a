/*
 * Costs of single calls of MPI and of locks, for bench/tracer:
 *
 *     mpi_calls COUNT
 *
 * on one rank, to itself; the functions call_... are not to be traced. Prints a line for each kind of call: its name
 * and nanoseconds of processor time.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MANY = 4 };

static MPI_Request waiting[MANY];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int out, in, flag, place;
static MPI_Status status;

static void call_comm_rank(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &in);
}

static void call_test_any(void)
{
    MPI_Testany(MANY, waiting, &place, &flag, &status);
}

static void call_probe(void)
{
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &status);
}

static void call_exchange(void)
{
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void call_nonblocking(void)
{
    MPI_Request two[2];
    MPI_Irecv(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &two[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &two[1]);
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
}

static void call_lock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static const struct {
    const char *name;
    void (*call)(void);
} kinds[] = {{"MPI_Comm_rank", call_comm_rank},
             {"MPI_Testany of 4", call_test_any},
             {"MPI_Iprobe", call_probe},
             {"MPI_Sendrecv", call_exchange},
             {"MPI_Irecv, Isend, Waitall", call_nonblocking},
             {"lock and unlock", call_lock}};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000000;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&in, 1, MPI_INT, 0, 100 + i, MPI_COMM_WORLD, &waiting[i]);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        double start = seconds();
        for (int i = 0; i < count; i++)
            kinds[kind].call();
        printf("%s: %.1f\n", kinds[kind].name, (seconds() - start) / count * 1e9);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Send(&out, 1, MPI_INT, 0, 100 + i, MPI_COMM_WORLD);
    MPI_Waitall(MANY, waiting, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
