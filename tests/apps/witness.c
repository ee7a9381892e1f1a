/*
 * The witness of the kill tests: runs until it is killed and counts every call, before and after it, in a file mapped
 * shared. Both counters and whatever traces the calls are written in program order, so that at any moment
 *
 *     finished <= returns traced <= entries traced <= started
 *
 * holds for every thread and function, and all entries of a thread together lag at most one behind `started`.
 *
 *     witness FILE           four threads
 *     witness FILE single    the main thread alone
 *     witness FILE churn     short threads, one after the other, which count together as thread 1
 *
 * Built with WITNESS_MPI each rank is a single one with a file of its own, FILE.RANK, and all meet now and then.
 */
#include "witness.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef WITNESS_MPI
#include <mpi.h>
#endif

enum { LEAF, DEEP, LOOP, BRANCH };

static struct witness *witness;

#define COUNTED(thread, function, call)                                                                                \
    do {                                                                                                               \
        witness->started[thread][function]++;                                                                          \
        call;                                                                                                          \
        witness->finished[thread][function]++;                                                                         \
    } while (0)

/* Long enough that a run of a second does not take the checker minutes. */
void witness_leaf(int thread)
{
    for (volatile int i = 0; i < 300 + 50 * thread; i++) {
    }
}

void witness_deep(int thread, int depth)
{
    if (depth > 0)
        COUNTED(thread, DEEP, witness_deep(thread, depth - 1));
    COUNTED(thread, LEAF, witness_leaf(thread));
}

void witness_loop(int thread, int times)
{
    for (int i = 0; i < times; i++)
        COUNTED(thread, LEAF, witness_leaf(thread));
}

void witness_branch(int thread, unsigned bits)
{
    if (bits % 2 == 0)
        COUNTED(thread, LOOP, witness_loop(thread, (int)(bits / 2 % 9)));
    else
        COUNTED(thread, DEEP, witness_deep(thread, (int)(bits / 2 % 60)));
}

unsigned witness_some(int thread, unsigned state, int calls)
{
    for (int i = 0; i < calls; i++, state = state * 1664525u + 1013904223u)
        COUNTED(thread, BRANCH, witness_branch(thread, state >> 12));
    return state;
}

void *run(void *number)
{
    int thread = (int)(long)number;
    for (unsigned state = 1u + (unsigned)thread;;) {
        state = witness_some(thread, state, 64);
#ifdef WITNESS_MPI
        MPI_Barrier(MPI_COMM_WORLD);
#endif
    }
    return NULL;
}

void *run_briefly(void *state)
{
    unsigned first = (unsigned)(size_t)state;
    return (void *)(size_t)witness_some(1, first, (int)(first >> 20 & 63));
}

static void start(void *(*routine)(void *), long argument, pthread_t *thread)
{
    if (pthread_create(thread, NULL, routine, (void *)argument) != 0)
        _exit(1);
}

static void churn(void)
{
    for (void *state = (void *)1;;) {
        pthread_t thread;
        start(run_briefly, (long)(size_t)state * 1664525 + 1013904223, &thread);
        pthread_join(thread, &state);
    }
}

static int map_counters(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof *witness) != 0)
        return 0;
    witness = mmap(NULL, sizeof *witness, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return witness != MAP_FAILED;
}

int main(int argc, char **argv)
{
    char path[4096];
    const char *mode = argc == 3 ? argv[2] : "threads";
    snprintf(path, sizeof path, "%s", argc > 1 ? argv[1] : "/");
#ifdef WITNESS_MPI
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%.4000s.%d", argv[1], rank);
    mode = "single";
#endif
    if (!map_counters(path)) {
        fputs("usage: witness FILE [single|churn]\n", stderr);
        return 2;
    }
    witness->pid = (uint32_t)getpid();
    if (strcmp(mode, "churn") == 0)
        churn();
    for (long thread = 1; thread < WITNESS_THREADS && strcmp(mode, "single") != 0; thread++) {
        pthread_t unused;
        start(run, thread, &unused);
    }
    run(NULL);
    return 0;
}
