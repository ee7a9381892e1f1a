/* kind: io-collective 13.4.5
 * set: open
 * ranks: 2
 * 0 none ends ends: begin and end of a split collective write, work between
 * 1 error ends ends proves: two split collectives of one file at once
 * 2 error ends ends proves: the end of the last one is missing
 * 3 error hangs hangs proves: opened by all, closed by one
 */
#include <mpi.h>
#include <stdio.h>

static void write_both(MPI_File file, int *data, int rank)
{
    MPI_Offset place = rank * 8;
    MPI_File_write_at_all_begin(file, place, data, 1, MPI_INT); /* HERE 1 2 */
#if VARIANT == 1
    MPI_File_write_at_all_begin(file, place + 4, data + 1, 1, MPI_INT); /* HERE 1 */
#endif
    if (VARIANT != 2)
        MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, data[2] = {1, 2};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "check_split.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    write_both(file, data, rank);
    if (VARIANT != 3 || rank == 0)
        MPI_File_close(&file); /* HERE 2 3 */
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
