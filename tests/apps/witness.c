/*
 * The witness of the kill tests: runs until it is killed and counts every call, before and after it, in a file mapped
 * shared. Both counters and whatever traces the calls are written in program order, so that at any moment
 *
 *     finished <= returns traced <= entries traced <= started
 *
 * holds for every thread and function, and all entries of a thread together lag at most one behind `started`.
 *
 *     witness FILE
 */
#include "witness.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

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

void *run(void *number)
{
    int thread = (int)(long)number;
    for (unsigned state = 1u + (unsigned)thread;; state = state * 1664525u + 1013904223u)
        COUNTED(thread, BRANCH, witness_branch(thread, state >> 12));
    return NULL;
}

int main(int argc, char **argv)
{
    int file = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
    if (file < 0 || ftruncate(file, sizeof *witness) != 0) {
        fputs("usage: witness FILE\n", stderr);
        return 2;
    }
    witness = mmap(NULL, sizeof *witness, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (witness == MAP_FAILED)
        return 1;
    witness->pid = (uint32_t)getpid();
    for (long thread = 1; thread < WITNESS_THREADS; thread++) {
        pthread_t unused;
        if (pthread_create(&unused, NULL, run, (void *)thread) != 0)
            return 1;
    }
    run(NULL);
    return 0;
}
