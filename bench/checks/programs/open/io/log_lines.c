/* kind: io-conflict 13.6.1
 * set: open
 * ranks: 2
 * 0 none ends ends: lines appended by the shared file pointer
 * 1 error ends ends proves: lines of 20 bytes written 16 bytes apart
 * 2 none ends ends: one part written by one rank and read by the other, sync, barrier and sync between
 * 3 error ends ends proves: the same without anything between
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void write_log(MPI_File file, int rank)
{
    char line[20];
    for (int i = 0; i < 3; i++) {
        memset(line, '.', sizeof line);
        snprintf(line, sizeof line, "rank %d step %d", rank, i);
#if VARIANT == 0
        MPI_File_write_shared(file, line, sizeof line, MPI_CHAR, MPI_STATUS_IGNORE);
#elif VARIANT == 1
        MPI_File_write_at(file, (2 * i + rank) * 16, line, sizeof line, MPI_CHAR, MPI_STATUS_IGNORE); /* HERE 1 */
#else
        if (rank == 0)
            MPI_File_write_at(file, i * 20, line, sizeof line, MPI_CHAR, MPI_STATUS_IGNORE); /* HERE 3 */
#endif
    }
#if VARIANT == 2
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
#endif
    if (VARIANT >= 2 && rank == 1)
        MPI_File_read_at(file, 0, line, sizeof line, MPI_CHAR, MPI_STATUS_IGNORE); /* HERE 3 */
}

int main(int argc, char **argv)
{
    int rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "check_log.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    write_log(file, rank);
    MPI_File_close(&file);
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
