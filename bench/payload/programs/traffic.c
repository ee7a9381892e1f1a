/* What a call costs with and without `--payload`: one rank that sends to itself, by the processor's time.
 *
 *     traffic            prints "NAME NANOSECONDS" for each kind of message, the least of some rounds
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1 << 20, ROUNDS = 9, WIDTH = 512, CELLS = 400 };

static double out[MOST / sizeof(double)], in[MOST / sizeof(double)], field[CELLS][CELLS], next[CELLS][CELLS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void exchange(int count, MPI_Datatype type, int times)
{
    for (int i = 0; i < times; i++)
        MPI_Sendrecv(out, count, type, 0, 1, in, count, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void begin_and_wait(int count, MPI_Datatype type, int times)
{
    MPI_Request requests[2];
    for (int i = 0; i < times; i++) {
        MPI_Irecv(in, count, type, 0, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, count, type, 0, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void reduce(int count, MPI_Datatype type, int times)
{
    for (int i = 0; i < times; i++)
        MPI_Allreduce(out, in, count, type, MPI_SUM, MPI_COMM_WORLD);
}

/* A step of a stencil, then its rims. */
static void compute(int count, MPI_Datatype type, int times)
{
    for (int step = 0; step < times; step++) {
        for (int i = 1; i + 1 < CELLS; i++)
            for (int j = 1; j + 1 < CELLS; j++)
                next[i][j] = 0.25 * (field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]);
        for (int side = 0; side < 4; side++)
            MPI_Sendrecv(next[1], count, type, 0, 1, field[0], count, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void measure(const char *name, void (*what)(int, MPI_Datatype, int), int count, MPI_Datatype type, int times)
{
    double least = 1e300;
    what(count, type, 10);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        what(count, type, times);
        double took = (now() - start) / times;
        least = took < least ? took : least;
    }
    printf("%s\t%.0f\n", name, least);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(MOST / 8 / WIDTH, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    measure("MPI_Sendrecv, 8 bytes", exchange, 1, MPI_DOUBLE, 3000);
    measure("MPI_Sendrecv, 1 kB", exchange, 128, MPI_DOUBLE, 3000);
    measure("MPI_Sendrecv, 64 kB", exchange, 8192, MPI_DOUBLE, 300);
    measure("MPI_Sendrecv, 1 MB", exchange, MOST / 8, MPI_DOUBLE, 30);
    measure("MPI_Sendrecv, a column of 256 doubles", exchange, 1, column, 1000);
    measure("MPI_Irecv, MPI_Isend, MPI_Waitall, 1 kB", begin_and_wait, 128, MPI_DOUBLE, 2000);
    measure("MPI_Allreduce, 8 bytes", reduce, 1, MPI_DOUBLE, 3000);
    measure("a step of a stencil, 400 x 400, and 4 rims", compute, CELLS, MPI_DOUBLE, 20);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
