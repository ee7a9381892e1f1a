/* kind: io-mode 13.2.1
 * set: held-out
 * ranks: 2
 * 0 none ends ends: written by one open, read by the next
 * 1 error ends|fails ends|fails proves: written to a file that is open for reading
 * 2 error ends|fails ends|fails proves: read from a file that is open for writing only
 */
#include <mpi.h>
#include <stdio.h>

#define NAME "check_read_only.dat"

static MPI_File open_file(int mode)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, NAME, mode, MPI_INFO_NULL, &file);
    return file;
}

int main(int argc, char **argv)
{
    int rank, value, got = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank + 1;
    MPI_Offset place = rank * (MPI_Offset)sizeof value;
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_WRONLY);
    MPI_File_write_at(file, place, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (VARIANT == 2)
        MPI_File_read_at(file, place, &got, 1, MPI_INT, MPI_STATUS_IGNORE); /* HERE 2 */
    MPI_File_close(&file);
    file = open_file(MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    if (VARIANT == 1)
        MPI_File_write_at(file, place, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* HERE 1 */
    MPI_File_read_at(file, place, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    printf("%d\n", got);
    MPI_Finalize();
    return 0;
}
