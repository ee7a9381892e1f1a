/* kind: file-leak 13.2.2
 * set: held-out
 * ranks: 2
 * 0 none ends ends: input opened for reading in each round, and closed
 * 1 error ends|fails ends|fails proves: the early return for an empty file forgets to close it
 */
#include <mpi.h>
#include <stdio.h>

static long long size_of(const char *name)
{
    MPI_File file;
    MPI_Offset size = 0;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file); /* HERE */
    MPI_File_get_size(file, &size);
    if (size == 0 && VARIANT == 1)
        return 0;
    MPI_File_close(&file);
    return (long long)size;
}

int main(int argc, char **argv)
{
    long long sum = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        sum += size_of("check_empty.dat");
    if (rank == 0)
        printf("%lld\n", sum);
    MPI_Finalize();
    return 0;
}
