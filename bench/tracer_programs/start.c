/* Starts MPI and ends it, and prints the processor seconds that this process took for it, for bench/tracer. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    getrusage(RUSAGE_SELF, &usage);
    printf("%.6f\n", (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    return 0;
}
