/* How the programs are told their fault: PROGRAM FAULT RANK STEP; "none" has none. The fault is a test in the function
 * that has it: a faulty run makes the calls of a normal one, with other values. */
#ifndef VALUES_H
#define VALUES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *fault_name = "none";
static int fault_rank, fault_step, own_rank, ranks;

static void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fault_name = *argc > 1 ? (*argv)[1] : "none";
    fault_rank = *argc > 2 ? atoi((*argv)[2]) : 0;
    fault_step = *argc > 3 ? atoi((*argv)[3]) : 0;
}

/* In this step only. */
static inline int fault_now(const char *name, int step)
{
    return own_rank == fault_rank && step == fault_step && strcmp(name, fault_name) == 0;
}

/* From this step on. */
static inline int fault_from(const char *name, int step)
{
    return own_rank == fault_rank && step >= fault_step && strcmp(name, fault_name) == 0;
}

/* What was in memory before, and is other in each run. */
static inline double garbage(void)
{
    return (double)getpid() * 1e-3 + 17;
}

#endif
