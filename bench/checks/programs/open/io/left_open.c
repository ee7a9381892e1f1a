/* kind: file-leak 13.2.2
 * set: open
 * ranks: 2
 * 0 none ends ends: a file opened and closed in each step
 * 1 error ends|fails ends|fails proves: the file of the last step is still open at MPI_Finalize
 * 2 none ends ends: a file opened by each rank for itself, and closed
 */
#include <mpi.h>
#include <stdio.h>

static void checkpoint(int step, int steps, int rank)
{
    MPI_File file;
    char name[40];
    MPI_Comm comm = VARIANT == 2 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    snprintf(name, sizeof name, "check_left_open_%d.dat", VARIANT == 2 ? rank : 0);
    MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file); /* HERE */
    MPI_File_write_at(file, rank * 4, &step, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (VARIANT == 1 && step == steps - 1)
        return;
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 3; step++)
        checkpoint(step, 3, rank);
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
