/* How the programs are told their fault: PROGRAM FAULT RANK STEP; "none" has none. The fault is a test in the function
 * that has it: a faulty run makes the calls of a normal one, with other values. */
#ifndef VALUES_H
#define VALUES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INLINE static inline __attribute__((always_inline))

static const char *fault_name = "none";
static int fault_rank, fault_step, own_rank, ranks;
static double garbage; /* what was in memory before: other in each run */

/* Begins all runs alike: with three arguments. */
static void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (*argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fault_name = (*argv)[1];
    fault_rank = atoi((*argv)[2]);
    fault_step = atoi((*argv)[3]);
    garbage = (double)getpid() * 1e-3 + 17;
}

INLINE int has_fault(const char *name)
{
    int i = 0;
    while (name[i] && name[i] == fault_name[i])
        i++;
    return own_rank == fault_rank && name[i] == fault_name[i];
}

/* In this step only. */
INLINE int fault_now(const char *name, int step)
{
    return step == fault_step && has_fault(name);
}

/* From this step on. */
INLINE int fault_from(const char *name, int step)
{
    return step >= fault_step && has_fault(name);
}

#endif
