/* kind: io-mode 13.2.1
 * set: open
 * ranks: 2
 * 0 none ends ends: opened, a missing file is told by the error code, and created then
 * 1 error ends|fails ends|fails proves: opened for reading and creating at once
 * 2 error ends ends proves: ranks open one file with different modes
 * 3 error ends ends proves: the file could not be opened, and is used all the same
 */
#include <mpi.h>
#include <stdio.h>

#define NAME "check_open_modes.dat"

static MPI_File open_log(int rank)
{
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    int failed = MPI_File_open(MPI_COMM_WORLD, "no/such/" NAME, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    if (VARIANT == 3)
        return file;
    if (VARIANT == 1)
        mode = MPI_MODE_CREATE | MPI_MODE_RDONLY;
    if (VARIANT == 2 && rank == 1)
        mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    if (failed)
        MPI_File_open(MPI_COMM_WORLD, NAME, mode, MPI_INFO_NULL, &file); /* HERE 1 2 */
    return file;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File file = open_log(rank);
    if (VARIANT != 1) {
        MPI_File_write_at(file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE); /* HERE 3 */
        MPI_File_close(&file);
    }
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
