/* kind: io-conflict 13.6.1
 * set: held-out
 * ranks: 3
 * 0 none ends ends: each rank writes its own part
 * 1 error ends ends proves: all ranks write the same part at once
 * 2 error ends ends proves: the views overlap, as their displacement counts elements instead of bytes
 * 3 none ends ends: all ranks read the same part
 */
#include <mpi.h>
#include <stdio.h>

#define PART 16

static void save(MPI_File file, int *data, int rank)
{
    MPI_Offset start = (MPI_Offset)rank * PART * (MPI_Offset)sizeof(int);
    if (VARIANT == 1)
        start = 0;
    if (VARIANT == 2)
        start = (MPI_Offset)rank * PART;
    if (VARIANT == 3) {
        MPI_File_read_at_all(file, 0, data, PART, MPI_INT, MPI_STATUS_IGNORE);
    } else {
        MPI_File_set_view(file, start, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); /* HERE 2 */
        MPI_File_write_all(file, data, PART, MPI_INT, MPI_STATUS_IGNORE);          /* HERE */
    }
}

int main(int argc, char **argv)
{
    int data[PART] = {0}, rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "check_same_place.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    data[0] = rank;
    save(file, data, rank);
    MPI_File_close(&file);
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
