/*
 * A program of which rank 1, or another, ends too early: mpi-early-end HOW [RANK]
 *     start   segmentation fault before MPI_Init
 *     init    segmentation fault after MPI_Init
 *     abort   MPI_Abort after MPI_Init
 *     kill    SIGKILL after MPI_Init
 *     exit    exit(3) without MPI_Finalize
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int launcher_rank(void)
{
    const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (int i = 0; i < 2; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return -1;
}

void end_early(const char *how)
{
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "exit") == 0)
        exit(3);
    *(volatile int *)0 = 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "start";
    int which = argc > 2 ? atoi(argv[2]) : 1;
    if (strcmp(how, "start") == 0 && launcher_rank() == which)
        end_early(how);
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == which)
        end_early(how);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
